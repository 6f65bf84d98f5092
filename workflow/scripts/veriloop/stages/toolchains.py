"""What `veriloop toolchain` does: list, install, and try the pinned verifiers."""

from __future__ import annotations

from veriloop.config.compose import config_names, read_toolchain
from veriloop.config.toolchain import ToolchainConfig
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.provide import find_toolchain, provide_toolchain
from veriloop.dafny.toolchain import Toolchain, platform_key
from veriloop.errors import UserError
from veriloop.outcomes import Outcome

TRUE_PROGRAM = "method Next(x: int) returns (y: int)\n  ensures y == x + 1\n{\n  y := x + 1;\n}\n"
FALSE_PROGRAM = TRUE_PROGRAM.replace("y := x + 1", "y := x + 2")


def _find(config: ToolchainConfig) -> Toolchain | str:
    """The toolchain, or why it is not to be had without installing it."""
    try:
        return find_toolchain(config) or "not on this machine"
    except UserError as error:
        return str(error)


def listing() -> str:
    """One line per toolchain: whether it is here, from where, and what is known of it on this platform."""
    lines = [f"toolchains for {platform_key()}:"]
    for name in config_names("toolchain"):
        config = read_toolchain(name, "toolchain")
        found = _find(config)
        state = f"{found.origin}, {found.command[0]}" if isinstance(found, Toolchain) else found
        lines.append(f"  {name} ({config.solver}): {state}" + (f" ({config.note})" if config.note else ""))
    return "\n".join(lines)


def install(name: str) -> str:
    """Get a toolchain and say where it is.

    Raises:
        UserError: it cannot be had; the message says what to do.
    """
    return _describe(provide_toolchain(read_toolchain(name, "toolchain install")))


def _describe(found: Toolchain) -> str:
    return "\n".join(
        [
            f"{found.name}: version {found.version}, {found.solver}, from {found.origin}",
            f"  program {found.command[0]}",
            f"  programs' content sha256 {found.content_sha256}",
            f"  solver {found.solver_path}",
            f"  solver sha256 {found.solver_sha256}",
        ]
    )


def doctor(name: str | None) -> tuple[str, bool]:
    """Try each toolchain that is here, or the named one, on a program that must verify and one that must not.

    Args:
        name: only this toolchain; None tries all that are on this machine.

    Returns:
        The report, and whether everything that was tried is well and at least one toolchain was tried.
    """
    lines: list[str] = []
    tried = healthy = 0
    for each in [name] if name else config_names("toolchain"):
        config = read_toolchain(each, "toolchain doctor")
        found = _find(config)
        if isinstance(found, str):
            lines.append(f"{each}: {found}" + ("" if name else "; not tried"))
            tried += 1 if name else 0
            continue
        tried += 1
        report, well = _try(found, config)
        lines.append(report)
        healthy += well
    return "\n".join(lines), tried == healthy and tried > 0


def _try(found: Toolchain, config: ToolchainConfig) -> tuple[str, bool]:
    verifier = ColdVerifier(found, config.limits)
    wanted = {TRUE_PROGRAM: Outcome.VERIFIED, FALSE_PROGRAM: Outcome.REFUTED}
    lines = [_describe(found)]
    well = True
    for program, expected in wanted.items():
        result = verifier.verify(program)
        right = result.outcome is expected
        well = well and right
        kind = "true" if program is TRUE_PROGRAM else "false"
        lines.append(
            f"  a {kind} program: {result.outcome} in {result.wall_seconds:.1f} s"
            + ("" if right else f", expected {expected}: {result.explanation or result.output[:300]}")
        )
    return "\n".join(lines), well
