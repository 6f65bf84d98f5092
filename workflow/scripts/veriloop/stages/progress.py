"""How far a job is, in its log and on the terminal: what is done, what came of it, about how long the rest takes."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Sequence

from veriloop.attempts import Attempt
from veriloop.outcomes import Verdict

TELL_SECONDS = 15.0
"""How often at most the terminal is told; jobs share it."""


class Progress:
    """Counts finished tasks; several threads may report to it."""

    def __init__(self, name: str, tasks: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Start counting.

        Args:
            name: of the job, for people.
            tasks: how many there are.
            clock: seconds that only grow.
        """
        self._name = name
        self._tasks = tasks
        self._clock = clock
        self._start = self._told = clock()
        self._done = self._solved = 0
        self._lock = threading.Lock()

    def done(self, task: str, attempts: Sequence[Attempt]) -> None:
        """A task is finished: a line in the log, and now and then one on the terminal."""
        last = attempts[-1].verdict if attempts else "no attempt"
        with self._lock:
            self._done += 1
            self._solved += any(one.verdict is Verdict.ACCEPTED for one in attempts)
            line = f"{self._name}: {self._done}/{self._tasks} tasks, {self._solved} solved{self._rest()}"
            logging.info("%s; %s: %s after %d attempts", line, task, last, len(attempts))
            now = self._clock()
            if now - self._told >= TELL_SECONDS and self._done < self._tasks:
                self._told = now
                sys.stderr.write(f"{line}\n")

    def _rest(self) -> str:
        """About how long the rest takes if it goes on like this."""
        seconds = (self._clock() - self._start) / self._done * (self._tasks - self._done)
        if seconds < 1:
            return ""
        minutes, seconds = divmod(round(seconds), 60)
        return f", about {minutes} min {seconds} s left" if minutes else f", about {seconds} s left"
