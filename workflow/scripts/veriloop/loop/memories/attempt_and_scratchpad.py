"""AxDafny's memory (section 3.1): the previous attempt verbatim, and the rolling scratchpad."""

from __future__ import annotations

from veriloop.attempts import Attempt, Recollection
from veriloop.loop.memories import last_attempt, scratchpad
from veriloop.protocols import MemoryContext

NEEDS_CHAT = True


class AttemptAndScratchpad:
    """Both halves, the notes first."""

    def __init__(self, context: MemoryContext) -> None:
        self._attempt = last_attempt.make(context)
        self._scratchpad = scratchpad.make(context)

    def note(self, attempt: Attempt) -> None:
        """Hand it to both."""
        self._attempt.note(attempt)
        self._scratchpad.note(attempt)

    def recall(self, number: int) -> Recollection:
        """The notes, the previous answer, and what was wrong with it."""
        notes = self._scratchpad.recall(number)
        return notes.model_copy(update={"text": notes.text + self._attempt.recall(number).text})


def make(context: MemoryContext) -> AttemptAndScratchpad:
    """An empty memory."""
    return AttemptAndScratchpad(context)
