"""One proposal and all that was found out about it: a row of the journal."""

from __future__ import annotations

from typing import Literal

from veriloop.outcomes import Record, Verdict, VerifierResult
from veriloop.tasks import Source, Task


class Violation(Record):
    """Something that the gate does not allow.

    Attributes:
        kind: a short word for counting.
        sentence: what a person can act on.
        given_line: the place in the given program, from 1, or None where there is none.
        candidate_line: the place in the candidate, from 1, or None where there is none.
        cheating: whether it is a construct that goes around the verifier.
    """

    kind: str
    sentence: str
    given_line: int | None = None
    candidate_line: int | None = None
    cheating: bool = False


class Check(Record):
    """What one check of acceptance found out about a program that verified.

    Attributes:
        name: which check; `veriloop.acceptance` tells what each asks for.
        state: `not_applicable` where the check can say nothing about this program, `fault` where the tool failed.
        explanation: what a person can act on; empty for `passed`.
    """

    name: Literal["assumptions", "translation", "vacuity"]
    state: Literal["passed", "failed", "not_applicable", "fault"]
    explanation: str = ""


class Request(Record):
    """What a proposer gets: the task, the number of the attempt, and the prompt with what was remembered."""

    task: Task
    attempt: int
    prompt: str


class Proposal(Record):
    """What a proposer gives back: a program, or None with the reason why there is none."""

    text: str | None
    reason: str = ""


class Review(Record):
    """A reviewer's opinion: whether the candidate is refused, and why."""

    refused: bool
    reason: str


class Attempt(Record):
    """A row of the journal.

    Attributes:
        task: the task's id.
        task_sha256: hash of the task's content; a row of another content is another task's.
        number: 0 for the given program itself, else from 1.
        source: where the verdict comes from; see tasks.Source.
        proposer: which part proposed.
        synthetic: whether the answer was made from the ground truth; such rows say nothing about a model.
        prompt_sha256: hash of the prompt, empty where there was none.
        candidate: the program, or None where there was none.
        reason: why there was no program.
        violations: what the gate found; a candidate with violations is not verified.
        result: what the verifier said.
        checks: what acceptance said of a program that verified.
        review: what the reviewer said, if one was asked.
        verdict: what the attempt is worth.
    """

    task: str
    task_sha256: str
    number: int
    source: Source
    proposer: str
    synthetic: bool
    prompt_sha256: str = ""
    candidate: str | None = None
    reason: str = ""
    violations: tuple[Violation, ...] = ()
    result: VerifierResult | None = None
    checks: tuple[Check, ...] = ()
    review: Review | None = None
    verdict: Verdict
