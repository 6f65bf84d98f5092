"""Dafny's messages as records, from either of its command lines, and the counters of its summary."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from veriloop.outcomes import Diagnostic, Place

CATEGORIES: tuple[tuple[str, str], ...] = (
    ("out_of_resource", r"out of resource|resource limit"),
    ("timeout", r"timed out"),
    ("postcondition", r"postcondition"),
    ("precondition", r"precondition"),
    ("invariant", r"invariant"),
    ("termination", r"decreases|termination|terminates"),
    ("index", r"index out of range|upper bound|lower bound|element might not be in domain|range"),
    ("null", r"might be null|could be null|be null"),
    ("division", r"divi(?:sor|sion) by zero|divisor"),
    ("frame", r"modifies|reads clause|insufficient reads"),
    ("type", r"subset constraints|subrange|value does not satisfy|might violate .*type"),
    ("assertion", r"assert"),
)
"""Kind of obligation by the words of the message, 2.3.0's and 4.11.0's; the first that fits counts."""

SUMMARY = re.compile(
    r"^Dafny program verifier finished with (?P<verified>\d+) verified, (?P<errors>\d+) errors?"
    r"(?P<rest>(?:, \d+ [a-z ]+)*)$",
    re.MULTILINE,
)
MALFORMED = re.compile(r"^\d+ (?:parse|resolution/type) errors? detected in ", re.MULTILINE)
TEXT_LINE = re.compile(
    r"^(?P<file>[^\n(]*)\((?P<line>\d+),(?P<column>\d+)\): "
    r"(?P<kind>Error|Warning|Info|Related location|Verification)\b(?: [A-Z]+\d+)?:? ?(?P<message>.*)$"
)


@dataclass(frozen=True)
class Counters:
    """The numbers of Dafny's last line."""

    verified: int
    errors: int
    time_outs: int = 0
    out_of_resource: int = 0
    inconclusive: int = 0
    others: int = 0


@dataclass(frozen=True)
class Report:
    """What Dafny said: messages, the counters of each summary line, and whether it refused the text.

    One summary is the rule. A program can make a message contain a line that looks like one; then there are more.
    `failed` tells that Dafny says so of a text that it found nothing wrong with; see `is_failure`.
    """

    diagnostics: tuple[Diagnostic, ...]
    summaries: tuple[Counters, ...]
    malformed: bool
    failed: bool = False


def is_failure(sources: Iterable[str]) -> bool:
    """Whether a refusal whose errors have these sources is a failure of the tool and no fault of the program.

    Dafny 4.11.0 reports a solver that is not there as an error in the program's resolution, with source Verifier, which
    has not looked at the program then. A program that is wrong has an error of another source beside it.
    """
    return set(sources) == {"Verifier"}


def category(message: str, source: str) -> str:
    """The kind of obligation, or of refusal, that a message speaks of."""
    if source == "Parser":
        return "parse"
    if source == "Resolver":
        return "resolution"
    lowered = message.lower()
    return next((name for name, words in CATEGORIES if re.search(words, lowered)), "other")


def read_summaries(text: str) -> tuple[Counters, ...]:
    """The counters of every summary line in the text."""
    return tuple(_counters(match) for match in SUMMARY.finditer(text))


def _counters(match: re.Match[str]) -> Counters:
    named = {"time out": 0, "out of resource": 0, "inconclusive": 0}
    others = 0
    for count, words in re.findall(r", (\d+) ([a-z ]+)", match["rest"]):
        name = words if words in named else words.removesuffix("s")
        if name in named:
            named[name] += int(count)
        else:
            others += int(count)
    return Counters(
        verified=int(match["verified"]),
        errors=int(match["errors"]),
        time_outs=named["time out"],
        out_of_resource=named["out of resource"],
        inconclusive=named["inconclusive"],
        others=others,
    )


def read_json_report(stdout: str) -> Report:
    """Read the output of `dafny verify --json-output`: one JSON object a line, other lines are tool noise."""
    diagnostics: list[Diagnostic] = []
    sources: list[str] = []
    status = ""
    for line in stdout.splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        if not isinstance(entry, dict):
            continue
        if entry.get("type") == "diagnostic":
            diagnostics.append(_from_json(entry["value"]))
            if diagnostics[-1].severity == "error":
                sources.append(entry["value"].get("source") or "")
        elif entry.get("type") == "status":
            status += f"{entry['value']}\n"
    malformed = bool(MALFORMED.search(status))
    return Report(tuple(diagnostics), read_summaries(status), malformed, malformed and is_failure(sources))


def _from_json(value: dict[str, Any]) -> Diagnostic:
    message = _filled(value)
    severities: dict[int, Literal["error", "warning", "info"]] = {1: "error", 2: "warning"}
    start = value["location"]["range"]["start"]
    return Diagnostic(
        severity=severities.get(value["severity"], "info"),
        category=category(message, value.get("source") or ""),
        message=message,
        file=value["location"]["filename"] or "",
        line=start["line"],
        column=start["character"],
        related=tuple(_related(r) for r in value.get("relatedInformation") or ()),
    )


def _related(value: dict[str, Any]) -> Place:
    start = value["location"]["range"]["start"]
    return Place(line=start["line"], column=start["character"], message=_filled(value))


def _filled(value: dict[str, Any]) -> str:
    """Dafny gives a format and its arguments; a message without placeholders stays as it is."""
    text: str = value["defaultFormatMessage"]
    for number, argument in enumerate(value.get("arguments") or ()):
        text = text.replace(f"{{{number}}}", str(argument))
    return text


def read_text_report(stdout: str) -> Report:
    """Read the output of the old command line (Dafny 2 and 3)."""
    malformed = bool(MALFORMED.search(stdout))
    return Report(tuple(_from_text(stdout.splitlines(), malformed)), read_summaries(stdout), malformed)


def _from_text(lines: Iterable[str], malformed: bool) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for line in lines:
        match = TEXT_LINE.match(line)
        if match is None:
            continue
        message = match["message"]
        if match["kind"] == "Related location":
            if found:
                place = Place(line=int(match["line"]), column=int(match["column"]), message=message)
                found[-1] = found[-1].model_copy(update={"related": (*found[-1].related, place)})
            continue
        if match["kind"] == "Verification":
            message = f"Verification {message}"
        severities: dict[str, Literal["error", "warning", "info"]] = {"Warning": "warning", "Info": "info"}
        found.append(
            Diagnostic(
                severity=severities.get(match["kind"], "error"),
                category="malformed" if malformed else category(message, "Verifier"),
                message=message,
                file=match["file"],
                line=int(match["line"]),
                column=int(match["column"]),
            )
        )
    return found
