"""No memory: every attempt begins anew. With loop.strategy=independent these are samples for pass@k."""

from __future__ import annotations

from veriloop.attempts import Attempt, Recollection
from veriloop.protocols import MemoryContext

NEEDS_CHAT = False


class NoMemory:
    """Remembers nothing."""

    def note(self, attempt: Attempt) -> None:
        """Forget it."""

    def recall(self, number: int) -> Recollection:  # noqa: ARG002 - the signature of every memory
        """Nothing."""
        return Recollection(text="")


def make(context: MemoryContext) -> NoMemory:  # noqa: ARG001 - the signature of every memory
    """The memory."""
    return NoMemory()
