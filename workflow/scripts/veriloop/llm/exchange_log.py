"""Answered questions, kept on disk as soon as they are answered: nothing is paid for twice.

They are found by all that decides an answer: endpoint, exact request, and which sample of it is wanted. Code, gate and
arm are not in it, so that a change there asks no model again, and arms share the answers that they have in common. Each
writer has a file of its own; every reader reads them all.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from veriloop.append_only import AppendOnlyFile
from veriloop.errors import UserError
from veriloop.exchanges import Exchange


class ExchangeLog:
    """The log of one endpoint and model, open for one writer process; its threads may use it at once."""

    def __init__(self, folder: Path, writer: str) -> None:
        """Name the log.

        Args:
            folder: where all writers of this endpoint and model have their files.
            writer: the name of this writer's file, without ending.
        """
        self._file = AppendOnlyFile(folder, writer)
        self._places: dict[str, tuple[Path, int]] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Lock the own file, and find out what is answered already; this writer's own answers come first."""
        for path in self._file.__enter__().all_paths():
            self._index(path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.__exit__(kind, error, trace)

    def find(self, key: str) -> Exchange | None:
        """What came of this question earlier; None where it is to be asked."""
        with self._lock:
            place = self._places.get(key)
        if place is None:
            return None
        path, start = place
        with path.open("rb") as file:
            file.seek(start)
            try:
                return Exchange.model_validate(json.loads(file.readline())["exchange"])
            except (ValueError, KeyError, TypeError, ValidationError):
                raise UserError(
                    f"{path}, byte {start}: not an exchange of this version; move the file away (its questions will be "
                    "asked again), or use the version that wrote it"
                ) from None

    def append(self, key: str, exchange: Exchange) -> None:
        """Keep an answered question; it is on disk when this returns.

        Raises:
            UserError: the disk is full or read-only.
        """
        line = json.dumps({"key": key, "exchange": exchange.model_dump(mode="json")})
        with self._lock:
            start = self._file.path.stat().st_size
            self._file.append(line)
            self._places[key] = (self._file.path, start)

    def _index(self, path: Path) -> None:
        """The keys of a file by their places; what follows the last line end is torn and left out."""
        start = 0
        with path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    self._places.setdefault(_key_of(line, path, start), (path, start))
                start += len(line)


def _key_of(line: bytes, path: Path, start: int) -> str:
    try:
        return str(json.loads(line)["key"])
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path}, byte {start}: not a line of an exchange log; move the file away") from None
