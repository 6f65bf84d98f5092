"""What every script is wrapped in: a log file, and a sentence instead of a traceback for a person's mistake."""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from veriloop.errors import UserError

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


@contextmanager
def job(log: str) -> Iterator[None]:
    """Send this package's messages to a job's log file.

    A UserError, or a disk that takes no more, ends the process with code 1 and its sentence on standard error and in
    the log; anything else is a fault of ours and keeps its traceback.
    """
    logging.basicConfig(
        filename=Path(log), filemode="w", level=logging.INFO, format="%(asctime)s %(message)s", force=True
    )
    log_of_job = logging.getLogger(__name__)
    try:
        yield
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
