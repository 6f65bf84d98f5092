"""What must hold after the verifier said yes, found out by other tools than the gate's lexer.

- minimum: the verifier counted at least as many items as the given program has to prove; it is told so beforehand.
- assumptions: the candidate assumes nothing that the given program does not assume (`dafny audit`).
- translation: its executable code is the given program's (`dafny translate py`).
- vacuity: no postcondition is proved, and no body reached, from a contradiction only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Literal, TypeVar

from veriloop.acceptance.assumptions import compare_findings, read_findings
from veriloop.acceptance.minimum import minimum_verified
from veriloop.acceptance.tool import Refused, Said, Tool, ToolCrashError, ToolFaultError
from veriloop.acceptance.translation import compare_code, read_code
from veriloop.acceptance.vacuity import find_vacuity
from veriloop.attempts import Check
from veriloop.config.toolchain import CheckName, Limits
from veriloop.dafny.toolchain import Toolchain

Found = TypeVar("Found")
Name = Literal["assumptions", "translation", "vacuity"]

REMEMBERED = 4
"""Given programs whose findings and code are kept: one given is asked for with many candidates in a row."""


class Acceptance:
    """Holds a candidate to the wanted checks, in their order; it retries nothing."""

    def __init__(self, toolchain: Toolchain, limits: Limits, wanted: Sequence[CheckName]) -> None:
        self._toolchain = toolchain
        self._wanted = frozenset(wanted)
        self._tool = Tool(toolchain, limits)
        self._findings_of_given = lru_cache(REMEMBERED)(partial(_of_given, read_findings, self._tool))
        self._code_of_given = lru_cache(REMEMBERED)(partial(_of_given, read_code, self._tool))

    def minimum(self, given: str) -> int:
        """The number of verified items below which a program with all that `given` has proves too little."""
        counts = "minimum" in self._wanted and self._toolchain.command_line == "verify"
        return minimum_verified(given) if counts else 1

    def check(self, given: str, candidate: str, *, code_frozen: bool) -> tuple[Check, ...]:
        """What each wanted check says.

        Args:
            given: the program as the proposer got it.
            candidate: a program that verified.
            code_frozen: whether the executable code must stay as it was given.
        """
        checks: dict[Name, Callable[[], Said]] = {
            "assumptions": lambda: self._assumptions(given, candidate),
            "translation": lambda: self._translation(given, candidate, code_frozen=code_frozen),
            "vacuity": lambda: find_vacuity(self._tool, candidate),
        }
        return tuple(self._one(name, check) for name, check in checks.items() if name in self._wanted)

    def _one(self, name: Name, check: Callable[[], Said]) -> Check:
        if self._toolchain.command_line != "verify":
            reason = f"{self._toolchain.name} has the old command line, which cannot tell"
            return Check(name=name, state="not_applicable", explanation=reason)
        try:
            said = check()
        except ToolFaultError as error:
            return Check(name=name, state="fault", explanation=str(error))
        return Check(name=name, state=said.state, explanation=said.explanation)

    def _assumptions(self, given: str, candidate: str) -> Said:
        if candidate == given:
            return Said("passed")
        return compare_findings(self._findings_of_given(given), lambda: read_findings(self._tool, candidate))

    def _translation(self, given: str, candidate: str, *, code_frozen: bool) -> Said:
        if not code_frozen:
            return Said("not_applicable", "the task leaves the code open")
        if candidate == given:
            return Said("passed")
        return compare_code(self._code_of_given(given), lambda: read_code(self._tool, candidate))


def _of_given(read: Callable[[Tool, str], Found | Refused], tool: Tool, given: str) -> Found | Refused:
    """What a tool finds in a given program; one that crashes it makes the check not applicable to any answer."""
    try:
        return read(tool, given)
    except ToolCrashError as crash:
        return Refused(str(crash))
