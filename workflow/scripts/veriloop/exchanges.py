"""A question to a language model and what came of it; both stand whole in the journal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from veriloop.outcomes import Record

Purpose = Literal["propose", "review", "remember"]
"""Which part of the loop asks."""


class Message(Record):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Question(Record):
    """What a part asks.

    Attributes:
        purpose: which part.
        task: the task's id.
        attempt: number of the attempt that the answer is for; it tells apart samples of the same prompt.
        messages: the conversation so far; its last message is to be answered.
        template_sha256: hash of the prompt file that the messages were made from.
    """

    purpose: Purpose
    task: str
    attempt: int
    messages: tuple[Message, ...]
    template_sha256: str


class Exchange(Record):
    """A question as it was sent, and the answer as it came.

    Attributes:
        purpose: which part asked.
        task: the task's id.
        attempt: number of the attempt that the answer is for.
        template_sha256: hash of the prompt file.
        model: the model as its endpoint calls it.
        request: the exact body that was sent.
        response: the exact body that came back; None where none came that could be read.
        text: the answer; empty where there is none.
        finish: why the answer ended, in the endpoint's word.
        refusal: what the model or its endpoint said instead of an answer; empty where it did answer.
        failure: `too_long` where the endpoint takes no prompt of this length, `infra_fault` where no answer came after
            bounded tries: that is not the model's failure; empty where one came.
        explanation: what failed, in words.
        prompt_tokens: as the endpoint counts them; None where it does not say.
        completion_tokens: as the endpoint counts them, reasoning included; None where it does not say.
        dollars: what it cost by the model file's prices; None where a price or a count is not known.
        seconds: from the first try to the answer, waiting included; a measurement, outside every claim of equality.
        tries: how often it was sent.
    """

    purpose: Purpose
    task: str
    attempt: int
    template_sha256: str
    model: str
    request: dict[str, Any]
    response: dict[str, Any] | None
    text: str = ""
    finish: str = ""
    refusal: str = ""
    failure: Literal["", "too_long", "infra_fault"] = ""
    explanation: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    dollars: float | None = None
    seconds: float = 0.0
    tries: int = 1


def total_dollars(each: Iterable[float | None]) -> float | None:
    """What several answers cost together; None where that of one is not known, or there are none."""
    known = list(each)
    return None if not known or None in known else sum(dollars for dollars in known if dollars is not None)
