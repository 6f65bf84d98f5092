"""What an entry of the cache is, and the key that it is found by."""

from __future__ import annotations

import hashlib
import json
import zlib

from veriloop.config.toolchain import Limits
from veriloop.dafny.cold import ColdVerifier
from veriloop.outcomes import FAULTS, Record, VerifierResult
from veriloop.provenance import code_hash, digest
from veriloop.tasks import text_sha256

COLD_WAY = ("veriloop.dafny.cold",)
"""The modules that answer where nothing but the cold command line is asked."""


class Conditions(Record):
    """Everything beside the program and the minimum that can change what a verifier answers.

    Attributes:
        toolchain: `Toolchain.identity()`, the same for every copy of the same programs.
        arguments: options of the cold command line, the solver's path replaced by a word.
        limits: the bounds of a run; what ended by a guard is known under its own guards only.
        way: the modules of the verifiers that answer, so that an unconfirmed answer never passes for a confirmed one.
        code: hash of these modules and of all that they import; other code may read the same output differently.
    """

    toolchain: dict[str, str]
    arguments: tuple[str, ...]
    limits: Limits
    way: tuple[str, ...]
    code: str

    def family(self) -> str:
        """What all entries share that the same cold verifier, under whichever limits, can check again."""
        return digest([self.toolchain, self.way, self.code])

    def is_current(self, toolchain: dict[str, str]) -> bool:
        """Whether an answer would be found in the same way today, with a toolchain of this identity."""
        return self.toolchain == toolchain and self.code == code_hash(*self.way)


def conditions_of(cold: ColdVerifier, way: tuple[str, ...] = COLD_WAY) -> Conditions:
    """The conditions of a verifier.

    Args:
        cold: the command line that answers, or that confirms what another path found.
        way: dotted names of the modules that answer; a pool of warm workers names its own, and `veriloop.dafny.cold`.
    """
    solver = cold.toolchain.solver_path
    return Conditions(
        toolchain=cold.toolchain.identity(),
        arguments=tuple(word.replace(solver, "SOLVER") for word in cold.arguments()),
        limits=cold.limits,
        way=way,
        code=code_hash(*way),
    )


class Entry(Record):
    """One answer, with all that it depends on: enough to ask again.

    Attributes:
        conditions: toolchain, options, limits and code.
        minimum_verified: below how many verified items the program was not to pass.
        program: the text that was checked.
        result: what was found when it was checked.
    """

    conditions: Conditions
    minimum_verified: int
    program: str
    result: VerifierResult

    def key(self) -> str:
        """The key that this entry must stand under."""
        return key_of(self.conditions, self.program, self.minimum_verified)

    def encoded(self) -> bytes:
        """The bytes to be stored: JSON, so that reading runs no code, packed, so that a flipped bit is noticed."""
        return zlib.compress(self.model_dump_json().encode(), level=1)

    def answers(self, conditions: Conditions, program: str, minimum_verified: int) -> bool:
        """Whether this is the answer to exactly this question; a key alone is not believed."""
        return (self.conditions, self.program, self.minimum_verified) == (conditions, program, minimum_verified)


def key_of(conditions: Conditions, program: str, minimum_verified: int) -> str:
    """The key of a question: SHA-256 over conditions, minimum and the program's bytes.

    The minimum is part of it, though the counters would allow to judge again: a task asks with one minimum always,
    and so there is one place only that turns counters into outcomes.
    """
    words = [conditions.model_dump(mode="json"), minimum_verified, text_sha256(program)]
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


def decoded(stored: bytes) -> Entry | None:
    """Read an entry; None for what is damaged or was written by another version."""
    try:
        return Entry.model_validate_json(zlib.decompress(stored))
    except (zlib.error, ValueError):
        return None


def may_be_kept(result: VerifierResult) -> bool:
    """Whether a result is worth an entry.

    Faults of tool and machine say nothing about the program and are asked again; what was refused without a run is
    found again faster than looked up, and may be large.
    """
    return result.outcome not in FAULTS and all(d.category != "refused" for d in result.diagnostics)
