"""One verdict for one answer, for people and for other harnesses: `veriloop check`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from veriloop.acceptance import Acceptance
from veriloop.attempts import Check, Violation
from veriloop.config.compose import read_toolchain
from veriloop.config.schema import GateConfig
from veriloop.config.toolchain import CheckName
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.provide import find_toolchain
from veriloop.errors import UserError
from veriloop.loop.engine import verdict_of
from veriloop.outcomes import Outcome, Record, Verdict, VerifierResult
from veriloop.stages import parts
from veriloop.tasks import read_program, text_sha256

ACCEPTED, REFUSED, FAULT = 0, 1, 3
"""What the command exits with; 2 is for wrong use and input that cannot be read."""


CHECKS: dict[str, tuple[CheckName, ...]] = {
    "strict": ("minimum", "assumptions", "translation"),
    "contract": ("minimum", "assumptions"),
}
"""What is asked after the verifier; of an answer under a published gate nothing is, as it was published."""

VACUITY: CheckName = "vacuity"


class Judgement(Record):
    """What was found out about an answer; its JSON schema is docs/check.schema.json.

    Attributes:
        judgement_version: of this schema.
        gate: which gate was asked.
        allow: the gate's level, for `strict`.
        given_sha256: of the given program's bytes.
        candidate_sha256: of the answer's bytes.
        violations: what the gate found; a candidate with violations is not verified.
        toolchain: which verifier was asked; null where none was.
        result: what it said.
        checks: what acceptance said of a program that verified.
        verdict: what the answer is worth; null if the gate found nothing and the verifier was not to be asked.
    """

    judgement_version: Literal[1] = 1
    gate: str
    allow: str | None
    given_sha256: str
    candidate_sha256: str
    violations: tuple[Violation, ...] = ()
    toolchain: str | None = None
    result: VerifierResult | None = None
    checks: tuple[Check, ...] = ()
    verdict: Verdict | None = None

    def exit_code(self) -> int:
        """0 for an accepted answer, or one without violations where no verifier was to be asked; 1, or 3 for faults."""
        if self.result is not None and self.verdict is Verdict.NOT_SCORED:
            return FAULT
        return ACCEPTED if self.verdict in {Verdict.ACCEPTED, None} else REFUSED

    def text(self) -> str:
        """The verdict, and what speaks against the answer, a line each."""
        lines = ["no violation; not verified" if self.verdict is None else str(self.verdict)]
        for violation in self.violations:
            places = {"given": violation.given_line, "candidate": violation.candidate_line}
            where = ", ".join(f"{name} line {line}" for name, line in places.items() if line is not None)
            lines.append(f"  {violation.kind} ({where or 'no place'}): {violation.sentence}")
        if self.result is not None and self.result.outcome is not Outcome.VERIFIED:
            lines.append(f"  {self.toolchain}: {self.result.outcome} {self.result.explanation}".rstrip())
            lines += [
                f"  candidate line {d.line}: {d.message}" for d in self.result.diagnostics if d.severity == "error"
            ]
        lines += [f"  {c.name}: {c.state}: {c.explanation}" for c in self.checks if c.state != "passed"]
        return "\n".join(lines)


def judge(
    given: Path, candidate: Path, *, gate: str, allow: str | None, toolchain: str, verify: bool, vacuity: bool
) -> Judgement:
    """Ask the gate, the verifier if the gate has nothing against the answer, and acceptance if it verified.

    Args:
        given: the program as it was given.
        candidate: the answer.
        gate: the gate's name.
        allow: the level of gate `strict`; None for its own choice.
        toolchain: the verifier's name.
        verify: whether the verifier is to be asked at all.
        vacuity: whether acceptance is also to ask for what is proved from a contradiction.

    Raises:
        UserError: a file that cannot be read, an unknown gate, level or toolchain, or one that is not on this machine.
    """
    options = {} if allow is None else {"level": allow}
    asked = parts.gate(GateConfig(name=gate, options=options), "--gate")
    before, after = _read(given), _read(candidate, may_be_empty=True)
    violations = asked.check(before, after)
    found = Judgement(
        gate=gate,
        allow=getattr(asked, "level", None),
        given_sha256=text_sha256(before),
        candidate_sha256=text_sha256(after),
        violations=tuple(violations),
    )
    if violations:
        return found.model_copy(update={"verdict": verdict_of(violations, None, (), None)})
    if not verify:
        return found
    config = read_toolchain(toolchain, "--toolchain")
    ready = find_toolchain(config)
    if ready is None:
        raise UserError(
            f"--toolchain {toolchain}: not on this machine; get it with: veriloop toolchain install {toolchain}"
        )
    wanted = (*CHECKS.get(gate, ()), *((VACUITY,) if vacuity else ()))
    acceptance = Acceptance(ready, config.limits, wanted)
    result = ColdVerifier(ready, config.limits).verify(after, acceptance.minimum(before))
    checks = (
        acceptance.check(before, after, code_frozen=gate != "contract") if result.outcome is Outcome.VERIFIED else ()
    )
    verdict = verdict_of([], result, checks, None)
    return found.model_copy(update={"toolchain": ready.name, "result": result, "checks": checks, "verdict": verdict})


def _read(path: Path, *, may_be_empty: bool = False) -> str:
    """A program's text; an empty answer is one too, and for the gate to refuse.

    Raises:
        UserError: it cannot be read, is not UTF-8, or is empty and may not be.
    """
    try:
        return "" if may_be_empty and path.stat().st_size == 0 else read_program(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a Dafny program") from None
