"""What the next prompt says about an attempt, in one of three ways: `raw`, `structured`, or only that it `failed`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from veriloop.attempts import Attempt
from veriloop.outcomes import Diagnostic, VerifierResult

MOST_DIAGNOSTICS = 20

MOST_CHARACTERS = 16_000
"""Longer findings are cut off: they would fill a context, and so a cost has a bound."""

MOST_EXAMPLE_CHARACTERS = 600
"""Of each counterexample: those of large states would crowd out the messages after them."""

HEADINGS = {
    "precondition": "Preconditions that may not hold",
    "postcondition": "Postconditions that may not hold",
    "invariant": "Loop invariants that may not hold",
    "termination": "Termination that is not proved",
    "assertion": "Assertions that may not hold",
}
"""What AxDafny's feedback tells apart (section 3.1); every other kind stands under its own name."""


def describe(attempt: Attempt, *, feedback: str, tell_repeats: bool = False) -> str:
    """What was wrong with an attempt: what gate, verifier, acceptance and reviewer said.

    Args:
        attempt: one that was not accepted.
        feedback: `raw`, each message as Dafny prints it; `structured`, by kind of obligation, with the line that each
            is about, related places, counterexamples and single assertions as far as they were asked for; `failed`,
            nothing but that.
        tell_repeats: whether to say that the program is that of an earlier attempt.
    """
    told = "\n".join(_lines(attempt, feedback, tell_repeats=tell_repeats)) or attempt.reason
    return told if len(told) <= MOST_CHARACTERS else f"{told[:MOST_CHARACTERS]}\n(cut off)"


def _lines(attempt: Attempt, feedback: str, *, tell_repeats: bool) -> list[str]:
    lines = [f"It is the same program as in attempt {attempt.repeats}."] if tell_repeats and attempt.repeats else []
    if feedback == "failed":
        return [*lines, "It was not accepted."]
    lines += [violation.sentence for violation in attempt.violations]
    if attempt.result is not None:
        lines.append(f"The verifier's outcome: {attempt.result.outcome}. {attempt.result.explanation}".strip())
        lines += _raw(attempt.result) if feedback == "raw" else _structured(attempt.result, attempt.candidate or "")
    lines += [f"{check.name}: {check.explanation}" for check in attempt.checks if check.state == "failed"]
    if attempt.review is not None and attempt.review.state == "refused":
        lines.append(f"The reviewer refused it: {attempt.review.reason}")
    return lines


def describer(feedback: str, *, tell_repeats: bool) -> Callable[[Attempt], str]:
    """`describe` with these settings."""
    return partial(describe, feedback=feedback, tell_repeats=tell_repeats)


def _raw(result: VerifierResult) -> Iterator[str]:
    for one in result.diagnostics[:MOST_DIAGNOSTICS]:
        yield f"{one.file}({one.line},{one.column}): {one.severity.capitalize()}: {one.message}"
        for place in one.related:
            yield f"{one.file}({place.line},{place.column}): Related location: {place.message}".rstrip(": ")
        if one.counterexample:
            yield f"Related counterexample:\n{_example(one)}"


def _structured(result: VerifierResult, candidate: str) -> Iterator[str]:
    source = candidate.split("\n")
    shown = result.diagnostics[:MOST_DIAGNOSTICS]
    kinds = [kind for kind in HEADINGS if any(one.category == kind for one in shown)]
    kinds += [kind for kind in dict.fromkeys(one.category for one in shown) if kind not in HEADINGS]
    for kind in kinds:
        yield f"{HEADINGS.get(kind, kind.replace('_', ' ').capitalize())}:"
        for one in shown:
            if one.category == kind:
                yield from _diagnostic(one, source)
    unproved = [single for single in result.assertions if single.state != "valid"]
    for single in unproved[:MOST_DIAGNOSTICS]:
        yield f"({single.line},{single.column}): {single.state} on its own: {single.description}"


def _diagnostic(diagnostic: Diagnostic, source: list[str]) -> Iterator[str]:
    yield f"({diagnostic.line},{diagnostic.column}): {diagnostic.severity}: {diagnostic.message}"
    if 1 <= diagnostic.line <= len(source):
        yield f"  at: {source[diagnostic.line - 1].strip()}"
    for place in diagnostic.related:
        yield f"  ({place.line},{place.column}): {place.message}"
    if diagnostic.counterexample:
        yield "  a counterexample may be:"
        yield from (f"    {line}" for line in _example(diagnostic).split("\n"))


def _example(diagnostic: Diagnostic) -> str:
    text = diagnostic.counterexample
    return text if len(text) <= MOST_EXAMPLE_CHARACTERS else f"{text[:MOST_EXAMPLE_CHARACTERS]} (cut off)"
