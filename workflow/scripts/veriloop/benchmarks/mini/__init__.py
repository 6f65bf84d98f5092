"""`mini`: small fill-hints tasks of our own, in syntax that every pinned Dafny accepts."""

from __future__ import annotations

import csv
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from veriloop.dafny.members import target_of
from veriloop.errors import UserError
from veriloop.registry import nearest
from veriloop.tasks import Answer, PaperCount, PaperRate, Source, Task, read_program

TASKS = Path(__file__).parent / "tasks"


class Options(BaseModel):
    """`tasks`: the ids of the tasks that are wanted; None means all."""

    model_config = ConfigDict(extra="forbid")

    tasks: list[str] | None = None


class Loader:
    """Reads the tasks beside this file."""

    version = "2"
    source: Source = "live"
    has_ground_truths = True
    answer_models: tuple[str, ...] = ()
    paper_rates: tuple[PaperRate, ...] = ()
    paper_counts: tuple[PaperCount, ...] = ()

    def __init__(self, options: Options) -> None:
        self.options = options

    def tasks(self) -> list[Task]:
        """The tasks in the order of tasks.csv; `hint_free` is measured, and held by a test.

        Raises:
            UserError: a task is wanted that there is not.
        """
        with (TASKS / "tasks.csv").open(encoding="utf-8", newline="") as file:
            rows = {row["task"]: row for row in csv.DictReader(file)}
        wanted = rows if self.options.tasks is None else self.options.tasks
        for task in wanted:
            if task not in rows:
                raise UserError(f"benchmark mini, options.tasks: there is no task {task!r}; {nearest(task, rows)}")
        return [_task(row) for task, row in rows.items() if task in wanted]

    def answers(self, model: str) -> list[Answer]:  # noqa: ARG002 - the signature of every loader
        """No answers are recorded for this benchmark."""
        return []


def _task(row: dict[str, str]) -> Task:
    folder = TASKS / row["task"]
    given, truth = read_program(folder / "given.dfy"), read_program(folder / "ground_truth.dfy")
    facts: dict[str, int | float | bool | str] = {
        "topic": row["topic"],
        "hint_free": row["hint_free"] == "true",
        "characters": len(truth),
        "hint_characters": len(truth) - len(given),
    }
    return Task(
        id=row["task"],
        kind="fill_hints",
        given=given,
        ground_truth=truth,
        target=target_of(given),
        facts=facts,
    )
