"""Files of lines that only grow, in a folder that several writers share: each has a file of its own and reads them all.

A line is on disk whole or not at all, and a torn last line is cut off.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from veriloop.errors import UserError


class AppendOnlyFile:
    """A writer's file, open for one process; its threads may append at once."""

    def __init__(self, folder: Path, writer: str) -> None:
        """Name the file; its folder is made when it is opened.

        Args:
            folder: what the writers share.
            writer: the name of this one's file, without ending.
        """
        self.path = folder / f"{writer}.jsonl"
        self._file: FileIO | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Lock the file and cut off a torn line.

        Raises:
            UserError: another process has it open.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("ab+", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise UserError(f"{self.path}: another run is writing it; wait for it, or end it") from None
        self._file.seek(0)
        whole = self._file.read().rpartition(b"\n")
        self._file.truncate(len(whole[0]) + len(whole[1]))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; the lock goes with it."""
        if self._file is not None:
            self._file.close()

    def all_paths(self) -> list[Path]:
        """The files of all writers, this one's first."""
        return [self.path, *sorted(path for path in self.path.parent.glob("*.jsonl") if path != self.path)]

    def append(self, line: str) -> None:
        """Write a line, and return when it is on disk.

        Raises:
            UserError: the disk is full or read-only; what was written before stays.
        """
        if self._file is None:
            raise RuntimeError(f"{self.path} is not open")
        with self._lock:
            whole = os.fstat(self._file.fileno()).st_size
            try:
                rest = memoryview(line.encode() + b"\n")
                while rest:
                    rest = rest[self._file.write(rest) :]
                os.fsync(self._file.fileno())
            except OSError as error:
                # Another thread may still find room, and its line must not continue this one.
                with suppress(OSError):
                    self._file.truncate(whole)
                raise UserError(f"{self.path}: cannot be written ({error}); make room, then run again") from None
