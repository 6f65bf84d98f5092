"""A small process that kills a server's group as soon as we are gone, even by SIGKILL."""

from __future__ import annotations

import contextlib
import subprocess

SCRIPT = 'read -r group && { read -r rest; kill -s KILL -- "-$group"; }'
"""The second `read` ends when the last writing end of the pipe is closed, which is when we end."""


class Guard:
    """Waits in a session of its own until our end of its pipe is closed.

    The kernel's parent-death signal would not do: it is sent when the thread ends that started the process, it does not
    reach the solvers, and a solver in the middle of a query does not notice that its server is gone.
    """

    def __init__(self) -> None:
        """Start the process, before the one that is to be guarded.

        Raises:
            OSError: it cannot be started.
        """
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", SCRIPT],
            cwd="/",
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def watch(self, group: int) -> None:
        """Name the process group that must not outlive us."""
        if self._process.stdin is None:
            raise RuntimeError("the stream must be a pipe")
        self._process.stdin.write(f"{group}\n".encode())
        self._process.stdin.flush()

    def dismiss(self) -> None:
        """End it without a kill; the group is then the caller's concern. It may be called again."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
