"""What a killed job leaves behind is ended by the next one of the same run, and nothing else is."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from veriloop.dafny.process import tool_environment
from veriloop.dafny.strays import MARK, mark, sweep

WAITS = "import subprocess, sys, time; subprocess.Popen(['sleep', '60']); print('up', flush=True); time.sleep(60)"


@pytest.fixture(autouse=True)
def run_of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@contextmanager
def marked(marking: str) -> Iterator[list[psutil.Process]]:
    """A process with a child, both with a mark."""
    env = {"PATH": "/usr/bin:/bin", MARK: marking}
    with subprocess.Popen([sys.executable, "-c", WAITS], env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        first = psutil.Process(process.pid)
        family = [first, *first.children()]
        assert len(family) == 2
        # Its parent knows that a process has started a moment before the system shows its environment.
        while not all(one.environ() for one in family):
            time.sleep(0.01)
        try:
            yield family
        finally:
            for one in family:
                if one.is_running():
                    one.kill()


def alive(family: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in family if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def ended() -> int:
    """The number of a process that is gone."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def test_every_tool_and_what_it_starts_bears_the_mark_of_its_job(tmp_path: Path) -> None:
    assert mark().items() <= tool_environment(tmp_path, {}).items()


def test_verifiers_of_a_job_that_is_gone_are_killed_with_their_solvers() -> None:
    run = mark()[MARK].partition(":")[0]
    with marked(f"{run}:{ended()}") as family:
        assert sweep() == 2
        assert alive(family) == []


def test_what_this_job_left_is_killed_at_its_end() -> None:
    with marked(mark()[MARK]) as family:
        assert sweep() == 2
        assert alive(family) == []


def test_verifiers_of_a_job_that_is_at_work_and_of_other_runs_are_left_alone(tmp_path: Path) -> None:
    run = mark()[MARK].partition(":")[0]
    with subprocess.Popen(["sleep", "60"]) as job:
        for marking in (f"{run}:{job.pid}", f"0123456789abcdef:{ended()}", "", "no number: at all"):
            with marked(marking) as family:
                assert sweep() == 0
                assert len(alive(family)) == 2
        job.kill()
