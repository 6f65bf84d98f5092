"""The deterministic checks of AxDafny (section 3.1), restated: its code is not public.

The requires and ensures clauses of the given program must be among the candidate's, and four patterns that go around
the verifier may not occur; offending lines are returned. Where the paper does not say how, the plain reading is taken:
a clause is its text up to the next clause, body or blank line, blanks aside; clauses are a set of the whole file, not
of a member; the patterns are looked for everywhere, in comments too. Like the published rule of DafnyBench it leaves
predicates, signatures, bodies and continuation by other means free. It is kept for comparison; nobody should accept
programs by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Violation

PATTERNS = {
    "axiom": re.compile(r"\{:axiom\}"),
    "verify_false": re.compile(r"\{:verify\s+false\}"),
    "assume": re.compile(r"\bassume\b"),
    "extern": re.compile(r"\{:extern\b"),
}
"""The four rejected patterns of section 3.1."""

_CLAUSE = re.compile(
    r"^[ \t]*(?P<text>(?:requires|ensures)\b.*?)"
    r"(?=^[ \t]*(?:(?:requires|ensures|modifies|reads|decreases|invariant)\b|[{}]|$)|\Z)",
    re.MULTILINE | re.DOTALL,
)


class Options(BaseModel):
    """The published checks have no settings."""

    model_config = ConfigDict(extra="forbid")


class AxDafnyGate:
    """AxDafny's preservation check and rejected patterns as a gate."""

    def check(self, given: str, candidate: str) -> list[Violation]:
        """Every clause of the given program that the candidate lacks, and every line with a rejected pattern."""
        return [*_lost(given, candidate), *_rejected(candidate)]


def make(options: Options) -> AxDafnyGate:  # noqa: ARG001 - every gate is made from its options
    """The gate."""
    return AxDafnyGate()


def clauses(program: str) -> list[tuple[int, str]]:
    """The requires and ensures clauses: line (from 1), and text without blanks and without a body that begins in it."""
    return [
        (program.count("\n", 0, found.start("text")) + 1, "".join(found["text"].partition("{")[0].split()))
        for found in _CLAUSE.finditer(program)
    ]


def _lost(given: str, candidate: str) -> Iterator[Violation]:
    kept = {text for _, text in clauses(candidate)}
    for line, text in clauses(given):
        if text not in kept:
            yield Violation(
                kind="contract_changed",
                sentence=f"the candidate lacks the clause {text!r} of the given program; put it back as it was",
                given_line=line,
            )


def _rejected(candidate: str) -> Iterator[Violation]:
    for number, line in enumerate(candidate.splitlines(), start=1):
        for kind, pattern in PATTERNS.items():
            if pattern.search(line):
                yield Violation(
                    kind=kind,
                    sentence=f"{line.strip()!r} has a pattern that lets the verifier skip a proof; remove it",
                    candidate_line=number,
                    cheating=True,
                )
