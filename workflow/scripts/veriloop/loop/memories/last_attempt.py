"""DafnyBench's memory (section 4.1): the previous answer and the verifier's message about it."""

from __future__ import annotations

from veriloop.attempts import Attempt
from veriloop.loop.feedback import describe


class LastAttempt:
    """Remembers the previous attempt only."""

    def __init__(self) -> None:
        self._text = ""

    def note(self, attempt: Attempt) -> None:
        """Keep this attempt instead of the one before."""
        answer = attempt.candidate if attempt.candidate is not None else f"(none: {attempt.reason})"
        self._text = f"\nYour previous answer:\n{answer}\n\nWhat was wrong with it:\n{describe(attempt)}\n"

    def recall(self) -> str:
        """The previous answer and what was wrong with it."""
        return self._text


def make() -> LastAttempt:
    """An empty memory."""
    return LastAttempt()
