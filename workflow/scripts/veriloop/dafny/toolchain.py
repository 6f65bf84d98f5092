"""A toolchain as it stands on this machine: which program it is, what its bytes hash to, where it came from."""

from __future__ import annotations

import hashlib
import platform
import tempfile
from pathlib import Path
from typing import Literal

from veriloop.config.toolchain import ToolchainConfig
from veriloop.dafny.process import run_bounded
from veriloop.errors import UserError
from veriloop.outcomes import Record

PROGRAM_SUFFIXES = {".dll", ".exe", ".bpl", ".so", ".dylib", ".sh"}


class Toolchain(Record):
    """A verifier that is ready to run.

    Attributes:
        name: the pinned name, such as `dafny-4.11.0`.
        version: what the program itself reports.
        solver: the solver's name and version.
        command_line: which of Dafny's two command lines it has.
        command: the program's argument list, without options.
        env: variables that the program needs.
        solver_path: the solver's program.
        origin: which way it was had.
        content_sha256: hash of all its programs, paths included.
        solver_sha256: hash of the solver's program.
    """

    name: str
    version: str
    solver: str
    command_line: Literal["verify", "legacy"]
    command: tuple[str, ...]
    env: dict[str, str]
    solver_path: str
    origin: Literal["mirror", "archive", "debian"]
    content_sha256: str
    solver_sha256: str

    def missing(self) -> str | None:
        """The first of its programs that is not there any more; None if all are."""
        return next((path for path in (self.command[0], self.solver_path) if not Path(path).is_file()), None)

    def identity(self) -> dict[str, str]:
        """What makes two copies the same verifier: everything but where they lie and how they came."""
        return {
            "name": self.name,
            "version": self.version,
            "content_sha256": self.content_sha256,
            "solver_sha256": self.solver_sha256,
        }


def platform_key() -> str:
    """This machine's platform as the configuration names it, for example `linux-x64` or `macos-arm64`."""
    system = {"Linux": "linux", "Darwin": "macos"}.get(platform.system(), platform.system().lower())
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{system}-{machine}"


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_sha256(folder: Path) -> str:
    """One hash over all programs below a folder; logs that the tool writes beside itself do not count."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and _is_program(p)):
        total.update(f"{path.relative_to(folder)}\0{file_sha256(path)}\n".encode())
    return total.hexdigest()


def _is_program(path: Path) -> bool:
    return path.suffix in PROGRAM_SUFFIXES or path.name in ("dafny", "dotnet") or path.name.startswith("z3")


def from_folder(
    config: ToolchainConfig, folder: Path, origin: Literal["mirror", "archive"], expected: str | None
) -> Toolchain:
    """The toolchain in an unpacked folder: a release archive, or the same files with their own runtime.

    Args:
        config: the pins.
        folder: where it lies.
        origin: how it came there.
        expected: the content hash that the folder must have, where one is pinned.

    Raises:
        UserError: the folder is not a toolchain, has other bytes than the pinned ones, or another version.
    """
    entry = next((p for p in (folder / "dafny.sh", folder / "dafny" / "dafny") if p.is_file()), None)
    solver = folder / "dafny" / "z3" / "bin" / f"z3-{config.solver.split()[-1]}"
    if entry is None or not solver.is_file():
        missing = solver if entry else folder / "dafny.sh"
        raise UserError(f"{folder}: not a copy of {config.name}, {missing} is missing; delete the folder")
    found = content_sha256(folder)
    if expected is not None and found != expected:
        raise UserError(
            f"{folder}: its programs hash to {found}, but {config.name} is pinned to {expected}; "
            "replace the copy, or pin the new one in config/toolchain/ if you trust it"
        )
    return _checked(config, (str(entry),), solver, origin, found)


def from_debian(config: ToolchainConfig, executable: Path, library: Path, solver: Path) -> Toolchain:
    """The toolchain of a distribution's package, with a solver that was put beside it.

    Raises:
        UserError: the package has another version than the pinned one.
    """
    return _checked(config, (str(executable),), solver, "debian", content_sha256(library))


def _checked(
    config: ToolchainConfig,
    command: tuple[str, ...],
    solver: Path,
    origin: Literal["mirror", "archive", "debian"],
    content: str,
) -> Toolchain:
    env = {
        "DOTNET_NOLOGO": "1",
        "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
        "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
    }
    version = reported_version(config, command, env)
    if config.version not in version:
        raise UserError(f"{command[0]}: reports version {version!r}, but {config.name} was wanted; replace the copy")
    return Toolchain(
        name=config.name,
        version=version,
        solver=config.solver,
        command_line=config.command_line,
        command=command,
        env=env,
        solver_path=str(solver),
        origin=origin,
        content_sha256=content,
        solver_sha256=file_sha256(solver),
    )


def reported_version(config: ToolchainConfig, command: tuple[str, ...], env: dict[str, str]) -> str:
    """What the program says its version is.

    Raises:
        UserError: it cannot be started, or says nothing.
    """
    option = "--version" if config.command_line == "verify" else "/version"
    try:
        with tempfile.TemporaryDirectory(prefix="veriloop-") as folder:
            finished = run_bounded(
                [*command, option],
                cwd=Path(folder),
                extra_env=env,
                wall_seconds=60,
                memory_mb=config.limits.memory_mb,
                output_bytes=config.limits.output_bytes,
            )
    except OSError as error:
        raise UserError(f"{command[0]}: cannot be started ({error}); reinstall {config.name}") from None
    words = finished.stdout.strip().splitlines()
    if not words:
        raise UserError(
            f"{command[0]}: said nothing when asked for its version (exit code {finished.exit_code}, "
            f"{finished.stderr.strip()[:200]!r}); reinstall {config.name}"
        )
    return words[0].removeprefix("Dafny ").strip()
