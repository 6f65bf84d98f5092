"""What every script is wrapped in: a log file, and a sentence instead of a traceback for a person's mistake."""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from veriloop.errors import UserError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
"""What a full or read-only disk says."""


def _end(sentence: str) -> NoReturn:
    """End the process with a sentence and no traceback; a log that cannot be written either is done without."""
    with suppress(OSError):
        logging.getLogger(__name__).error("%s", sentence)
    sys.stderr.write(f"{sentence}\n")
    raise SystemExit(1) from None


@contextmanager
def job(log: str) -> Iterator[None]:
    """Send this package's messages to a job's log file.

    A UserError, or a disk that takes no more, ends the process with code 1 and its sentence on standard error and in
    the log; anything else is a fault of ours and keeps its traceback.
    """
    logging.basicConfig(
        filename=Path(log), filemode="w", level=logging.INFO, format="%(asctime)s %(message)s", force=True
    )
    try:
        yield
    except UserError as error:
        _end(str(error))
    except OSError as error:
        if error.errno not in NO_ROOM:
            logging.getLogger(__name__).exception("a fault of veriloop; please report it")
            raise
        _end(
            f"{error.filename or 'results'}: {error.strerror}; make room or set its permissions right, then run again "
            "with --rerun-incomplete: finished attempts are not made twice"
        )
    except Exception:
        logging.getLogger(__name__).exception("a fault of veriloop; please report it")
        raise
