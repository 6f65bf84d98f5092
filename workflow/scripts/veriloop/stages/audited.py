"""Recorded answers under a gate, as sealed journals: whether an answer verifies is the release's word.

Nothing is verified here, so that a gate is told apart from everything else that a live run would change.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from veriloop.attempts import Attempt
from veriloop.config.schema import Experiment
from veriloop.dafny.scan import MisfitError
from veriloop.dafny.structure import structure
from veriloop.loop.engine import verdict_of
from veriloop.loop.journal import seal
from veriloop.outcomes import Verdict
from veriloop.protocols import Gate
from veriloop.stages import parts
from veriloop.tasks import Task, read_answers, read_tasks


@dataclass(frozen=True)
class Answers:
    """A model's recorded answers.

    Attributes:
        proposer: the part that they stand for.
        published: under which name the release reports the model; None for the ground truths, which count as solved.
        texts: the answers by task.
    """

    proposer: str
    published: str | None
    texts: dict[str, str]


def audited(config: Path, tasks: Path, answers: Path, arm: str, model: str, output: Path) -> None:
    """Write one row per task: what an arm's gate says of the answer for which the release credits a model.

    Args:
        config: the resolved experiment.
        tasks: the benchmark's tasks, with what is published of each.
        answers: the recorded answers of the models that are replayed.
        arm: the arm's name.
        model: the model's name.
        output: the sealed journal.
    """
    experiment = Experiment.read(config)
    model_config = experiment.models[model]
    published = parts.answers_of(model, model_config)
    known = read_tasks(tasks)
    if published is None:
        texts = {task.id: task.ground_truth for task in known if task.ground_truth is not None}
    else:
        texts = {answer.task: answer.text for answer in read_answers(answers) if answer.model == published}
    gate = parts.gate(experiment.arms[arm].gate, f"arms.{arm}")
    found = Answers(model_config.proposer, published, texts)
    seal(output, [row_of(task, found, gate) for task in known])


def row_of(task: Task, answers: Answers, gate: Gate) -> Attempt:
    """What a gate says of the answer to a task.

    Damaged tasks are not scored whatever the answer or the gate, so that all gates have the same tasks; of ground
    truths all are judged, since there the question is which pairs of given program and ground truth a gate lets pass.

    Args:
        task: the task.
        answers: the model's.
        gate: the arm's.
    """
    if answers.published is None:
        return _judged(task, answers, gate, 1, answers.texts.get(task.id))
    reported = task.published[answers.published]
    damaged = damage(task)
    if damaged:
        return _row(task, answers, reported.attempt, verdict=Verdict.NOT_SCORED, reason=damaged)
    if not reported.solved:
        reason = "the release reports it as not solved; the answer was not judged"
        return _row(task, answers, reported.attempt, verdict=Verdict.REJECTED, reason=reason)
    # Attempt 0 is the given program itself; the recorded answer is then another text, made later.
    candidate = task.given if reported.attempt == 0 else answers.texts.get(task.id)
    return _judged(task, answers, gate, reported.attempt, candidate)


def damage(task: Task) -> str:
    """Why a task's given program is no program, so that nobody can say what an answer may add; empty if it is one."""
    flag = next((flag for flag in task.flags if flag.name == "does_not_parse"), None)
    try:
        structure(task.given)
    except MisfitError as misfit:
        what = misfit.reason
    else:
        what = f"it does not parse or resolve on {flag.found_by}" if flag else ""
    return f"the given program was damaged before any model saw it: {what}" if what else ""


def _judged(task: Task, answers: Answers, gate: Gate, number: int, candidate: str | None) -> Attempt:
    if candidate is None:
        reason = "no answer was recorded for this task"
        return _row(task, answers, number, verdict=Verdict.NOT_SCORED, reason=reason)
    violations = gate.check(task.given, candidate)
    verdict = verdict_of(violations, None, (), None) if violations else Verdict.ACCEPTED
    return _row(task, answers, number, verdict=verdict, candidate=candidate, violations=tuple(violations))


def _row(task: Task, answers: Answers, number: int, **found: object) -> Attempt:
    return Attempt.model_validate(
        {
            "task": task.id,
            "task_sha256": task.sha256(),
            "number": number,
            "source": "audited",
            "proposer": answers.proposer,
            "synthetic": answers.published is None,
        }
        | found
    )
