"""Verifiers of ours whose job is gone, found by a mark in their environment, which their solvers inherit.

Guards end them at once (dafny.guard). This is for what is left when a job is killed in the moment between the start of
a process and the word to its guard, or when the guard itself is killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from veriloop.tasks import text_sha256

MARK = "VERILOOP_OWNER"


def mark() -> dict[str, str]:
    """What to add to the environment of a process of ours: the run, which is its working folder, and the job."""
    return {MARK: f"{_run()}:{os.getpid()}"}


def sweep() -> int:
    """Kill every process of this run whose job is gone or is this one; to be called at a job's start and end.

    Returns:
        How many there were.
    """
    found = list(strays())
    for process in found:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(found, timeout=5)
    return len(found)


def strays() -> Iterator[psutil.Process]:
    """The processes that `sweep` kills.

    A number that another process has by now counts as a job that is still there: better a stray that stays than a
    verifier that is at work.
    """
    mine = _run()
    # What it remembers of an earlier sweep may be of a number that another process has by now, and is not killed.
    psutil.process_iter.cache_clear()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            run, _, owner = process.environ().get(MARK, "").partition(":")
            if run == mine and (int(owner) == os.getpid() or not psutil.pid_exists(int(owner))):
                yield process


def _run() -> str:
    return text_sha256(str(Path.cwd()))[:16]
