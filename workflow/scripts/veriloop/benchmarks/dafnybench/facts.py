"""The released facts of DafnyBench, joined on file names, as one committed table.

The release numbers its tasks in its metadata and again in its results; the two disagree on 102 tasks, so numbers
are ignored here.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path

from veriloop.outcomes import Record
from veriloop.tasks import PaperRate, Published, Task

FOLDER = Path(__file__).parent
FACTS = FOLDER / "facts.csv"
MODELS = ("claude-3-opus", "gpt-4-turbo", "gpt-4o", "gpt-3.5-turbo", "codellama-7b")
ATTEMPTS = 10
"""Attempts that each published model had (section 4.1); attempt 0 is the given program itself."""

PAPER_RATES = (
    PaperRate(model="claude-3-opus", percent=67.8, se_percent=1.7),
    PaperRate(model="gpt-4-turbo", percent=59.8, se_percent=1.8),
    PaperRate(model="gpt-4o", percent=59.3, se_percent=1.8),
    PaperRate(model="gpt-3.5-turbo", percent=44.0, se_percent=1.8),
    PaperRate(model="codellama-7b", percent=28.0, se_percent=1.6),
    PaperRate(
        model="none",
        percent=26.9,
        se_percent=None,
        note="not reproduced by the paper's own counts: 113 + 23 + 72 = 208 of 782 is 26.6",
    ),
)
"""Table 3 of the paper, in its order."""


class Fact(Record):
    """What the release says of one task. Sizes are in characters; `solved_at` is None for never."""

    name: str
    given_sha256: str
    ground_truth_sha256: str
    characters: int
    hint_characters: int
    lemmas: int
    functions: int
    methods: int
    has_requires: bool
    has_ensures: bool
    hint_free: bool
    solved_at: dict[str, int | None]

    def task(self) -> Task:
        """The task without its programs."""
        counted = {"characters", "hint_characters", "lemmas", "functions", "methods"}
        flags = {"has_requires", "has_ensures", "hint_free"}
        return Task(
            id=self.name,
            kind="recorded",
            facts=self.model_dump(include=counted | flags),
            published={"none": Published(attempt=0, solved=self.hint_free)}
            | {model: _published(attempt) for model, attempt in self.solved_at.items()},
        )


def _published(solved_at: int | None) -> Published:
    return Published(attempt=ATTEMPTS if solved_at is None else solved_at, solved=solved_at is not None)


def to_row(fact: Fact) -> dict[str, str]:
    """One line of the table."""
    plain = fact.model_dump(exclude={"solved_at"})
    row = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in plain.items()}
    return row | {m: "" if fact.solved_at[m] is None else str(fact.solved_at[m]) for m in MODELS}


@functools.cache
def _facts() -> tuple[Fact, ...]:
    with FACTS.open(encoding="utf-8", newline="") as rows:
        return tuple(_from_row(row) for row in csv.DictReader(rows))


def read_facts() -> list[Fact]:
    """All 782 tasks in the order of their names."""
    return list(_facts())


def _from_row(row: dict[str, str]) -> Fact:
    solved = {model: int(row[model]) if row[model] else None for model in MODELS}
    return Fact.model_validate({k: v for k, v in row.items() if k not in MODELS} | {"solved_at": solved})
