"""`kill -9` of the whole workflow at any moment: a rerun gives the same tables, and no attempt is lost or repeated."""

import csv
import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from running import REPOSITORY, SMALL, environment, finish, run_snakemake, snakemake_command
from veriloop.dafny.strays import MARK
from veriloop.loop.journal import read_journal
from veriloop.tasks import text_sha256


def start(folder: Path, overrides: list[str], experiment: str) -> subprocess.Popen[bytes]:
    """Start a workflow with a cache of its own, so that there is something to verify."""
    command = snakemake_command(
        "--cores",
        "2",
        "--rerun-incomplete",
        experiment=experiment,
        overrides=overrides,
        snakefile=REPOSITORY / "Snakefile",
    )
    with (folder / "killed.log").open("ab") as log:
        env = environment(REPOSITORY) | {"VERILOOP_CACHE": str(folder / "cache")}
        return subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)


def kill_after(folder: Path, rows: int, delay: float, overrides: list[str], experiment: str) -> None:
    """Start a workflow, wait for journal rows and a little longer, then kill every process of it."""
    process = start(folder, overrides, experiment)
    deadline = time.monotonic() + 120
    while process.poll() is None and journal_rows(folder) < rows and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(delay)
    try:
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        family = []
    for member in family:
        try:
            os.kill(member.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


def verifiers(folder: Path) -> dict[int, int]:
    """Verifiers and solvers of the run in this folder, by the mark that they bear, and the job that each is of."""
    found: dict[int, int] = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            run, _, job = process.environ().get(MARK, "").partition(":")
            if run == text_sha256(str(folder))[:16]:
                found[process.pid] = int(job)
    return found


def wait_for_verifiers(folder: Path) -> dict[int, int]:
    deadline = time.monotonic() + 120
    while not verifiers(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    return verifiers(folder)


def journal_rows(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (folder / "results/journal").glob("*/*.jsonl"))


TIMES = ("verifier_seconds", "seconds_per_check")


def tables(folder: Path, experiment: str) -> dict[str, object]:
    """All tables and scores of an experiment; but for measured times they must be equal to the byte."""
    found: dict[str, object] = {}
    for stage in ("tables", "score", "estimate"):
        for path in sorted((folder / "results" / stage / experiment).rglob("*.csv")):
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            found[str(path.relative_to(folder))] = [{k: v for k, v in row.items() if k not in TIMES} for row in rows]
    return found


def check_journals(folder: Path) -> None:
    """Each attempt once, and whole."""
    for path in (folder / "results/journal").glob("*/*.jsonl"):
        rows = read_journal(path)
        assert path.read_bytes().endswith(b"\n") or not rows, path
        counts = Counter((row.task, row.number, row.prompt_sha256) for row in rows)
        assert set(counts.values()) <= {1}, path


@pytest.mark.parametrize("whose", ["workflow", pytest.param("job", marks=pytest.mark.long)])
def test_ten_seconds_after_a_kill_no_verifier_is_left_and_the_tables_are_the_same(
    whose: str, whole: Path, tmp_path: Path
) -> None:
    """Killed is one process alone: the workflow's first, whose jobs must notice, or a job's, whose guards must."""
    process = start(tmp_path, SMALL, "demo")
    seen = wait_for_verifiers(tmp_path)
    assert seen
    os.kill(process.pid if whose == "workflow" else next(iter(seen.values())), signal.SIGKILL)
    if whose == "workflow":
        process.wait()
    time.sleep(10)
    left = verifiers(tmp_path)
    if whose == "workflow":
        assert left == {}
        assert not any(psutil.pid_exists(job) for job in seen.values())
    else:
        assert not set(left) & {pid for pid, job in seen.items() if job == next(iter(seen.values()))}
        assert process.wait() != 0, "the workflow names the job that failed"
        assert verifiers(tmp_path) == {}
    finish(tmp_path, SMALL, "demo")
    assert tables(tmp_path, "demo") == tables(whole, "demo")
    check_journals(tmp_path)


def test_a_killed_workflow_goes_on_and_ends_the_same(whole: Path, tmp_path: Path) -> None:
    killed = tmp_path
    kill_after(killed, 2, 0.7, SMALL, "demo")
    kept = journal_rows(killed)
    assert kept >= 2
    assert not (killed / "results/tables/demo/rates.csv").exists()
    finish(killed, SMALL, "demo")
    assert tables(killed, "demo") == tables(whole, "demo")
    assert journal_rows(killed) == journal_rows(whole)
    check_journals(killed)


@pytest.mark.long
def test_mini_arms_survives_kills_at_random_moments(tmp_path: Path, any_verifier: object) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    overrides = [word for word in SMALL if not word.startswith(("loop", "benchmark="))] + ["seeds=[0]"]
    finish(whole, overrides, "mini_arms")
    chance = random.Random(11)
    for _ in range(20):
        run_snakemake(killed, "--unlock", experiment="mini_arms", overrides=overrides)
        kill_after(killed, journal_rows(killed) + chance.randrange(3), chance.random() * 4, overrides, "mini_arms")
    finish(killed, overrides, "mini_arms")
    assert tables(killed, "mini_arms") == tables(whole, "mini_arms")
    check_journals(killed)
