"""What the next prompt says about an attempt."""

from __future__ import annotations

from string import Template

from veriloop.attempts import Attempt
from veriloop.outcomes import Diagnostic
from veriloop.tasks import Task

MOST_DIAGNOSTICS = 20


def render_prompt(template: str, task: Task, memory: str) -> str:
    """Fill a prompt file: `$given` is the task's program, `$memory` what earlier attempts left."""
    return Template(template).substitute(given=task.given, memory=memory)


def describe(attempt: Attempt) -> str:
    """What was wrong with an attempt: what gate, verifier, acceptance and reviewer said."""
    lines = [violation.sentence for violation in attempt.violations]
    if attempt.result is not None:
        lines.append(f"The verifier's outcome: {attempt.result.outcome}. {attempt.result.explanation}".strip())
        lines += [_diagnostic(d) for d in attempt.result.diagnostics[:MOST_DIAGNOSTICS]]
        unproved = [one for one in attempt.result.assertions if one.state != "valid"]
        lines += [f"({a.line},{a.column}): {a.state} on its own: {a.description}" for a in unproved[:MOST_DIAGNOSTICS]]
    lines += [f"{check.name}: {check.explanation}" for check in attempt.checks if check.state == "failed"]
    if attempt.review is not None and attempt.review.refused:
        lines.append(f"The reviewer refused it: {attempt.review.reason}")
    return "\n".join(lines) or attempt.reason


def _diagnostic(diagnostic: Diagnostic) -> str:
    related = "".join(f"\n  ({place.line},{place.column}): {place.message}" for place in diagnostic.related)
    counterexample = diagnostic.counterexample.replace("\n", "\n    ")
    example = f"\n  a counterexample may be:\n    {counterexample}" if counterexample else ""
    return f"({diagnostic.line},{diagnostic.column}): {diagnostic.severity}: {diagnostic.message}{related}{example}"
