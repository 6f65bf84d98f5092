"""The released facts of DafnyBench, joined on file names, as one committed table.

The release numbers its tasks in its metadata and again in its results; the two disagree on 102 tasks, so numbers
are ignored here.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path

from veriloop.outcomes import Record
from veriloop.tasks import Flag, PaperCount, PaperRate, Published, Task

FOLDER = Path(__file__).parent
FACTS = FOLDER / "facts.csv"
FLAGS = FOLDER / "flags.csv"
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

PAPER_COUNTS = (
    PaperCount(measure="methods", mean=2.12, maximum=42),
    PaperCount(measure="functions", mean=1.03, maximum=42),
    PaperCount(measure="lemmas", mean=1.40, maximum=35),
)
"""Table 2 of the paper; the released metadata gives other numbers."""


class Fact(Record):
    """What the release says of one task. Sizes are in characters; `solved_at` is None for never.

    `result_row` is the task's place in the release's files of results, from 0; the metadata is in the order of names.
    """

    name: str
    result_row: int
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
        # The published figure 4 pairs row i of the results with row i of the metadata, which is another task's on 102
        # rows; the sizes that a task has there are kept beside its own.
        paired = read_facts()[self.result_row].model_dump(include={"characters", "hint_characters", "lemmas"})
        return Task(
            id=self.name,
            kind="recorded",
            facts=self.model_dump(include=counted | flags) | {f"paired_{k}": v for k, v in paired.items()},
            published={"none": Published(attempt=0, solved=self.hint_free)}
            | {model: _published(attempt) for model, attempt in self.solved_at.items()},
            flags=read_flags().get(self.name, ()),
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


@functools.cache
def read_flags() -> dict[str, tuple[Flag, ...]]:
    """What was found wrong with each task when all programs were at hand; see README.md."""
    found: dict[str, tuple[Flag, ...]] = {}
    with FLAGS.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            one = Flag(name=row["flag"], detail=row["detail"], found_by=row["found_by"])
            found[row["task"]] = (*found.get(row["task"], ()), one)
    return found


def read_facts() -> list[Fact]:
    """All 782 tasks in the order of their names."""
    return list(_facts())


def _from_row(row: dict[str, str]) -> Fact:
    solved = {model: int(row[model]) if row[model] else None for model in MODELS}
    return Fact.model_validate({k: v for k, v in row.items() if k not in MODELS} | {"solved_at": solved})
