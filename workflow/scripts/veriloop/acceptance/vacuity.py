"""No success from a contradiction: some call satisfies each member's requirements, and no postcondition is empty.

Two runs of the verifier on the candidate:

- with `--warn-contradictory-assumptions`, an option that `dafny verify --help` of 4.11.0 does not list and which says
  of itself that it is experimental. Its warnings about postconditions count. Those about assertions do not: they are
  about cases that cannot happen, which every proof by contradiction has;
- where a member with a body has requirements, with `assert false` put at the beginning of each such body. Where that
  is proved, nothing satisfies the requirements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from veriloop.acceptance.minimum import all_declarations, has_attribute
from veriloop.acceptance.tool import Said, Tool, ToolFaultError
from veriloop.dafny.cold import judge
from veriloop.dafny.diagnostics import read_json_report
from veriloop.dafny.scan import Code, MisfitError
from veriloop.dafny.statements import FUNCTIONS, METHODS, Node
from veriloop.dafny.structure import structure
from veriloop.outcomes import FAULTS, Outcome
from veriloop.tasks import text_sha256

EMPTY_POSTCONDITION = "ensures clause proved using contradictory assumptions"
LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Probe:
    """A question whether a member's requirements can be satisfied.

    Attributes:
        name: the member's.
        line: where the member begins in the program, from 1.
        first: where it begins in the program with all probes.
        last: the line there that is the probe's own.
    """

    name: str
    line: int
    first: int
    last: int


def find_vacuity(tool: Tool, candidate: str) -> Said:
    """What is true in a candidate from a contradiction only.

    Raises:
        ToolFaultError: the verifier gave no answer.
    """
    try:
        probed, probes = with_probes(candidate)
    except MisfitError as error:
        return Said("not_applicable", f"the requirements cannot be found: {error.reason}")
    finished = tool.verify(candidate, "--warn-contradictory-assumptions")
    result = judge(finished, "verify", 1, text_sha256(candidate))
    if result.outcome in FAULTS:
        raise ToolFaultError(result.explanation)
    if result.outcome is not Outcome.VERIFIED:
        return Said("not_applicable", f"with its assumptions traced, the program is {result.outcome.value}")
    sentences = [
        f"Line {d.line}: the postcondition is proved from contradictory assumptions."
        for d in result.diagnostics
        if d.severity == "warning" and d.message == EMPTY_POSTCONDITION
    ]
    if probes:
        failures = _lines_with_errors(tool, probed)
        sentences += [
            f"Line {probe.line}: nothing satisfies the requirements of {probe.name}."
            for probe in unsatisfied(probes, failures)
        ]
    return Said("failed", " ".join(sentences)) if sentences else Said("passed")


def with_probes(program: str) -> tuple[str, list[Probe]]:
    """The program with an `assert false` on a line of its own in each body that has requirements, and those probes.

    There are none where an attribute `only` takes members out of the proof, and none for a member that is not verified.

    Raises:
        MisfitError: the program cannot be read.
    """
    code, declarations = structure(program)
    probes: list[Probe] = []
    pieces: list[str] = []
    at = 0
    for member, body in _bodies(code, declarations):
        start, after = code.tokens[member.start].start, code.tokens[body.start].end
        line, moved = _line(program, start), 2 * len(probes)
        probes.append(Probe(member.name or member.kind, line, line + moved, _line(program, after) + moved + 1))
        pieces.append(program[at:after] + "\nassert false;\n")
        at = after
    return "".join(pieces) + program[at:], probes


def _bodies(code: Code, declarations: list[Node]) -> Iterable[tuple[Node, Node]]:
    """Members with requirements, and their bodies."""
    if has_attribute(code, 0, len(code.tokens), "only"):
        return
    for node in all_declarations(declarations):
        if node.kind not in FUNCTIONS | METHODS or has_attribute(code, node.start, node.end, "verify"):
            continue
        bodies = [part for part in node.parts if part.kind in {"block", "body"}]
        if bodies and any(part.kind == "requires" for part in node.parts):
            yield node, bodies[0]


def _line(program: str, end: int) -> int:
    """The line, from 1, of a place in the text, by what ends a line for Dafny."""
    return 1 + len(LINE_END.findall(program, 0, end))


def unsatisfied(probes: list[Probe], failures: set[int]) -> list[Probe]:
    """The probes that were proved.

    There is no error on the probe's line, nor between it and the member's, where Dafny says that resources ran out.
    """
    return [probe for probe in probes if not any(line in failures for line in range(probe.first, probe.last + 1))]


def _lines_with_errors(tool: Tool, program: str) -> set[int]:
    report = read_json_report(tool.verify(program).stdout)
    if len(report.summaries) != 1:
        raise ToolFaultError("the verifier gave no answer about the requirements")
    return {d.line for d in report.diagnostics if d.severity == "error"}
