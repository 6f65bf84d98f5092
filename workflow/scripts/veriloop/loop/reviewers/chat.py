"""AxDafny's reviewer (section 3.1): a language model looks for semantic cheating, such as a predicate made true."""

from __future__ import annotations

import json
from collections.abc import Mapping

from veriloop.attempts import Review
from veriloop.loop.prompts import question, render
from veriloop.protocols import Chat
from veriloop.tasks import Task

READ_CHARACTERS = 20_000
"""So much of an answer's end is searched for the opinion."""


class ChatReviewer:
    """Asks a language model whether a program cheats."""

    def __init__(self, chat: Chat, prompts: Mapping[str, str]) -> None:
        """Take the model and the texts of the loop's prompt files."""
        self._chat = chat
        self._prompts = prompts

    def review(self, task: Task, number: int, candidate: str) -> Review:
        """The model's opinion; whatever it says, nothing is raised."""
        text = render(self._prompts["review"], {"given": task.given, "candidate": candidate})
        exchange = self._chat.ask(question(self._prompts, "review", task.id, number, text))
        if exchange.failure == "infra_fault":
            return Review(state="fault", reason=exchange.explanation, exchanges=(exchange,))
        opinion = read_opinion(exchange.text)
        if opinion is None:
            said = exchange.explanation or exchange.refusal or "the answer has no opinion"
            return Review(state="unreadable", reason=said, exchanges=(exchange,))
        cheating, reason = opinion
        return Review(state="refused" if cheating else "passed", reason=reason, exchanges=(exchange,))


def read_opinion(answer: str) -> tuple[bool, str] | None:
    """The last JSON object `{"cheating": true or false, "reason": "..."}` of an answer; None where there is none."""
    text = answer[-READ_CHARACTERS:]
    decoder = json.JSONDecoder()
    at = text.rfind("{")
    while at >= 0:
        try:
            said, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            said = None
        if isinstance(said, dict) and isinstance(said.get("cheating"), bool):
            return said["cheating"], str(said.get("reason", ""))
        at = text.rfind("{", 0, at)
    return None


def make(chat: Chat, prompts: Mapping[str, str]) -> ChatReviewer:
    """The reviewer."""
    return ChatReviewer(chat, prompts)
