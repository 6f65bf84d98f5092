"""What an experiment can cost at most: every question that its loops could ask, at the longest that each can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from veriloop.config.schema import Experiment, LoopConfig
from veriloop.errors import UserError
from veriloop.llm.settings import ChatOptions
from veriloop.loop.feedback import MOST_CHARACTERS as FINDINGS
from veriloop.loop.memories.scratchpad import MOST_CHARACTERS as NOTES
from veriloop.report.tables import markdown
from veriloop.stages import parts
from veriloop.stages.plan import Plan
from veriloop.tasks import Task

BYTES_PER_CHARACTER = 4
"""UTF-8's longest; findings and notes are bounded in characters."""

USUAL_BYTES_PER_TOKEN = 4
ANSWER_TO_GIVEN = 2
"""A usual answer: the given program with its hints and some words."""


@dataclass(frozen=True)
class Amount:
    """Questions, and the tokens of their prompts and answers."""

    questions: int = 0
    prompt: int = 0
    answer: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.questions + other.questions, self.prompt + other.prompt, self.answer + other.answer)

    def times(self, number: int) -> Amount:
        """So many of it."""
        return Amount(self.questions * number, self.prompt * number, self.answer * number)


@dataclass(frozen=True)
class Bill:
    """What one model costs in an experiment: at most, and if all attempts are used up with usual answers."""

    model: str
    options: ChatOptions
    most: Amount
    usual: Amount

    def dollars(self, amount: Amount) -> float | None:
        """By the model file's prices, if it has any."""
        prices = self.options.prices
        return None if prices is None else prices.dollars(amount.prompt, amount.answer)


def cost_text(plan: Plan) -> str:
    """What the models behind endpoints cost at most, as a table; empty where an experiment asks none."""
    if not plan.endpoints:
        return ""
    try:
        tasks = [task for name in plan.live_benchmarks() for task in plan.loaders[name].tasks()]
    except UserError as error:
        return f"What the language models cost at most cannot be told: {error}"
    bills = [bill(plan.experiment, name, options, tasks) for name, options in plan.endpoints.items()]
    rows = [
        [b.model, f"{b.most.questions:,}", f"{b.most.prompt + b.most.answer:,}"]
        + ["no price" if dollars is None else f"{dollars:,.2f}" for dollars in (b.dollars(b.most), b.dollars(b.usual))]
        for b in bills
    ]
    table = markdown(["model", "questions", "tokens", "dollars at most", "dollars, usual answers"], rows)
    known = [dollars for b in bills if (dollars := b.dollars(b.most)) is not None]
    rest = "" if len(known) == len(bills) else " and what has no price"
    budget = plan.experiment.budget
    bounds = ", ".join(f"{name} {value:g}" for name, value in budget.model_dump().items() if value is not None)
    return "\n".join(
        [
            f"{plan.name}: language models, if no task is solved before its last attempt",
            "",
            table,
            "",
            f"In all at most {sum(known):,.2f} US dollars{rest}, "
            f"with a token for each byte of a prompt and every answer at its longest. Budget: {bounds or 'none'}.",
        ]
    )


def bill(experiment: Experiment, model: str, options: ChatOptions, tasks: Sequence[Task]) -> Bill:
    """What a model costs over all arms, seeds and tasks. An answer that arms share is counted for each."""
    most = usual = Amount()
    for arm in experiment.arms.values():
        longest = options.merged(arm.loop.sampling.model_dump()).max_tokens
        for task in tasks:
            given = len(task.given.encode())
            most += _sum(
                _questions(arm.loop, task, longest, FINDINGS * BYTES_PER_CHARACTER, NOTES * BYTES_PER_CHARACTER)
            )
            answer = min(longest, max(1, given * ANSWER_TO_GIVEN // USUAL_BYTES_PER_TOKEN))
            usual += _sum(_questions(arm.loop, task, answer, 0, 0), USUAL_BYTES_PER_TOKEN)
    seeds = len(experiment.seeds)
    return Bill(model, options, most.times(seeds), usual.times(seeds))


def _sum(questions: Iterator[tuple[int, int, int]], bytes_per_token: int = 1) -> Amount:
    total = Amount()
    for text_bytes, quoted_tokens, answer in questions:
        total += Amount(1, text_bytes // bytes_per_token + quoted_tokens, answer)
    return total


def _questions(loop: LoopConfig, task: Task, answer: int, findings: int, notes: int) -> Iterator[tuple[int, int, int]]:
    """Bytes of the prompt, tokens in it that a model wrote, and tokens of the answer, for each question.

    Args:
        loop: the arm's.
        task: for the given program.
        answer: tokens of each answer.
        findings: bytes of what is told about an attempt.
        notes: bytes of a scratchpad.
    """
    given, system = len(task.given.encode()), len(loop.prompts.get("system", "").encode())
    sizes = {name: system + len(text.encode()) + given for name, text in loop.prompts.items()}
    quotes = loop.memory in {"last_attempt", "attempt_and_scratchpad"}
    writes = parts.memory_writes(loop)
    for attempt in range(loop.max_attempts):
        later = attempt > 0
        memory = (findings if quotes else 0) + (notes if writes else 0)
        yield sizes["propose"] + (memory if later else 0), answer if quotes and later else 0, answer
        if loop.reviewer is not None:
            yield sizes["review"], answer, answer
        if writes and later:
            yield sizes["remember"] + notes + findings, answer, answer
