"""The previous attempt and what was wrong with it: DafnyBench's memory (section 4.1), and half of AxDafny's."""

from __future__ import annotations

from veriloop.attempts import Attempt, Recollection
from veriloop.protocols import MemoryContext

NEEDS_CHAT = False


class LastAttempt:
    """Remembers the previous attempt only."""

    def __init__(self, context: MemoryContext) -> None:
        self._describe = context.describe
        self._text = ""

    def note(self, attempt: Attempt) -> None:
        """Keep this attempt instead of the one before."""
        answer = attempt.candidate if attempt.candidate is not None else f"(none: {attempt.reason})"
        self._text = f"\nYour previous answer:\n{answer}\n\nWhat was wrong with it:\n{self._describe(attempt)}\n"

    def recall(self, number: int) -> Recollection:  # noqa: ARG002 - the signature of every memory
        """The previous answer and what was wrong with it."""
        return Recollection(text=self._text)


def make(context: MemoryContext) -> LastAttempt:
    """An empty memory."""
    return LastAttempt(context)
