"""What the loop asks of its parts. Each part can be replaced by another without touching the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from veriloop.attempts import Attempt, Check, Proposal, Request, Review, Violation
from veriloop.outcomes import VerifierResult
from veriloop.tasks import Answer, PaperCount, PaperRate, Source, Task


class Proposer(Protocol):
    """Produces candidates."""

    name: str
    synthetic: bool
    first_attempt: int

    def propose(self, request: Request) -> Proposal | None:
        """The next candidate; None when there is nothing more to propose."""


class Gate(Protocol):
    """Decides from the given program and the candidate alone what is not allowed."""

    def check(self, given: str, candidate: str) -> list[Violation]:
        """All violations; none means that the candidate may be verified."""


class Verifier(Protocol):
    """Runs a pinned toolchain on a program."""

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        """The outcome; faults are outcomes too, so nothing is raised for them."""


class Explainer(Protocol):
    """Finds out more about a program that was not proved."""

    def explain(self, program: str, result: VerifierResult) -> VerifierResult:
        """The same outcome with more to say; where nothing can be found out, the result as it is."""


class Acceptance(Protocol):
    """What must hold of an answer after the verifier accepted it."""

    def minimum(self, given: str) -> int:
        """The number of verified items below which nothing is accepted."""

    def check(self, given: str, candidate: str, *, code_frozen: bool) -> tuple[Check, ...]:
        """What each check says of a program that verified; faults of tools are states too."""


class Memory(Protocol):
    """Hands what one attempt found out to the next; one object per task."""

    def note(self, attempt: Attempt) -> None:
        """Take in a finished attempt."""

    def recall(self) -> str:
        """The text for the next prompt; empty before the first attempt."""


class Reviewer(Protocol):
    """A second opinion on a candidate that the verifier accepts."""

    def review(self, task: Task, candidate: str) -> Review:
        """Whether the candidate is refused, and why."""


class AttemptLog(Protocol):
    """The journal as the loop sees it."""

    def find(self, task: Task, number: int, prompt_sha256: str) -> Attempt | None:
        """The finished attempt that answers exactly this prompt; None where it is still to be made."""

    def append(self, attempt: Attempt) -> None:
        """Keep a finished attempt; it is on disk when this returns."""


class BenchmarkLoader(Protocol):
    """Loads a benchmark: what a module under veriloop/benchmarks offers as `Loader`."""

    version: str
    source: Source
    has_ground_truths: bool
    answer_models: tuple[str, ...]
    paper_rates: tuple[PaperRate, ...]
    paper_counts: tuple[PaperCount, ...]

    def tasks(self) -> list[Task]:
        """All tasks, in the benchmark's own order."""

    def answers(self, model: str) -> list[Answer]:
        """The recorded answers of one of `answer_models`."""


@dataclass(frozen=True)
class ProposerContext:
    """What a proposer may use beside its options: seeded chance and recorded answers by task id."""

    rng: Callable[[str, int], np.random.Generator]
    answers: Mapping[str, str] = field(default_factory=dict)
