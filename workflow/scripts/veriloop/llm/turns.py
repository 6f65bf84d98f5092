"""An endpoint's limits, kept by all jobs of a machine together: questions at once, requests and tokens per minute.

Slots are file locks, which the system gives back when a process dies, however it dies.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veriloop.llm.settings import RateLimits

LOOK_SECONDS = 0.05
MINUTE = 60.0


class Turns:
    """Lets so many questions through at once, and so many per minute."""

    def __init__(self, folder: Path, limits: RateLimits) -> None:
        """Take the limits.

        Args:
            folder: what all jobs of the machine share for this endpoint and model.
            limits: of the endpoint.
        """
        self._folder = folder
        self._limits = limits

    @contextmanager
    def turn(self, tokens: int) -> Iterator[None]:
        """Wait for a free slot, and until the rate allows a question of so many tokens; then hold the slot."""
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor = self._free_slot()
        try:
            time.sleep(max(0.0, self._wait_seconds(tokens)))
            yield
        finally:
            os.close(descriptor)

    def _free_slot(self) -> int:
        """Wait for a slot; the descriptor that holds its lock."""
        while True:
            for number in range(self._limits.concurrency):
                descriptor = os.open(self._folder / f"slot_{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(descriptor)
                else:
                    return descriptor
            time.sleep(LOOK_SECONDS)

    def _wait_seconds(self, tokens: int) -> float:
        """Book the next free moment; how long it is until then.

        A moment is a wall clock's, which other processes share. One that lies further ahead than all slots together
        could have booked comes from a clock that was set back, and counts as now.
        """
        rates = {"requests": (1, self._limits.requests_per_minute), "tokens": (tokens, self._limits.tokens_per_minute)}
        pauses = {name: amount * MINUTE / rate for name, (amount, rate) in rates.items() if rate is not None}
        if not pauses:
            return 0.0
        with (self._folder / "pace.json").open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            booked = _moments(file.read())
            now = time.time()
            farthest = now + (self._limits.concurrency + 1) * max(*pauses.values(), MINUTE)
            start = max([now, *(booked.get(name, 0.0) for name in pauses if booked.get(name, 0.0) <= farthest)])
            file.truncate(0)
            file.write(json.dumps({name: start + pause for name, pause in pauses.items()}))
        return start - now


def _moments(text: str) -> dict[str, float]:
    """The booked moments; none where the file is new, or torn by a full disk."""
    try:
        found = json.loads(text)
        return {str(name): float(moment) for name, moment in found.items()}
    except (ValueError, AttributeError, TypeError):
        return {}
