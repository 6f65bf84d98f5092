"""What can go wrong around a verifier while a workflow runs: the final tables are those of a run without trouble."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import SMALL, finish
from test_bad_disks import mount
from test_kill import journal_rows, start, tables, verifiers
from veriloop.cli import main
from veriloop.config.compose import read_toolchain
from veriloop.dafny.provide import find_toolchain
from veriloop.dafny.toolchain import platform_key


@pytest.mark.long
def test_two_workflows_at_once_share_a_cache_and_end_the_same(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("VERILOOP_CACHE", str(cache))
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "cache").symlink_to(cache)
    running = [start(folder, SMALL, "demo") for folder in folders]
    assert [process.wait() for process in running] == [0, 0]
    for folder in folders:
        assert tables(folder, "demo") == tables(whole, "demo")
        assert verifiers(folder) == {}
    if find_toolchain(read_toolchain("dafny-4.11.0", "test")) is None:
        pytest.skip("dafny-4.11.0 is not on this machine, so no entry can be checked again")
    assert main(["cache", "verify"]) == 0
    assert "checked again: no difference" in capsys.readouterr().out


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder for a cache on a disk that has room for a few entries."""
    folder = tmp_path / "cache"
    folder.mkdir()
    mount(folder, "size=40k")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.long
def test_a_full_disk_under_the_cache_changes_no_table(full: Path, whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "cache").symlink_to(full)
    assert start(run, SMALL, "demo").wait() == 0
    assert tables(run, "demo") == tables(whole, "demo")
    logs = "".join(path.read_text(encoding="utf-8") for path in (run / "logs" / "run_loop").rglob("*.log"))
    assert str(full.name) in logs
    assert "full" in logs


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """A mirror with the standard toolchain, which can be taken away; its files are links to the real ones."""
    setting = os.environ.get("VERILOOP_TOOLCHAIN_MIRROR")
    pinned = read_toolchain("dafny-4.11.0", "test").mirrors.get(platform_key())
    if setting is None or pinned is None or not (Path(setting) / pinned.folder).is_dir():
        pytest.skip("VERILOOP_TOOLCHAIN_MIRROR has no dafny-4.11.0")
    folder = tmp_path / "mirror"
    shutil.copytree(Path(setting) / pinned.folder, folder / pinned.folder, copy_function=os.symlink)
    return folder


def test_a_toolchain_that_vanishes_ends_the_job_with_a_sentence_and_nothing_is_lost(
    mirror: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERILOOP_TOOLCHAIN_MIRROR", str(mirror))
    run, (toolchain,) = tmp_path / "run", mirror.iterdir()
    run.mkdir()
    process = start(run, SMALL, "demo")
    while journal_rows(run) == 0 and process.poll() is None:
        time.sleep(0.05)
    toolchain.rename(mirror / "away")
    assert process.wait() != 0
    log = (run / "killed.log").read_text(encoding="utf-8")
    assert f"{toolchain}/" in log
    assert "is gone, and with it dafny-4.11.0; put it back" in log
    assert "Traceback" not in log
    (mirror / "away").rename(toolchain)
    finish(run, SMALL, "demo")
    assert tables(run, "demo") == tables(whole, "demo")


@pytest.mark.long
@pytest.mark.parametrize("sort", ["job", "server", "solver"])
def test_processes_that_are_killed_or_frozen_at_random_moments_change_no_table(
    sort: str, whole: Path, tmp_path: Path
) -> None:
    """A killed job is run again by hand; a killed or frozen server, or a killed solver, is the run's own concern."""
    for round_number in range(6):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        process = start(folder, SMALL, "demo")
        deadline = time.monotonic() + 300
        hit = 0
        while process.poll() is None and hit < 3 and time.monotonic() < deadline:
            hit += _strike(folder, sort, freeze=round_number % 2 == 1)
            time.sleep(0.7 + 0.4 * round_number)
        failed = process.wait() != 0
        assert failed == (sort == "job" and hit > 0)
        time.sleep(10 if failed else 1)
        assert verifiers(folder) == {}
        finish(folder, SMALL, "demo")
        assert tables(folder, "demo") == tables(whole, "demo")


def _strike(folder: Path, sort: str, *, freeze: bool) -> int:
    """Kill a process of a sort, or freeze it if it is a server; how many that were."""
    for pid, job in verifiers(folder).items():
        words = Path(f"/proc/{pid}/cmdline").read_bytes() if Path(f"/proc/{pid}").exists() else b""
        is_solver = b"z3" in words.split(b"\0")[0]
        if sort == "job":
            os.kill(job, signal.SIGKILL)
            return 1
        if words and is_solver == (sort == "solver") and (sort == "solver" or b"server" in words):
            os.kill(pid, signal.SIGSTOP if freeze and sort == "server" else signal.SIGKILL)
            return 1
    return 0
