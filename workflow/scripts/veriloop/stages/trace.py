"""From a number back to the journal rows that it was made of."""

from __future__ import annotations

import csv
from pathlib import Path

from veriloop.errors import UserError
from veriloop.loop.journal import read_journal

TRACED = ("rates.csv", "by_attempt.csv")
"""Tables whose rows are whole cells: a benchmark, arm and model."""


def trace(table: Path, row: int) -> str:
    """The journal rows behind a row of a table, one line each: file and line, task, attempt, verdict, outcome.

    Args:
        table: a table under results/tables/EXPERIMENT/.
        row: its number, from 1, the heading not counted.

    Raises:
        UserError: no such table or row, a table whose rows are no cells, or journals that are gone.
    """
    if table.name not in TRACED:
        raise UserError(f"{table}: its rows cannot be traced; name one of {', '.join(TRACED)} beside it")
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise UserError(f"{table}: cannot be read ({error}); name a table under results/tables/") from None
    if not 1 <= row <= len(rows):
        raise UserError(f"{table}: has rows 1 to {len(rows)}, and no row {row}")
    found = rows[row - 1]
    experiment = table.resolve().parent
    parts = [experiment.name, found["benchmark"], found["arm"], found["model"]]
    folder = experiment.parents[1].joinpath("run", *parts)
    journals = sorted(folder.rglob("*.jsonl"))
    if not journals:
        raise UserError(f"{folder}: has no journals; run the experiment again, finished attempts are not made twice")
    head = ", ".join(f"{name}={value}" for name, value in found.items() if value)
    return "\n".join([f"{table}, row {row}: {head}", *(line for path in journals for line in _lines(path))])


def _lines(journal: Path) -> list[str]:
    lines: list[str] = []
    for number, attempt in enumerate(read_journal(journal), start=1):
        said = attempt.result.outcome if attempt.result else "gate" if attempt.violations else "none"
        what = f"{attempt.task}, attempt {attempt.number}: {attempt.verdict} ({said})"
        lines.append(f"{journal}:{number}: {what}")
    return lines
