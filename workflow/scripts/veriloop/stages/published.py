"""Results that a release reports, as sealed journals like any other: from there on nobody tells them apart."""

from __future__ import annotations

from pathlib import Path

from veriloop.attempts import Attempt
from veriloop.loop.journal import seal
from veriloop.outcomes import Verdict
from veriloop.tasks import Task, read_tasks


def published(tasks: Path, model: str, output: Path) -> None:
    """Write one row per task: the attempt that is reported to have solved it, or the last one that did not.

    Args:
        tasks: the benchmark's tasks, with what is published of each.
        model: the published model.
        output: the sealed journal.
    """
    seal(output, [_row(task, model) for task in read_tasks(tasks)])


def _row(task: Task, model: str) -> Attempt:
    reported = task.published[model]
    return Attempt(
        task=task.id,
        task_sha256=task.sha256(),
        number=reported.attempt,
        source="published",
        proposer=model,
        synthetic=False,
        reason="published results only; the program is not part of them",
        verdict=Verdict.ACCEPTED if reported.solved else Verdict.REJECTED,
    )
