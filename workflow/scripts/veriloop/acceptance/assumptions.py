"""No new assumption: `dafny audit` finds nothing in the candidate that it does not find in the given program.

Of the report's formats, `md-ietf` is the one without gaps: the tables leave out all other findings of a declaration
that has an `{:axiom}` or an `{:only}` (seen on 4.11.0, Source/DafnyCore/Auditor/AuditReport.cs). It names modules and
not the modules around them; findings of two modules of one name are counted together. What the audit of
4.11.0 does not see: `:| assume`, assumptions within constants and within constraints and witnesses of types, changes of
what is to be proved, and attributes that change the proof without being assumptions, such as `{:timeLimit}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from veriloop.acceptance.tool import Refused, Said, Tool, ToolFaultError

REPORT = "audit.md"
ARGUMENTS = ["audit", "--report-format", "md-ietf", "--report-file", REPORT]
HEADING = re.compile(r"^(?P<level>#{1,3}) (?:(?:Module|Type|Member) `(?P<name>[^`]*)`|Default module|Top level)$")

Findings = Counter[tuple[str, str]]
"""How often each description was found of each declaration; places in the text do not matter."""


def read_findings(tool: Tool, program: str) -> Findings | Refused:
    """All that the audit finds in a program.

    Raises:
        ToolFaultError: the audit gave no answer.
    """
    files = tool.files(ARGUMENTS, program, REPORT)
    if isinstance(files, Refused):
        return files
    if REPORT not in files:
        raise ToolFaultError("dafny audit wrote no report")
    return parse_report(files[REPORT])


def parse_report(report: str) -> Findings:
    """The findings of a report in the format `md-ietf`; a declaration is named by module, type and member."""
    found: Findings = Counter()
    names: list[str] = []
    for line in report.splitlines():
        if heading := HEADING.match(line):
            level = len(heading["level"])
            names = [*names[: level - 1], heading["name"] or ""]
        elif line.startswith("* "):
            found[".".join(filter(None, names)), line[2:]] += 1
    return found


def compare_findings(given: Findings | Refused, read_candidate: Callable[[], Findings | Refused]) -> Said:
    """Whether a candidate has no finding that the given program has not.

    Args:
        given: what was found in the given program.
        read_candidate: asks for what is found in the candidate, where that matters.
    """
    if isinstance(given, Refused):
        return Said("not_applicable", f"the given program cannot be audited: {given.reason}")
    candidate = read_candidate()
    if isinstance(candidate, Refused):
        return Said("failed", f"the candidate cannot be audited: {candidate.reason}")
    new = candidate - given
    if not new:
        return Said("passed")
    return Said("failed", " ".join(f"New in {name or 'a module'}: {what}" for name, what in sorted(new)))
