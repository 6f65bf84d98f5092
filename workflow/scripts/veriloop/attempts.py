"""One proposal and all that was found out about it: a row of the journal."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from veriloop.exchanges import Exchange
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


Missing = Literal["", "no_answer", "infra_fault", "empty", "without_code", "truncated", "refused", "too_long"]
"""Why there is no program, in a word; empty where there is one. `no_answer` and `infra_fault` are not its doing.
All else is the model's: an answer that is empty, has no code, was cut off or refuses, a prompt longer than it takes."""

NOT_ITS_DOING = frozenset({"no_answer", "infra_fault"})


class Request(Record):
    """What a proposer gets: the task, the number of the attempt, and the prompt with what was remembered."""

    task: Task
    attempt: int
    prompt: str


class Proposal(Record):
    """What a proposer gives back.

    Attributes:
        text: a program, or None.
        missing: why there is none.
        reason: the same in words; of a program, where in the answer it was found.
        exchanges: the questions to a language model behind it.
    """

    text: str | None
    missing: Missing = ""
    reason: str = ""
    exchanges: tuple[Exchange, ...] = ()

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.text is None) != bool(self.missing):
            raise ValueError("a proposal has a program, or says why it has none")
        return self


class Recollection(Record):
    """What a memory hands to the next attempt.

    Attributes:
        text: for the next prompt; empty before the first attempt.
        exchanges: the questions to a language model that made it.
        fault: why it could not be made; empty where it could.
    """

    text: str
    exchanges: tuple[Exchange, ...] = ()
    fault: str = ""


class Review(Record):
    """A reviewer's opinion.

    Attributes:
        state: `unreadable` where the reviewer said nothing that can be read as an opinion, which refuses nothing, as in
            the published loop; `fault` where no answer came.
        reason: why, in the reviewer's words.
        exchanges: the questions to a language model behind it.
    """

    state: Literal["passed", "refused", "unreadable", "fault"]
    reason: str = ""
    exchanges: tuple[Exchange, ...] = ()


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
        memory: what earlier attempts left in the prompt.
        candidate: the program, or None where there was none.
        missing: why there was no program, in a word.
        reason: the same in words; of a program, where in the answer it was found.
        repeats: number of the earlier attempt whose program this is; gate, verifier and reviewer were not asked again.
        violations: what the gate found; a candidate with violations is not verified.
        result: what the verifier said.
        checks: what acceptance said of a program that verified.
        review: what the reviewer said, if one was asked.
        exchanges: the questions to language models for this attempt, in their order, and what came back.
        verdict: what the attempt is worth.
    """

    task: str
    task_sha256: str
    number: int
    source: Source
    proposer: str
    synthetic: bool
    prompt_sha256: str = ""
    memory: str = ""
    candidate: str | None = None
    missing: Missing = ""
    reason: str = ""
    repeats: int | None = None
    violations: tuple[Violation, ...] = ()
    result: VerifierResult | None = None
    checks: tuple[Check, ...] = ()
    review: Review | None = None
    exchanges: tuple[Exchange, ...] = ()
    verdict: Verdict
