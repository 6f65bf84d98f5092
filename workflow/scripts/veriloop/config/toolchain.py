"""The closed schema of a toolchain. It is apart from the rest, so that a new setting elsewhere repeats no attempt."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SAFE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"
"""What may be part of a path: names of experiments, benchmarks, models, arms and toolchains."""

SafeName = Annotated[str, StringConstraints(pattern=SAFE_NAME, max_length=80)]
CheckName = Literal["minimum", "assumptions", "translation", "vacuity"]
"""What can be asked of a toolchain about a program that verified; see veriloop.acceptance."""

ExplainName = Literal["counterexamples", "assertions"]
"""What can be asked of a toolchain about a program that it refuted; see veriloop.dafny.explain."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Closed(BaseModel):
    """Base of every part of the configuration: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(Closed):
    """Bounds of one verifier run; `resource` decides (deterministic), the rest are guards.

    Attributes:
        resource: solver resource units for each verified item (Dafny's --resource-limit).
        wall_seconds: wall clock for the whole run.
        memory_mb: resident memory of the verifier and its solvers together, in MiB.
        output_bytes: what the verifier may print.
        program_bytes: a longer program is malformed and not given to the verifier at all.
    """

    resource: Annotated[int, Field(ge=1)]
    wall_seconds: Annotated[float, Field(gt=0)]
    memory_mb: Annotated[int, Field(ge=64)]
    output_bytes: Annotated[int, Field(ge=1024)]
    program_bytes: Annotated[int, Field(ge=1024)]


class Archive(Closed):
    """A released archive: where it is, what its bytes hash to, and whether this project ever ran it."""

    url: str
    sha256: Sha256
    ever_run: bool


class Mirror(Closed):
    """An unpacked toolchain in a mirror folder, pinned by the content hash of its programs."""

    folder: str
    content_sha256: Sha256


class DebianPackage(Closed):
    """A toolchain from Debian's package, with its solver from a wheel on PyPI."""

    package: str
    executable: str
    solver_requirement: str
    solver_wheel_sha256: Sha256
    solver_member: str


class ToolchainConfig(Closed):
    """A pinned verifier and every way to get it; platforms are keyed as linux-x64, macos-arm64, macos-x64."""

    name: SafeName
    version: str
    solver: str
    command_line: Literal["verify", "legacy"]
    limits: Limits
    mirrors: dict[str, Mirror] = {}
    archives: dict[str, Archive] = {}
    debian: DebianPackage | None = None
    note: str = ""
