"""A task is one item of a benchmark: what is given, and what is known about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field

from veriloop.errors import UserError
from veriloop.outcomes import Record

Source = Literal["live", "audited", "published"]
"""Where a verdict comes from. `live`: gate and verifier were run here; `audited`: the gate was run here on a recorded
answer, and whether it verifies is the release's word; `published`: a release reports it, and nothing was run."""


class Published(Record):
    """What a release reports of a model on a task: the last attempt that it made, and whether that solved it."""

    attempt: int
    solved: bool


class Flag(Record):
    """Something to know of a task before one trusts a number that it is part of.

    Attributes:
        name: one of the words of stages.flag.
        detail: what was found, in a few words.
        found_by: `text`, or the toolchain that was run.
    """

    name: str
    detail: str
    found_by: str


class Task(Record):
    """One item of a benchmark.

    Attributes:
        id: unique within the benchmark.
        kind: `fill_hints` (a program to complete) or `recorded` (published facts only, no program here).
        given: the program as the proposer gets it; everything in it is frozen. Empty for `recorded`.
        ground_truth: a program that solves the task, or None.
        target: the name of what is to be proved, for prompts; empty where it is the whole program.
        minimum_verified: an answer with fewer verified items than this proves nothing.
        facts: numbers and flags known beforehand, such as sizes; never shown to a proposer.
        published: what a release reports, by model.
        flags: what is wrong with the task, as far as it is known before anything runs.
    """

    id: str
    kind: Literal["fill_hints", "recorded"]
    given: str = ""
    ground_truth: str | None = None
    target: str = ""
    minimum_verified: int = 1
    facts: dict[str, int | float | bool | str] = Field(default_factory=dict)
    published: dict[str, Published] = Field(default_factory=dict)
    flags: tuple[Flag, ...] = ()

    @property
    def code_frozen(self) -> bool:
        """Whether an answer must have the given program's executable code."""
        return self.kind == "fill_hints"

    def sha256(self) -> str:
        """Content hash of everything that can change an attempt at this task."""
        parts = [self.id, self.kind, self.given, self.ground_truth, self.minimum_verified]
        parts += [self.target] if self.target else []
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Answer(Record):
    """A recorded answer of a model to a task."""

    model: str
    task: str
    text: str


class PaperRate(Record):
    """A rate as a paper prints it, in percent, with its standard error and what is to be said about it."""

    model: str
    percent: float
    se_percent: float | None
    note: str = ""


class PaperCount(Record):
    """How often something occurs in a benchmark's programs, as a paper prints it."""

    measure: str
    mean: float
    maximum: int


class BenchmarkCard(Record):
    """What a benchmark is: version, number of tasks, where its verdicts come from, and what its paper prints."""

    name: str
    version: str
    n: int
    source: Source
    paper_rates: tuple[PaperRate, ...] = ()
    paper_counts: tuple[PaperCount, ...] = ()


def text_sha256(text: str) -> str:
    """The hash of the exact bytes that a program or a prompt has in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_program(path: Path) -> str:
    """Read a program, every byte of it: a byte order mark and line ends stay as they are.

    Raises:
        UserError: the file is missing, not UTF-8, or empty.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; the benchmark's folder is incomplete") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 at byte {error.start}; convert the file to UTF-8") from None
    if not text.strip("\ufeff \t\r\n"):
        raise UserError(f"{path}: empty; replace the file, or take the task out of the benchmark")
    return text


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON lines, atomically: the file is complete or untouched."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text("".join(r.model_dump_json() + "\n" for r in records), encoding="utf-8")
    part.replace(path)


def read_tasks(path: Path) -> list[Task]:
    """Read the task list that the curate stage wrote."""
    with path.open(encoding="utf-8") as lines:
        return [Task.model_validate_json(line) for line in lines]


def read_answers(path: Path) -> list[Answer]:
    """Read the recorded answers that the curate stage wrote; empty where a benchmark has none."""
    with path.open(encoding="utf-8") as lines:
        return [Answer.model_validate_json(line) for line in lines]


def shard_of(tasks: list[Task], shard: int, shards: int) -> list[Task]:
    """Every `shards`-th task beginning with number `shard` (0-based): a fixed slice of the benchmark."""
    return tasks[shard::shards]
