"""The loop over one task: propose, gate, verify, review, remember, until accepted or out of attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from veriloop.attempts import (
    NOT_ITS_DOING,
    Attempt,
    Check,
    Missing,
    Proposal,
    Recollection,
    Request,
    Review,
    Violation,
)
from veriloop.loop.prompts import render_proposal
from veriloop.outcomes import FAULTS, Outcome, Verdict, VerifierResult
from veriloop.protocols import Acceptance, AttemptLog, Explainer, Gate, Memory, Proposer, Reviewer, Verifier
from veriloop.tasks import Task, text_sha256

WORTH = {"assumptions": Verdict.CHEATING, "translation": Verdict.REJECTED, "vacuity": Verdict.VACUOUS}
"""What an answer is worth of which a check of acceptance does not hold."""


@dataclass(frozen=True)
class Parts:
    """The parts of a loop and its bounds; see config.schema.LoopConfig for the settings.

    `turns` is held while an answer is checked and explained: tasks may be worked at by many threads, since a language
    model takes long to answer, but only so many verifiers run at once.
    """

    proposer: Proposer
    gate: Gate
    verifier: Verifier
    explainer: Explainer
    acceptance: Acceptance
    make_memory: Callable[[Task], Memory]
    reviewer: Reviewer | None
    prompts: Mapping[str, str]
    max_attempts: int
    independent: bool
    fault_retries: int
    turns: AbstractContextManager[object]


@dataclass(frozen=True)
class _Findings:
    """What gate, verifier, acceptance and reviewer found out about an answer."""

    violations: tuple[Violation, ...] = ()
    result: VerifierResult | None = None
    checks: tuple[Check, ...] = ()
    review: Review | None = None
    repeats: int | None = None


def work_at(task: Task, parts: Parts, log: AttemptLog) -> list[Attempt]:
    """Make the task's attempts; those that the journal holds already are taken from it, not made again.

    Args:
        task: what to solve.
        parts: who does it.
        log: where finished attempts are kept.

    Returns:
        All attempts of the task, in order. The last one is accepted, or the attempts are used up, or no language model
        answers any more; independent samples go on after an accepted one.
    """
    memory = parts.make_memory(task)
    made: list[Attempt] = []
    first = parts.proposer.first_attempt
    for number in range(first, first + parts.max_attempts):
        recalled = memory.recall(number)
        prompt = render_proposal(parts.prompts["propose"], task, recalled.text)
        attempt = log.find(task, number, text_sha256(prompt))
        if attempt is None:
            attempt = _attempt(task, number, parts, prompt, recalled, made)
            if attempt is None:
                break
            log.append(attempt)
        made.append(attempt)
        memory.note(attempt)
        if _is_last(attempt, parts):
            break
    return made


def _is_last(attempt: Attempt, parts: Parts) -> bool:
    if attempt.missing == "infra_fault" or (attempt.review is not None and attempt.review.state == "fault"):
        return True
    return attempt.verdict is Verdict.ACCEPTED and not parts.independent


def _attempt(
    task: Task, number: int, parts: Parts, prompt: str, recalled: Recollection, made: Sequence[Attempt]
) -> Attempt | None:
    """One attempt, or None when the proposer has nothing more to propose."""
    if recalled.fault:
        proposal: Proposal | None = Proposal(text=None, missing="infra_fault", reason=recalled.fault)
    else:
        proposal = parts.proposer.propose(Request(task=task, attempt=number, prompt=prompt))
    if proposal is None:
        return None
    candidate = _encodable(proposal)
    found = _Findings() if candidate is None else _findings(candidate, task, number, parts, made)
    reviewed = found.review.exchanges if found.review is not None and found.repeats is None else ()
    return Attempt(
        task=task.id,
        task_sha256=task.sha256(),
        number=number,
        source="live",
        proposer=parts.proposer.name,
        synthetic=parts.proposer.synthetic,
        prompt_sha256=text_sha256(prompt),
        memory=recalled.text,
        candidate=candidate,
        missing=proposal.missing,
        reason=proposal.reason,
        repeats=found.repeats,
        violations=found.violations,
        result=found.result,
        checks=found.checks,
        review=found.review,
        exchanges=(*recalled.exchanges, *proposal.exchanges, *reviewed),
        verdict=verdict_of(found.violations, found.result, found.checks, found.review, missing=proposal.missing),
    )


def _encodable(proposal: Proposal) -> str | None:
    """The proposed text; what UTF-8 cannot hold (lone surrogates from a broken answer) becomes a question mark."""
    return None if proposal.text is None else proposal.text.encode("utf-8", "replace").decode()


def _findings(candidate: str, task: Task, number: int, parts: Parts, made: Sequence[Attempt]) -> _Findings:
    """Ask everyone about an answer, unless it is an earlier attempt's: that is known, and not asked again."""
    for earlier in made:
        if earlier.candidate == candidate and earlier.verdict is not Verdict.NOT_SCORED:
            repeats = earlier.number if earlier.repeats is None else earlier.repeats
            return _Findings(earlier.violations, earlier.result, earlier.checks, earlier.review, repeats)
    with parts.turns:
        violations = tuple(parts.gate.check(task.given, candidate))
        if violations:
            return _Findings(violations)
        result = parts.explainer.explain(candidate, _verify(candidate, task, parts))
        checks = _accept(candidate, task, parts) if result.outcome is Outcome.VERIFIED else ()
    review = None
    if parts.reviewer and verdict_of((), result, checks, None) is Verdict.ACCEPTED:
        review = parts.reviewer.review(task, number, candidate)
    return _Findings(result=result, checks=checks, review=review)


def _verify(candidate: str, task: Task, parts: Parts) -> VerifierResult:
    """Check a candidate; a fault of the tool or the machine is tried again a bounded number of times.

    Not so where two paths of the verifier contradict each other: that is to be looked at, not to go away.
    """
    minimum = max(task.minimum_verified, parts.acceptance.minimum(task.given))
    result = parts.verifier.verify(candidate, minimum)
    for _ in range(parts.fault_retries):
        if result.outcome not in FAULTS or result.contradicted is not None:
            break
        result = parts.verifier.verify(candidate, minimum)
    return result


def _accept(candidate: str, task: Task, parts: Parts) -> tuple[Check, ...]:
    """Ask acceptance; where a tool failed all is asked again a bounded number of times."""
    checks = parts.acceptance.check(task.given, candidate, code_frozen=task.code_frozen)
    for _ in range(parts.fault_retries):
        if all(check.state != "fault" for check in checks):
            break
        checks = parts.acceptance.check(task.given, candidate, code_frozen=task.code_frozen)
    return checks


def verdict_of(
    violations: Sequence[Violation],
    result: VerifierResult | None,
    checks: Sequence[Check],
    review: Review | None,
    *,
    missing: Missing = "",
) -> Verdict:
    """What an attempt is worth, by the table of verdicts in CONTRIBUTING.

    Args:
        violations: the gate's findings.
        result: the verifier's answer; None where nothing was verified.
        checks: what acceptance said of a program that verified.
        review: the reviewer's opinion; None where nobody was asked.
        missing: why there was no program; empty where there was one.
    """
    if missing:
        return Verdict.NOT_SCORED if missing in NOT_ITS_DOING else Verdict.REJECTED
    if violations:
        return Verdict.CHEATING if any(v.cheating for v in violations) else Verdict.REJECTED
    if result is None or result.outcome in FAULTS:
        return Verdict.NOT_SCORED
    if result.outcome is not Outcome.VERIFIED:
        return Verdict.REJECTED
    if any(check.state == "fault" for check in checks):
        return Verdict.NOT_SCORED
    failed = next((WORTH[check.name] for check in checks if check.state == "failed"), None)
    if failed is not None:
        return failed
    return _reviewed(review)


def _reviewed(review: Review | None) -> Verdict:
    if review is not None and review.state == "fault":
        return Verdict.NOT_SCORED
    return Verdict.CHEATING if review is not None and review.state == "refused" else Verdict.ACCEPTED
