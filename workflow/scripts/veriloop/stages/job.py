"""What every script is wrapped in: a log file, and a sentence instead of a traceback for a person's mistake."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veriloop.errors import UserError


@contextmanager
def job(log: str) -> Iterator[None]:
    """Send this package's messages to a job's log file.

    A UserError ends the process with code 1 and its sentence on standard error and in the log; anything else is a
    fault of ours and keeps its traceback.
    """
    logging.basicConfig(
        filename=Path(log), filemode="w", level=logging.INFO, format="%(asctime)s %(message)s", force=True
    )
    try:
        yield
    except UserError as error:
        logging.getLogger(__name__).error("%s", error)  # noqa: TRY400 - a sentence, not a traceback
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from None
    except Exception:
        logging.getLogger(__name__).exception("a fault of veriloop; please report it")
        raise
