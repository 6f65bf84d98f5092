"""What the loop asks of its parts. Each part can be replaced by another without touching the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from veriloop.attempts import Attempt, Check, Proposal, Recollection, Request, Review, Violation
from veriloop.exchanges import Exchange, Question
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


class Chat(Protocol):
    """Asks a language model; several threads may ask at once."""

    name: str
    synthetic: bool

    def ask(self, question: Question) -> Exchange:
        """What came of a question; that no answer came is in the exchange too.

        Raises:
            UserError: the endpoint, key, model name or budget is wrong, so that no question can be answered.
        """


class Memory(Protocol):
    """Hands what one attempt found out to the next; one object per task."""

    def note(self, attempt: Attempt) -> None:
        """Take in a finished attempt."""

    def recall(self, number: int) -> Recollection:
        """What attempt `number` is to know; it is the one after all that were noted."""


class Reviewer(Protocol):
    """A second opinion on a candidate that the verifier accepts."""

    def review(self, task: Task, number: int, candidate: str) -> Review:
        """Whether the candidate of attempt `number` is refused, and why."""


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
    """What a model may use beside its options.

    Attributes:
        rng: seeded chance, by task id and a number.
        answers: recorded answers by task id.
        tasks: the tasks by id, ground truths included: for models that are made of them, which are synthetic.
        seed: the run's seed.
        sampling: what the loop wants of each answer (config.schema.LoopConfig.sampling).
        budget: bounds of dollars and tokens for the experiment, by name; None: unbounded.
        experiment: its name, for what all its jobs share.
        model: the model's name in the experiment.
        job: a name that no other job of this machine has.
    """

    rng: Callable[[str, int], np.random.Generator]
    answers: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, Task] = field(default_factory=dict)
    seed: int = 0
    sampling: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, float | None] = field(default_factory=dict)
    experiment: str = ""
    model: str = ""
    job: str = ""


@dataclass(frozen=True)
class MemoryContext:
    """What a memory may use.

    Attributes:
        task: the task that it is for.
        chat: who writes for it; None where the model is no language model.
        prompts: the texts of the loop's prompt files, by name.
        describe: what was wrong with an attempt, in the words of the loop's feedback.
    """

    task: Task
    chat: Chat | None
    prompts: Mapping[str, str]
    describe: Callable[[Attempt], str]
