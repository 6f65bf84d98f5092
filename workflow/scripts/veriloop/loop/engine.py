"""The loop over one task: propose, gate, verify, review, remember, until accepted or out of attempts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from veriloop.attempts import Attempt, Check, Proposal, Request, Review, Violation
from veriloop.loop.feedback import render_prompt
from veriloop.outcomes import FAULTS, Outcome, Verdict, VerifierResult
from veriloop.protocols import Acceptance, AttemptLog, Explainer, Gate, Memory, Proposer, Reviewer, Verifier
from veriloop.tasks import Task, text_sha256

WORTH = {"assumptions": Verdict.CHEATING, "translation": Verdict.REJECTED, "vacuity": Verdict.VACUOUS}
"""What an answer is worth of which a check of acceptance does not hold."""


@dataclass(frozen=True)
class Parts:
    """The parts of a loop and its bounds; see config.schema.LoopConfig for the numbers."""

    proposer: Proposer
    gate: Gate
    verifier: Verifier
    explainer: Explainer
    acceptance: Acceptance
    make_memory: Callable[[], Memory]
    reviewer: Reviewer | None
    prompt: str
    max_attempts: int
    fault_retries: int


def work_at(task: Task, parts: Parts, log: AttemptLog) -> list[Attempt]:
    """Make the task's attempts; those that the journal holds already are taken from it, not made again.

    Args:
        task: what to solve.
        parts: who does it.
        log: where finished attempts are kept.

    Returns:
        All attempts of the task, in order; the last one is accepted, or the attempts are used up.
    """
    memory = parts.make_memory()
    made: list[Attempt] = []
    first = parts.proposer.first_attempt
    for number in range(first, first + parts.max_attempts):
        prompt = render_prompt(parts.prompt, task, memory.recall())
        attempt = log.find(task, number, text_sha256(prompt))
        if attempt is None:
            attempt = _attempt(task, number, parts, prompt)
            if attempt is None:
                break
            log.append(attempt)
        made.append(attempt)
        memory.note(attempt)
        if attempt.verdict is Verdict.ACCEPTED:
            break
    return made


def _attempt(task: Task, number: int, parts: Parts, prompt: str) -> Attempt | None:
    """One attempt, or None when the proposer has nothing more to propose."""
    proposal = parts.proposer.propose(Request(task=task, attempt=number, prompt=prompt))
    if proposal is None:
        return None
    candidate = _encodable(proposal)
    violations: list[Violation] = []
    result: VerifierResult | None = None
    checks: tuple[Check, ...] = ()
    review: Review | None = None
    if candidate is not None:
        violations = parts.gate.check(task.given, candidate)
        if not violations:
            result = parts.explainer.explain(candidate, _verify(candidate, task, parts))
        if result and result.outcome is Outcome.VERIFIED:
            checks = _accept(candidate, task, parts)
        if verdict_of(violations, result, checks, None) is Verdict.ACCEPTED and parts.reviewer:
            review = parts.reviewer.review(task, candidate)
    return Attempt(
        task=task.id,
        task_sha256=task.sha256(),
        number=number,
        source="live",
        proposer=parts.proposer.name,
        synthetic=parts.proposer.synthetic,
        prompt_sha256=text_sha256(prompt),
        candidate=candidate,
        reason=proposal.reason,
        violations=tuple(violations),
        result=result,
        checks=checks,
        review=review,
        verdict=verdict_of(violations, result, checks, review),
    )


def _encodable(proposal: Proposal) -> str | None:
    """The proposed text; what UTF-8 cannot hold (lone surrogates from a broken answer) becomes a question mark."""
    return None if proposal.text is None else proposal.text.encode("utf-8", "replace").decode()


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
    violations: Sequence[Violation], result: VerifierResult | None, checks: Sequence[Check], review: Review | None
) -> Verdict:
    """What an attempt is worth, by the table of verdicts in CONTRIBUTING.

    Args:
        violations: the gate's findings.
        result: the verifier's answer; None where nothing was verified.
        checks: what acceptance said of a program that verified.
        review: the reviewer's opinion; None where nobody was asked.
    """
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
    return Verdict.CHEATING if review and review.refused else Verdict.ACCEPTED
