"""What every script is wrapped in: a log file, and a sentence instead of a traceback for a person's mistake."""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from veriloop.dafny.strays import sweep
from veriloop.errors import UserError

LOOK_SECONDS = 1.0
"""How often a job looks whether its workflow is still there."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
"""What a full or read-only disk says."""


def _sentence(error: Exception) -> str | None:
    """What to tell a person whose mistake or full disk it is; None for a fault of ours."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return (
            f"{error.filename or 'results'}: {error.strerror}; make room or set its permissions right, then run again "
            "with --rerun-incomplete: finished attempts are not made twice"
        )
    return None


def _workflow() -> list[psutil.Process]:
    """The processes of the workflow that this job is of: Snakemake's, from the one that runs the job to the first."""
    return [one for one in psutil.Process().parents() if any(Path(w).name == "snakemake" for w in one.cmdline()[:3])]


def _is_there(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _end_with(workflow: list[psutil.Process]) -> None:
    """End this job, verifiers included, when its workflow is gone: nobody would use what it does.

    Attempts are on disk as they are made, so nothing is lost.
    """
    while all(_is_there(one) for one in workflow):
        time.sleep(LOOK_SECONDS)
    with suppress(OSError):
        logging.getLogger(__name__).error("the workflow was killed, and so this job ends")
    sweep()
    os._exit(1)


@contextmanager
def job(log: str) -> Iterator[None]:
    """Send this package's messages to a job's log file.

    A UserError, or a disk that takes no more, ends the process with code 1 and its sentence on standard error and in
    the log; anything else is a fault of ours and keeps its traceback. Verifiers that an earlier job of this run left
    behind are killed first, and this job's last; a job whose workflow is killed ends within seconds.
    """
    logging.basicConfig(
        filename=Path(log), filemode="w", level=logging.INFO, format="%(asctime)s %(message)s", force=True
    )
    log_of_job = logging.getLogger(__name__)
    threading.Thread(target=_end_with, args=(_workflow(),), daemon=True).start()
    try:
        sweep()
        try:
            yield
        finally:
            sweep()
    except Exception as error:
        sentence = _sentence(error)
        if sentence is None:
            log_of_job.exception("a fault of veriloop; please report it")
            raise
        # A log that cannot be written either is done without.
        with suppress(OSError):
            log_of_job.error("%s", sentence)  # noqa: TRY400 - a sentence, not a traceback
        sys.stderr.write(f"{sentence}\n")
        raise SystemExit(1) from None
