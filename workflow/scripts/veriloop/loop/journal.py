"""The journal: an append-only record of attempts, the only source of every number.

The live journal of a run lies outside of what the workflow manages, in a folder named by the content hash of
everything that can change an attempt. Each writer has a file of its own there; every reader reads them all, so that
cutting a benchmark into other shards, or running another experiment of the same content, pays for nothing twice.
A row is complete or absent: it is on disk before the next attempt begins, and a torn last line is cut off.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from veriloop.append_only import AppendOnlyFile
from veriloop.attempts import Attempt
from veriloop.errors import UserError
from veriloop.outcomes import Verdict
from veriloop.tasks import Task, write_records


class Journal:
    """The live journal of one content key, open for one writer."""

    def __init__(self, folder: Path, writer: str) -> None:
        """Open the folder's journal.

        Args:
            folder: the content key's folder; made if it is not there.
            writer: the name of this writer's file, without ending.
        """
        self._file = AppendOnlyFile(folder, writer)
        self._rows: dict[tuple[str, str, int, str], Attempt] = {}

    def __enter__(self) -> Self:
        """Lock the own file, cut off a torn line, and read what every writer has left."""
        for path in self._file.__enter__().all_paths():
            for attempt in read_journal(path):
                self._keep(attempt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; the lock goes with it."""
        self._file.__exit__(kind, error, trace)

    def find(self, task: Task, number: int, prompt_sha256: str) -> Attempt | None:
        """The attempt of this number that answers exactly this prompt, this writer's own first.

        The prompt carries what the attempts before left, so rows of two writers are never mixed into one chain.
        """
        return self._rows.get((task.id, task.sha256(), number, prompt_sha256))

    def append(self, attempt: Attempt) -> None:
        """Write a row, and return when it is on disk.

        Raises:
            UserError: the disk is full or read-only; what was written before stays.
        """
        self._file.append(attempt.model_dump_json())
        self._keep(attempt)

    def _keep(self, row: Attempt) -> None:
        """Remember a row, unless it was not scored: such an attempt is to be made again."""
        if row.verdict is not Verdict.NOT_SCORED:
            self._rows.setdefault((row.task, row.task_sha256, row.number, row.prompt_sha256), row)


def read_journal(path: Path) -> list[Attempt]:
    """All complete rows of a journal file; what follows the last line end is torn and left out.

    Raises:
        UserError: a complete line is not a row.
    """
    lines = path.read_bytes().split(b"\n")[:-1]
    rows: list[Attempt] = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(Attempt.model_validate_json(line))
        except ValidationError:
            raise UserError(
                f"{path}, line {number}: not a row of this version's journal; "
                "move the file away (its attempts will be made again), or use the version that wrote it"
            ) from None
    return rows


def seal(path: Path, attempts: Iterable[Attempt]) -> None:
    """Write the finished copy of a run's rows, atomically."""
    write_records(path, attempts)
