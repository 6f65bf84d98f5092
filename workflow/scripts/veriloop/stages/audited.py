"""Recorded answers under a gate, as sealed journals: whether an answer verifies is the release's word, or ours.

Without a verifier a gate is told apart from everything else that a live run would change. With `audit.verify` each
answer that a gate lets pass has been verified once, for all arms (stages.verified), and counts only if it verified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from veriloop.attempts import Attempt
from veriloop.config.schema import Experiment
from veriloop.dafny.scan import MisfitError
from veriloop.dafny.structure import structure
from veriloop.loop.engine import verdict_of
from veriloop.loop.journal import read_journal, seal
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
        verified: what came of verifying them, by task; None where nothing is verified.
    """

    proposer: str
    published: str | None
    texts: dict[str, str]
    verified: Mapping[str, Attempt] | None = None


@dataclass(frozen=True)
class Credited:
    """The answer for which a task is credited, or what it is worth that there is none to be judged.

    Attributes:
        number: the attempt that the release reports.
        candidate: the answer; None where there is none to be judged.
        verdict: what the task is worth then.
        reason: why.
    """

    number: int
    candidate: str | None = None
    verdict: Verdict = Verdict.NOT_SCORED
    reason: str = ""


def read_recorded(
    experiment: Experiment, tasks: Sequence[Task], answers: Path, model: str, verified: Sequence[Path] = ()
) -> Answers:
    """A model's recorded answers.

    Args:
        experiment: the resolved experiment.
        tasks: the benchmark's tasks; the ground truths are theirs.
        answers: the recorded answers of the models that are replayed.
        model: the model's name.
        verified: the sealed journals of their verification, where the experiment verifies.
    """
    config = experiment.models[model]
    published = parts.answers_of(model, config)
    if published is None:
        texts = {task.id: task.ground_truth for task in tasks if task.ground_truth is not None}
    else:
        texts = {answer.task: answer.text for answer in read_answers(answers) if answer.model == published}
    found = {attempt.task: attempt for path in verified for attempt in read_journal(path)}
    return Answers(config.proposer, published, texts, found if experiment.audit.verify else None)


def audited(
    config: Path, tasks: Path, answers: Path, verified: Sequence[Path], arm: str, model: str, output: Path
) -> None:
    """Write one row per task: what an arm's gate says of the answer for which the release credits a model.

    Args:
        config: the resolved experiment.
        tasks: the benchmark's tasks, with what is published of each.
        answers: the recorded answers of the models that are replayed.
        verified: the sealed journals of their verification; none where nothing is verified.
        arm: the arm's name.
        model: the model's name.
        output: the sealed journal.
    """
    experiment = Experiment.read(config)
    known = read_tasks(tasks)
    gate = parts.gate(experiment.arms[arm].gate, f"arms.{arm}")
    found = read_recorded(experiment, known, answers, model, verified)
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
    found = credited(task, answers)
    if found.candidate is None:
        return _row(task, answers, found.number, verdict=found.verdict, reason=found.reason)
    violations = gate.check(task.given, found.candidate)
    if violations:
        judged: dict[str, object] = {"verdict": verdict_of(violations, None, (), None), "violations": tuple(violations)}
    else:
        judged = _verified(task, answers)
    return _row(task, answers, found.number, candidate=found.candidate, **judged)


def credited(task: Task, answers: Answers) -> Credited:
    """The answer for which the release credits a model with a task, or why there is none to be judged."""
    missing = "no answer was recorded for this task"
    if answers.published is None:
        return Credited(1, answers.texts.get(task.id), reason=missing)
    reported = task.published[answers.published]
    damaged = damage(task)
    if damaged:
        return Credited(reported.attempt, reason=damaged)
    if not reported.solved:
        reason = "the release reports it as not solved; the answer was not judged"
        return Credited(reported.attempt, verdict=Verdict.REJECTED, reason=reason)
    # Attempt 0 is the given program itself; the recorded answer is then another text, made later.
    candidate = task.given if reported.attempt == 0 else answers.texts.get(task.id)
    return Credited(reported.attempt, candidate, reason=missing)


def _verified(task: Task, answers: Answers) -> dict[str, object]:
    """What an answer is worth that the gate lets pass, and what was found out about it."""
    if answers.verified is None:
        return {"verdict": Verdict.ACCEPTED}
    found = answers.verified.get(task.id)
    if found is None:
        return {"verdict": Verdict.NOT_SCORED, "reason": "the answer was not verified"}
    return {"verdict": found.verdict, "result": found.result, "checks": found.checks}


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
