"""A rolling scratchpad that the language model writes itself: the other half of AxDafny's memory (section 3.1)."""

from __future__ import annotations

from veriloop.attempts import Attempt, Recollection
from veriloop.exchanges import Exchange
from veriloop.loop.prompts import question, render
from veriloop.protocols import Chat, MemoryContext

NEEDS_CHAT = True

MOST_CHARACTERS = 8000
"""Longer notes are cut off, so that a model that repeats itself does not fill its own context."""


class Scratchpad:
    """Asks the model for new notes after each attempt, from the old ones and what was found out.

    It asks when the next attempt needs them, so that nothing is paid for after the last one.
    """

    def __init__(self, context: MemoryContext, chat: Chat) -> None:
        self._context = context
        self._chat = chat
        self._notes = ""
        self._noted: Attempt | None = None

    def note(self, attempt: Attempt) -> None:
        """Keep the attempt until the notes are needed."""
        self._noted = attempt

    def recall(self, number: int) -> Recollection:
        """The notes, brought up to date; a fault where no answer came."""
        if self._noted is None:
            return Recollection(text=self._shown())
        exchange = self._ask(self._noted, number)
        if exchange.failure:
            return Recollection(text="", exchanges=(exchange,), fault=f"no notes: {exchange.explanation}")
        self._notes = exchange.text.strip()[:MOST_CHARACTERS] or self._notes
        self._noted = None
        return Recollection(text=self._shown(), exchanges=(exchange,))

    def _ask(self, attempt: Attempt, number: int) -> Exchange:
        values = {
            "given": self._context.task.given,
            "notes": self._notes or "(none yet)",
            "candidate": attempt.candidate if attempt.candidate is not None else f"(none: {attempt.reason})",
            "findings": self._context.describe(attempt),
        }
        prompts = self._context.prompts
        return self._chat.ask(
            question(prompts, "remember", self._context.task.id, number, render(prompts["remember"], values))
        )

    def _shown(self) -> str:
        return f"\nYour notes from all earlier attempts:\n{self._notes}\n" if self._notes else ""


def make(context: MemoryContext) -> Scratchpad:
    """An empty memory."""
    if context.chat is None:
        raise RuntimeError("a scratchpad needs a language model; stages.plan refuses this")
    return Scratchpad(context, context.chat)
