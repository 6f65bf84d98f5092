"""Running a tool within bounds: own process group, killed whole; wall clock, memory and output are limited."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from veriloop.dafny.guard import Guard
from veriloop.dafny.strays import mark

POLL_SECONDS = 0.1
MEMORY_CHECK_SECONDS = 0.5
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "DOTNET_ROOT")
"""What a tool sees of our environment: nothing that could hold a key, or an option of the tool."""


Limit = Literal["wall", "memory", "output"]
Watched = tuple[bytes, bytes, Limit | None]


@dataclass(frozen=True)
class Finished:
    """How a process ended; `limit_hit` tells which bound ended it, if one did."""

    exit_code: int | None
    stdout: str
    stderr: str
    limit_hit: Limit | None
    seconds: float


def run_bounded(
    command: Sequence[str],
    *,
    cwd: Path,
    extra_env: Mapping[str, str],
    wall_seconds: float,
    memory_mb: int,
    output_bytes: int,
) -> Finished:
    """Run a command to its end or to the first bound, and leave no process of its group behind, even if we are killed.

    Args:
        command: program and arguments; no shell is involved.
        cwd: working folder, also the process's HOME.
        extra_env: variables beside the few that are passed on.
        wall_seconds: wall clock, in seconds.
        memory_mb: resident memory of the process and all its descendants, in MiB.
        output_bytes: for standard output and standard error, each.

    Raises:
        OSError: the program cannot be started.
    """
    env = tool_environment(cwd, extra_env)
    start = time.monotonic()
    guard = Guard()
    try:
        with subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                guard.watch(process.pid)
                out, err, limit = _watch(process, start + wall_seconds, memory_mb, output_bytes)
            except BaseException:
                _kill_group(process)
                raise
    finally:
        guard.dismiss()
    return Finished(
        exit_code=process.returncode,
        stdout=out.decode("utf-8", "replace"),
        stderr=err.decode("utf-8", "replace"),
        limit_hit=limit,
        seconds=time.monotonic() - start,
    )


def tool_environment(home: Path, extra_env: Mapping[str, str]) -> dict[str, str]:
    """What a tool sees: the few variables that are passed on, its own HOME, what it needs, and whose it is."""
    return {k: os.environ[k] for k in PASSED_ON if k in os.environ} | {"HOME": str(home)} | dict(extra_env) | mark()


def _watch(process: subprocess.Popen[bytes], deadline: float, memory_mb: int, output_bytes: int) -> Watched:
    """Collect both streams until the process ends or a bound is reached."""
    if process.stdout is None or process.stderr is None:
        raise RuntimeError("both streams must be pipes")
    buffers = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    limit: Limit | None = None
    next_memory_check = time.monotonic() + MEMORY_CHECK_SECONDS
    with selectors.DefaultSelector() as selector:
        for fd in buffers:
            os.set_blocking(fd, False)
            selector.register(fd, selectors.EVENT_READ)
        while limit is None and process.poll() is None:
            _collect(selector, buffers, output_bytes)
            now = time.monotonic()
            check_memory = now > next_memory_check
            if check_memory:
                next_memory_check = now + MEMORY_CHECK_SECONDS
            limit = _reached(
                buffers, output_bytes, now > deadline, check_memory and vitals(process.pid).resident_mb > memory_mb
            )
    _kill_group(process)
    for fd, buffer in buffers.items():
        _drain(fd, buffer, output_bytes)
    limit = limit or _reached(buffers, output_bytes, late=False, heavy=False)
    out, err = (bytes(b[:output_bytes]) for b in buffers.values())
    return out, err, limit


def _reached(buffers: dict[int, bytearray], output_bytes: int, late: bool, heavy: bool) -> Limit | None:
    if any(len(b) > output_bytes for b in buffers.values()):
        return "output"
    if late:
        return "wall"
    return "memory" if heavy else None


def _collect(selector: selectors.BaseSelector, buffers: dict[int, bytearray], bound: int) -> None:
    """Wait a little for output, and read it."""
    for key, _ in selector.select(POLL_SECONDS):
        if not _drain(key.fd, buffers[key.fd], bound):
            selector.unregister(key.fd)
    if not selector.get_map():
        time.sleep(POLL_SECONDS / 10)


def _drain(fd: int, buffer: bytearray, bound: int) -> bool:
    """Read what is there, up to just over the bound; False at the end of the stream."""
    while len(buffer) <= bound:
        try:
            chunk = os.read(fd, 65536)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        buffer += chunk
    return True


@dataclass(frozen=True)
class Vitals:
    """A look at a process and its descendants.

    Attributes:
        resident_mb: memory of all of them, in MiB.
        cpu_seconds: what the process itself used since it started.
        solving: whether a descendant, such as a solver, runs or wants to.
    """

    resident_mb: float
    cpu_seconds: float
    solving: bool


def vitals(pid: int) -> Vitals:
    """Look at a process; what has just ended counts nothing."""
    resident, cpu_seconds, solving = 0, 0.0, False
    try:
        root = psutil.Process(pid)
        times = root.cpu_times()
        cpu_seconds = times.user + times.system
        family = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return Vitals(0.0, 0.0, solving=False)
    for member in family:
        try:
            resident += member.memory_info().rss
            at_work = member.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
        except psutil.NoSuchProcess:
            continue
        solving = solving or (at_work and member != root)
    return Vitals(resident / 2**20, cpu_seconds, solving)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill every process of the group, solvers included, and wait for the first."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
