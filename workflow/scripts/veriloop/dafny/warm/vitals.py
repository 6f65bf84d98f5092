"""Whether a server and its solvers are still at work, and how much memory they hold."""

from __future__ import annotations

from dataclasses import dataclass

import psutil

STALL_SECONDS = 20.0
"""A server that has an open question and does nothing for so long will not answer it.

It is not so rare: a server whose solver died waits for it for ever.
"""

IDLE_SHARE = 0.05
"""A server that does nothing uses about a hundredth of a core; more than this share is work."""


@dataclass(frozen=True)
class Vitals:
    """A look at a server and its descendants.

    Attributes:
        resident_mb: memory of all of them, in MiB.
        cpu_seconds: what the server itself used since it started.
        solving: whether a solver runs or wants to.
    """

    resident_mb: float
    cpu_seconds: float
    solving: bool


def vitals(pid: int) -> Vitals:
    """Look at a server; what has just ended counts nothing."""
    resident, cpu_seconds, solving = 0, 0.0, False
    try:
        server = psutil.Process(pid)
        times = server.cpu_times()
        cpu_seconds = times.user + times.system
        family = [server, *server.children(recursive=True)]
    except psutil.NoSuchProcess:
        return Vitals(0.0, 0.0, solving=False)
    for member in family:
        try:
            resident += member.memory_info().rss
            at_work = member.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
        except psutil.NoSuchProcess:
            continue
        solving = solving or (at_work and member != server)
    return Vitals(resident / 2**20, cpu_seconds, solving)


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
