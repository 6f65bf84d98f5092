"""Disks that are full or read-only, and what a killed run leaves: a sentence, and nothing that was made is lost."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import SMALL, finish, run_snakemake
from test_kill import check_journals, journal_rows, tables


def mount(folder: Path, options: str) -> None:
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A working folder whose results lie on a file system of their own with 200 kB, full before the run is done."""
    folder = tmp_path / "small" / "results"
    folder.mkdir(parents=True)
    mount(folder, "size=200k")
    yield folder.parent
    subprocess.run(["umount", str(folder)], check=True)


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def test_a_full_disk_is_a_sentence_and_the_run_goes_on_where_it_was(small_disk: Path, whole: Path) -> None:
    done = run_snakemake(small_disk, "--cores", "2", experiment="demo", overrides=SMALL)
    assert done.returncode != 0
    assert "No space left on device" in said(done)
    assert "make room" in said(done)
    assert "Traceback" not in said(done)
    kept = journal_rows(small_disk)
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk / "results")], check=True)
    finish(small_disk, SMALL, "demo")
    assert tables(small_disk, "demo") == tables(whole, "demo")
    assert kept <= journal_rows(small_disk) == journal_rows(whole)
    check_journals(small_disk)


def test_a_results_folder_that_is_read_only_is_a_sentence_before_any_job(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    if os.geteuid() == 0:
        mount(results, "size=1m,ro")
    else:
        results.chmod(0o555)
    try:
        done = run_snakemake(tmp_path, "--cores", "1")
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", str(results)], check=True)
    assert done.returncode != 0
    assert "results/config/demo.yaml: cannot be written" in said(done)
    assert "make the results folder writable" in said(done)
    assert "Traceback" not in said(done)


def test_the_lock_of_a_killed_run_is_a_sentence_that_names_the_remedy(tmp_path: Path) -> None:
    locks = tmp_path / ".snakemake" / "locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text("results/tables/demo/rates.csv\n", encoding="utf-8")
    done = run_snakemake(tmp_path, "results/tables/demo/rates.csv", "--cores", "1")
    assert done.returncode != 0
    assert "--unlock" in said(done)
    assert "Traceback" not in said(done)
