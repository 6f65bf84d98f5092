"""`mini`: small fill-hints tasks of our own, in syntax that every pinned Dafny accepts."""

from __future__ import annotations

import csv
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from veriloop.tasks import Answer, PaperRate, Task, read_program

TASKS = Path(__file__).parent / "tasks"


class Options(BaseModel):
    """Nothing to set."""

    model_config = ConfigDict(extra="forbid")


class Loader:
    """Reads the tasks beside this file."""

    version = "1"
    has_programs = True
    has_ground_truths = True
    answer_models: tuple[str, ...] = ()
    paper_rates: tuple[PaperRate, ...] = ()

    def __init__(self, options: Options) -> None:
        self.options = options

    def tasks(self) -> list[Task]:
        """All tasks, in the order of tasks.csv; `hint_free` is measured, and held by a test."""
        with (TASKS / "tasks.csv").open(encoding="utf-8", newline="") as rows:
            return [_task(row) for row in csv.DictReader(rows)]

    def answers(self, model: str) -> list[Answer]:  # noqa: ARG002 - the signature of every loader
        """No answers are recorded for this benchmark."""
        return []


def _task(row: dict[str, str]) -> Task:
    folder = TASKS / row["task"]
    return Task(
        id=row["task"],
        kind="fill_hints",
        given=read_program(folder / "given.dfy"),
        ground_truth=read_program(folder / "ground_truth.dfy"),
        facts={"topic": row["topic"], "hint_free": row["hint_free"] == "true"},
    )
