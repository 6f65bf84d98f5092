"""What a verifier can answer, and what an attempt is worth: two closed sets and their records."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Outcome(StrEnum):
    """The answer of a verifier on one program; nothing else is possible."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    OUT_OF_RESOURCE = "out_of_resource"
    INCONCLUSIVE = "inconclusive"
    TOOL_FAULT = "tool_fault"
    INFRA_FAULT = "infra_fault"


FAULTS = frozenset({Outcome.TOOL_FAULT, Outcome.INFRA_FAULT})
"""Outcomes that say nothing about the program: they are never a model's failure."""


class Verdict(StrEnum):
    """What an attempt, or a task, is worth."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CHEATING = "cheating"
    VACUOUS = "vacuous"
    NOT_SCORED = "not_scored"


class Record(BaseModel):
    """Base of everything written to a file: frozen, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Place(Record):
    """A place in a program: `line` counts from 1, `column` from 0 as Dafny prints it."""

    line: int
    column: int
    message: str = ""


class Diagnostic(Record):
    """One message of the verifier about the program.

    `counterexample` has values of variables for which it may fail, in Dafny's words; empty unless asked for.
    """

    severity: Literal["error", "warning", "info"]
    category: str
    message: str
    file: str
    line: int
    column: int
    related: tuple[Place, ...] = ()
    counterexample: str = ""


class Assertion(Record):
    """What became of one assertion, checked apart from all others.

    `line` counts from 1, `column` from 0; `description` says what holds if it is valid; `resource` is in solver units.
    """

    line: int
    column: int
    description: str
    state: Literal["valid", "invalid", "timeout", "out_of_resource", "undetermined"]
    resource: int


class VerifierResult(Record):
    """All that one run of a verifier said.

    `limit_hit` names the guard that ended the run, if one did; only `resource` is deterministic.
    `wall_seconds` is a measurement and outside every claim of equality.
    `cached` tells that it was found earlier and remembered; it is outside of these claims too, and `wall_seconds` is
    then the time of the lookup.
    `contradicted` is what the trusted path says of a program that the fast one accepts; the outcome is tool_fault then.
    `assertions` has what became of each single one; empty unless asked for (loop.explain).
    """

    outcome: Outcome
    path: Literal["cold", "warm"] = "cold"
    exit_code: int | None = None
    verified: int = 0
    errors: int = 0
    time_outs: int = 0
    out_of_resource: int = 0
    inconclusive: int = 0
    limit_hit: Literal["resource", "wall", "memory", "output"] | None = None
    contradicted: Outcome | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    explanation: str = ""
    output: str = ""
    program_sha256: str
    wall_seconds: float = 0.0
    cached: bool = False
