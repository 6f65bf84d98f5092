"""Whether a server and its solvers are still at work."""

from __future__ import annotations

from veriloop.dafny.process import Vitals

STALL_SECONDS = 20.0
"""A server that has an open question and does nothing for so long will not answer it.

It is not so rare: a server whose solver died waits for it for ever.
"""

IDLE_SHARE = 0.05
"""A server that does nothing uses about a hundredth of a core; more than this share is work."""


class Watch:
    """Notices that a server stopped working on the question that it was asked."""

    def __init__(self, now: float) -> None:
        """Start at a time of the monotonic clock, in seconds."""
        self._since = now
        self._cpu_seconds = 0.0

    def is_stalled(self, now: float, seen: Vitals) -> bool:
        """Take in a look at the server; whether it did nothing for STALL_SECONDS."""
        if seen.solving or seen.cpu_seconds > self._cpu_seconds + IDLE_SHARE * STALL_SECONDS:
            self._since, self._cpu_seconds = now, seen.cpu_seconds
        return now - self._since > STALL_SECONDS
