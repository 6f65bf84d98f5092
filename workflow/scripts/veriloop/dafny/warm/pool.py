"""A verifier made of warm workers: as many servers as allowed, started when needed, replaced when lost or worn."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from veriloop.config.toolchain import Limits
from veriloop.dafny.session import why_refused
from veriloop.dafny.toolchain import Toolchain
from veriloop.dafny.warm.worker import Cause, Server, ServerLostError
from veriloop.errors import UserError
from veriloop.outcomes import Outcome, VerifierResult
from veriloop.tasks import text_sha256

ASKED_TIMES = 2
"""How often a question is asked that loses its server: the second time on a fresh one, for it may not have been why."""

NOT_AGAIN = frozenset({"wall", "output"})
"""Bounds that the question itself reached: a fresh server would reach them too, at the same cost."""

_WORTH: dict[Cause, Outcome] = {
    "died": Outcome.TOOL_FAULT,
    "wall": Outcome.TIMEOUT,
    "memory": Outcome.OUT_OF_RESOURCE,
    "output": Outcome.INCONCLUSIVE,
}


@dataclass
class _Slot:
    """A place for a server."""

    server: Server | None = None


class WarmVerifier:
    """Asks language servers that stay up. What it calls verified is feedback; the cold path decides what counts.

    `verify` may be called by several threads, each of which waits for a free server. A use as context manager, or
    `close`, leaves no process behind, and neither does the end of the interpreter, even by SIGKILL.
    """

    def __init__(
        self,
        toolchain: Toolchain,
        limits: Limits,
        *,
        workers: int = 1,
        recycle_after: int = 500,
        recycle_mb: int | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            toolchain: which verifier; it must have a language server, so no legacy command line.
            limits: wall clock, memory and output of each question; the resource limit of each verified item.
            workers: at most so many servers; at least 1.
            recycle_after: checks after which a server is replaced; at least 1.
            recycle_mb: resident memory, in MiB, above which it is replaced after a check; half of limits.memory_mb
                if not given.

        Raises:
            UserError: the toolchain has no language server, or a number is too small.
        """
        if toolchain.command_line == "legacy":
            raise UserError(f"{toolchain.name} has no language server; use it without warm workers")
        self._recycle_mb = limits.memory_mb // 2 if recycle_mb is None else recycle_mb
        for name, value in (("workers", workers), ("recycle_after", recycle_after), ("recycle_mb", self._recycle_mb)):
            if value < 1:
                raise UserError(f"{name} is {value}, but must be at least 1")
        self.toolchain = toolchain
        self.limits = limits
        self._workers = workers
        self._recycle_after = recycle_after
        self._lock = threading.Lock()
        self._is_closed = False
        self._live: set[Server] = set()
        # The last one that was given back is the next one taken: a server is only started if all others are busy.
        self._slots: queue.LifoQueue[_Slot] = queue.LifoQueue()
        for _ in range(workers):
            self._slots.put(_Slot())
        self._finalizer = weakref.finalize(self, _close_all, self._live)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill all servers and wait until they are gone; what is being asked ends as a fault. It may be called again.

        A program that is given afterwards is an `infra_fault`.
        """
        with self._lock:
            self._is_closed = True
            for server in self._live:
                server.kill()
        slots = [self._slots.get() for _ in range(self._workers)]
        for slot in slots:
            self._drop(slot)
            self._slots.put(slot)

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        """Check a program on one of the servers.

        Args:
            program: the text.
            minimum_verified: fewer verified symbols than this are not a success; see `Reading.result` for what counts.

        Returns:
            A result with one of the closed set of outcomes; faults of tool and machine are outcomes too.

        Raises:
            UserError: the server is of another version than the toolchain, so that no answer of it may be used.
        """
        sha256 = text_sha256(program)
        refused = why_refused(program, self.limits)
        if refused is not None:
            return VerifierResult(outcome=Outcome.MALFORMED, path="warm", diagnostics=(refused,), program_sha256=sha256)
        slot = self._slots.get()
        start = time.monotonic()
        try:
            result = self._answer(slot, program, minimum_verified, sha256)
        except BaseException:
            # The server may be in the middle of anything.
            self._drop(slot)
            raise
        finally:
            self._slots.put(slot)
        return result.model_copy(update={"wall_seconds": round(time.monotonic() - start, 3)})

    def _answer(self, slot: _Slot, program: str, minimum_verified: int, sha256: str) -> VerifierResult:
        """The first answer that is no fault, or the last one."""
        for _ in range(ASKED_TIMES):
            try:
                server = self._server(slot)
                result = server.ask(program).result(minimum_verified, sha256)
            except ServerLostError as lost:
                result = _lost(lost, sha256)
                if lost.cause in NOT_AGAIN:
                    self._drop(slot)
                    return result
            except OSError as error:
                self._drop(slot)
                why = f"could not run the verifier: {error}"
                return VerifierResult(outcome=Outcome.INFRA_FAULT, path="warm", explanation=why, program_sha256=sha256)
            else:
                if result.outcome is not Outcome.TOOL_FAULT:
                    if server.asked >= self._recycle_after or server.resident_mb() > self._recycle_mb:
                        self._drop(slot)
                    return result
            self._drop(slot)
        return result

    def _server(self, slot: _Slot) -> Server:
        """The slot's server, or a new one where there is none alive."""
        if slot.server is not None and not slot.server.is_alive():
            self._drop(slot)
        if slot.server is None:
            with self._lock:
                if self._is_closed:
                    raise OSError("the pool of servers is closed")
                slot.server = Server(self.toolchain, self.limits)
                self._live.add(slot.server)
        return slot.server

    def _drop(self, slot: _Slot) -> None:
        """Close the slot's server, if it has one."""
        server, slot.server = slot.server, None
        if server is not None:
            server.close()
            with self._lock:
                self._live.discard(server)


def _lost(lost: ServerLostError, sha256: str) -> VerifierResult:
    return VerifierResult(
        outcome=_WORTH[lost.cause],
        path="warm",
        limit_hit=None if lost.cause == "died" else lost.cause,
        explanation=str(lost),
        program_sha256=sha256,
    )


def _close_all(servers: Iterable[Server]) -> None:
    """What is done when a pool is forgotten without `close`, or at the end of the interpreter."""
    for server in list(servers):
        with contextlib.suppress(OSError):
            server.close()
