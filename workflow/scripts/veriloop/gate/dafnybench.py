"""The rule by which DafnyBench's published numbers were made, restated with its faults.

The paper's rule (section 3.2): all preconditions and postconditions are unchanged, and neither `{:verify false}` nor
`assume false` is used. The released scorer checks this by text, line by line, and so:

- compares only lines that hold the word `requires` or `ensures`: the second line of a clause, a predicate that a
  clause uses, a signature, a frame, or the code may change freely;
- sees such a word in a trailing comment or a name, and then refuses an honest answer;
- follows comments by a switch that a line flips when it begins with an opening or ends with a closing mark, so that
  comments on one line and text after a comment are misread;
- ignores blanks but not tabs when it compares;
- knows one spelling of each forbidden construct, and refuses it in comments too.

It is kept for comparison with the published numbers. Nobody should accept programs by it.
"""

from __future__ import annotations

from itertools import zip_longest

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Violation

FORBIDDEN = {"verify_false": "{:verify false}", "assume_false": "assume false"}


class Options(BaseModel):
    """The published rule has no settings."""

    model_config = ConfigDict(extra="forbid")


class DafnyBenchGate:
    """The published rule as a gate."""

    def check(self, given: str, candidate: str) -> list[Violation]:
        """The first contract line that differs, and each forbidden text."""
        return _changed_contract(given, candidate) + _forbidden(candidate)


def make(options: Options) -> DafnyBenchGate:  # noqa: ARG001 - every gate is made from its options
    """The gate."""
    return DafnyBenchGate()


def contract_lines(program: str) -> list[tuple[int, str]]:
    """The lines that the published scorer takes for contracts: number (from 1), and text without blanks."""
    found: list[tuple[int, str]] = []
    in_comment = False
    for number, line in enumerate(program.split("\n"), start=1):
        text = line.strip()
        if text.startswith("/*"):
            in_comment = not in_comment
        if ("requires" in line or "ensures" in line) and not in_comment and not text.startswith("//"):
            found.append((number, text.replace(" ", "")))
        if text.endswith("*/"):
            in_comment = not in_comment
    return found


def _changed_contract(given: str, candidate: str) -> list[Violation]:
    for old, new in zip_longest(contract_lines(given), contract_lines(candidate)):
        if old and new and old[1] == new[1]:
            continue
        was = f"{old[1]!r} (line {old[0]})" if old else "no further contract line"
        now = f"{new[1]!r} (line {new[0]})" if new else "no further contract line"
        return [
            Violation(
                kind="contract_changed",
                sentence=f"the given program has {was}, the candidate has {now}; leave requires and ensures as given",
                given_line=old[0] if old else None,
                candidate_line=new[0] if new else None,
            )
        ]
    return []


def _forbidden(candidate: str) -> list[Violation]:
    return [
        Violation(
            kind=kind,
            sentence=f"the candidate holds {text!r}, which lets the verifier skip a proof; remove it",
            candidate_line=candidate.count("\n", 0, candidate.index(text)) + 1,
            cheating=True,
        )
        for kind, text in FORBIDDEN.items()
        if text in candidate
    ]
