"""One language server: a process group of its own, one question at a time, within the bounds of a run."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Literal, Protocol

from lsprotocol import types

from veriloop.config.toolchain import Limits
from veriloop.dafny.guard import Guard
from veriloop.dafny.process import MEMORY_CHECK_SECONDS, POLL_SECONDS, tool_environment, vitals
from veriloop.dafny.session import FILE_NAME
from veriloop.dafny.toolchain import Toolchain
from veriloop.dafny.warm.framing import FramingError, Message, TooLongError, Unframer, encode
from veriloop.dafny.warm.messages import SYMBOL_STATUS, Counting, Reading, converter
from veriloop.dafny.warm.vitals import Watch
from veriloop.errors import UserError

START_SECONDS = 60.0
"""For a server to start and say its version; it takes about a second."""

FOLDER_URI = "file:///veriloop"
"""Where the documents seem to lie. No such folder exists, so that no project file can be found in or above it."""

GREETING, FIRST_COUNT = 1, 2
"""Numbers of requests. Those of counting start anew with each question, for all of them are waited for."""

KEPT_STDERR = 2000
"""Characters of a server's last words that are kept for an explanation."""

Cause = Literal["died", "wall", "memory", "output"]


class ServerLostError(Exception):
    """The server is of no use any more: it died or broke the protocol, or reached one of the bounds."""

    def __init__(self, cause: Cause, explanation: str) -> None:
        super().__init__(explanation)
        self.cause: Cause = cause


class _Reader(Protocol):
    """What listens during an exchange."""

    def take(self, message: Message) -> bool:
        """Take in a message; False if it is about something else."""

    def rest(self) -> float | None:
        """Seconds of quiet after which the exchange is over; None while it cannot be."""


class Server:
    """A language server and what it needs: a temporary folder, a guard, three pipes.

    Only one thread may use it; `kill` may be called from any.
    """

    def __init__(self, toolchain: Toolchain, limits: Limits) -> None:
        """Start the process, without waiting for it.

        Raises:
            OSError: it cannot be started.
        """
        self.asked = 0
        self._program, self._version = toolchain.command[0], toolchain.version
        self._limits = limits
        self._greeted = False
        self._closed = False
        self._unframer = Unframer(limits.output_bytes)
        self._outgoing = bytearray()
        self._printed = 0
        self._stderr = bytearray()
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="veriloop-", ignore_cleanup_errors=True))
            guard = Guard()
            stack.callback(guard.dismiss)
            command = [*toolchain.command, *server_arguments(toolchain, limits)]
            self._process = _started(command, Path(folder), toolchain.env)
            stack.callback(self._end)
            guard.watch(self._process.pid)
            self._selector = stack.enter_context(selectors.DefaultSelector())
            self._stack = stack.pop_all()
        self._stdin, self._stdout, self._error = _pipes(self._process)
        for stream in (self._stdout, self._error):
            self._selector.register(stream, selectors.EVENT_READ)

    def ask(self, program: str) -> Reading:
        """Have a program checked, as a document of its own.

        Returns:
            The complete answer.

        Raises:
            ServerLostError: there is no answer; the server is to be closed.
            UserError: the server says that it has another version than the toolchain.
        """
        if not self._greeted:
            self._greet()
        self.asked += 1
        document = types.TextDocumentItem(f"{FOLDER_URI}/{self.asked}/{FILE_NAME}", "dafny", 1, program)
        reading = Reading(program, document.uri, document.version)
        self._send(types.DidOpenTextDocumentNotification(types.DidOpenTextDocumentParams(document)))
        self._exchange(reading, self._limits.wall_seconds)
        identifier = types.TextDocumentIdentifier(document.uri)
        self._count(reading, identifier)
        self._send(types.DidCloseTextDocumentNotification(types.DidCloseTextDocumentParams(identifier)))
        self._heard(0)
        return reading

    def _count(self, reading: Reading, document: types.TextDocumentIdentifier) -> None:
        """Ask for the number of proofs of each symbol, all at once; an answer takes some milliseconds."""
        places = [types.Position(line, column) for line, column in reading.proved()]
        requests = [types.HoverRequest(FIRST_COUNT + i, types.HoverParams(document, p)) for i, p in enumerate(places)]
        for request in requests:
            self._send(request)
        counting = Counting(FIRST_COUNT + i for i in range(len(requests)))
        self._exchange(counting, self._limits.wall_seconds)
        reading.count(counting.proofs)

    def resident_mb(self) -> float:
        """Resident memory of the server and its solvers, in MiB."""
        return vitals(self._process.pid).resident_mb

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the group at once, solvers included; a question that is being asked then ends as lost."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the group and give back all that the server had; it may be called again."""
        if not self._closed:
            self._closed = True
            self._stack.close()

    def _end(self) -> None:
        self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        self._process.wait()

    def _greet(self) -> None:
        wanted = types.PublishDiagnosticsClientCapabilities(related_information=True, version_support=True)
        able = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(publish_diagnostics=wanted))
        self._send(types.InitializeRequest(GREETING, types.InitializeParams(able, process_id=os.getpid())))
        greeting = _Greeting()
        self._exchange(greeting, START_SECONDS, late="died")
        if not is_version(greeting.version, self._version):
            raise UserError(
                f"{self._program}: its language server reports version {greeting.version}, but the toolchain is "
                f"{self._version}; reinstall the toolchain"
            )
        self._send(types.InitializedNotification(types.InitializedParams()))
        self._greeted = True

    def _send(self, message: object) -> None:
        self._outgoing += encode(converter().unstructure(message))

    def _exchange(self, reader: _Reader, seconds: float, late: Cause = "wall") -> None:
        """Write what is to be written and take in messages until the reader has all, or it is too late."""
        heard = time.monotonic()
        deadline, next_look, watch = heard + seconds, heard + MEMORY_CHECK_SECONDS, Watch(heard)
        self._printed = 0
        while True:
            now, rest = time.monotonic(), reader.rest()
            if rest is not None and now >= heard + rest:
                return
            if now > deadline:
                raise ServerLostError(late, f"the server had no complete answer after {seconds:g} s")
            if now > next_look:
                next_look = now + MEMORY_CHECK_SECONDS
                self._look(watch, now)
            for message in self._heard(POLL_SECONDS if rest is None else min(POLL_SECONDS, heard + rest - now)):
                if self._taken(reader, message):
                    heard = time.monotonic()

    def _taken(self, reader: _Reader, message: Message) -> bool:
        try:
            return reader.take(message)
        except (KeyError, TypeError, ValueError, ExceptionGroup) as error:
            raise ServerLostError("died", f"a message that is not understood: {error!r}") from None

    def _look(self, watch: Watch, now: float) -> None:
        seen = vitals(self._process.pid)
        if seen.resident_mb > self._limits.memory_mb:
            raise ServerLostError("memory", "the memory guard ended the server")
        if watch.is_stalled(now, seen):
            raise ServerLostError("died", "the server ended its work without an answer: it and its solvers do nothing")

    def _heard(self, seconds: float) -> list[Message]:
        """Wait a little, write what can be written, and return the messages that came."""
        found: list[Message] = []
        self._want_to_write(bool(self._outgoing))
        for key, _ in self._selector.select(seconds):
            if key.fd == self._stdin:
                self._write()
            elif key.fd == self._error:
                self._stderr += self._read(self._error)
                del self._stderr[:-KEPT_STDERR]
            else:
                found += self._messages(self._read(self._stdout))
        return found

    def _want_to_write(self, wanted: bool) -> None:
        if wanted and self._stdin not in self._selector.get_map():
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif not wanted and self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)

    def _write(self) -> None:
        try:
            del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            return
        except OSError as error:
            raise self._died(str(error)) from None

    def _read(self, stream: int) -> bytes:
        try:
            piece = os.read(stream, 1 << 16)
        except BlockingIOError:
            return b""
        if not piece:
            raise self._died("it closed its output")
        return piece

    def _died(self, how: str) -> ServerLostError:
        said = self._stderr.decode("utf-8", "replace").strip()
        return ServerLostError("died", f"the server ended ({how}; exit code {self._process.poll()}) {said}".strip())

    def _messages(self, piece: bytes) -> list[Message]:
        try:
            found = self._unframer.feed(piece)
        except FramingError as error:
            raise ServerLostError("died", f"the server broke the protocol: {error}") from None
        except TooLongError as error:
            raise ServerLostError("output", f"the server said more than the output bound: {error}") from None
        # The states of all symbols are told at each change of one; that is much, but no part of the answer's size.
        self._printed += sum(size for message, size in found if message.get("method") != SYMBOL_STATUS)
        if self._printed > self._limits.output_bytes:
            raise ServerLostError("output", "the server said more than the output bound")
        return [message for message, _ in found]


class _Greeting:
    """Waits for the answer to the first request."""

    version = ""

    def __init__(self) -> None:
        self._done = False

    def take(self, message: Message) -> bool:
        """Take in the answer; other messages are nothing to wait for."""
        if message.get("id") != GREETING:
            return False
        self._done = True
        self.version = str(message["result"]["serverInfo"]["version"])
        return True

    def rest(self) -> float | None:
        """No time at all, once it is there."""
        return 0.0 if self._done else None


def is_version(said: str, wanted: str) -> bool:
    """Whether a server's version such as 4.11.0.0 is the toolchain's, such as 4.11.0+fcb2042d."""
    return said.split(".")[:3] == wanted.partition("+")[0].split(".")[:3]


def server_arguments(toolchain: Toolchain, limits: Limits) -> list[str]:
    """The pinned options: the same decider as in the cold path, nothing kept from one document to the next.

    Every change of a symbol is told at once: what a symbol went through says whether anything was proved for it.
    """
    options = ["--verify-on", "Change", "--cache-verification", "0", "--update-throttling", "0", "--cores", "1"]
    bounds = ["--verification-time-limit", "0", "--resource-limit", str(limits.resource)]
    return ["server", *options, *bounds, "--solver-path", toolchain.solver_path]


def _started(command: list[str], folder: Path, extra_env: dict[str, str]) -> subprocess.Popen[bytes]:
    env = tool_environment(folder, extra_env)
    streams: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, cwd=folder, env=env, start_new_session=True, bufsize=0, **streams)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    """The descriptors of the three streams, which never block."""
    streams = (process.stdin, process.stdout, process.stderr)
    found = [stream.fileno() for stream in streams if stream is not None]
    for descriptor in found:
        os.set_blocking(descriptor, False)
    stdin, stdout, stderr = found
    return stdin, stdout, stderr
