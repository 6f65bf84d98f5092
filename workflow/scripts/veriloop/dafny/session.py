"""One run of a toolchain on one program, in a working folder of its own that is gone afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

from veriloop.config.toolchain import Limits
from veriloop.dafny.includes import include_line
from veriloop.dafny.process import Finished, run_bounded
from veriloop.dafny.toolchain import Toolchain
from veriloop.outcomes import Diagnostic

FILE_NAME = "program.dfy"


def run_on_program(
    toolchain: Toolchain, limits: Limits, arguments: list[str], program: str, keep: str = ""
) -> tuple[Finished, dict[str, str]]:
    """Run a toolchain with some arguments and the program's file as the last one.

    Args:
        toolchain: which verifier.
        limits: wall clock, memory and output; a resource limit is the caller's to pass on.
        arguments: subcommand and options.
        program: the text; its UTF-8 bytes are what the file has.
        keep: a pattern of files to be read before the folder is gone, such as `**/*.py`; none if empty.

    Returns:
        How the run ended, and the texts of the kept files by their paths in the folder.

    Raises:
        OSError: the program cannot be started, or the folder not be made.
    """
    with tempfile.TemporaryDirectory(prefix="veriloop-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / FILE_NAME).write_bytes(program.encode())
        finished = run_bounded(
            [*toolchain.command, *arguments, FILE_NAME],
            cwd=folder,
            extra_env=toolchain.env,
            wall_seconds=limits.wall_seconds,
            memory_mb=limits.memory_mb,
            output_bytes=limits.output_bytes,
        )
        found = sorted(path for path in folder.glob(keep) if path.is_file()) if keep else []
        return finished, {str(p.relative_to(folder)): p.read_text(encoding="utf-8", errors="replace") for p in found}


def why_refused(program: str, limits: Limits) -> Diagnostic | None:
    """Why a program is not given to the verifier at all; None if it is."""
    size, most = len(program.encode()), limits.program_bytes
    line, message = include_line(program), "include is not allowed: a program stands alone"
    if size > most:
        line, message = 1, f"the program has {size:,} bytes, limits.program_bytes allows {most:,}"
    if line is None:
        return None
    return Diagnostic(severity="error", category="refused", message=message, file=FILE_NAME, line=line, column=0)


def verify_arguments(toolchain: Toolchain, limits: Limits) -> list[str]:
    """The pinned options of `dafny verify`; the resource limit decides, no time limit is given to the solver."""
    options = ["--allow-warnings", "--json-output", "--cores", "1", "--verification-time-limit", "0"]
    return ["verify", *options, "--resource-limit", str(limits.resource), "--solver-path", toolchain.solver_path]
