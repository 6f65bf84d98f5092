"""The gate that allows: an answer is the given program, token for token, plus whole hints where hints belong.

Nothing is looked for that is forbidden. A token of the answer is either the next token of the given program, or part
of an inserted construct of a short list; anything else is a violation, whatever it may be. Blanks and comments do not
count. Hints are: assert (also with `by` and asserts inside), loop invariants, and decreases clauses of loops and
members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Violation
from veriloop.dafny.scan import Code, MisfitError
from veriloop.dafny.statements import Node, Statements
from veriloop.dafny.structure import Declarations

ALLOWED_ATTRIBUTES = frozenset({"trigger", "split_here", "focus", "fuel", "induction"})
"""Attributes that steer a proof and drop no obligation (Dafny reference manual, section 11)."""

NEVER_IN_A_HINT = frozenset({"assume", "expect", "calc", "reveal", "hide", "modify", "print", "while", "return", "new"})
"""Words of statements that are no hints at this level, wherever they stand in one."""

LOOPS = frozenset({"while", "for"})
NEARBY = 60
"""How many tokens ahead one looks to tell an insertion from a change."""


class Options(BaseModel):
    """Nothing to set yet."""

    model_config = ConfigDict(extra="forbid")


def make(options: Options) -> StrictGate:  # noqa: ARG001 - every gate is made from its options
    """The gate."""
    return StrictGate()


class StrictGate:
    """The given program plus hints."""

    def check(self, given: str, candidate: str) -> list[Violation]:
        """What is not allowed: the first difference that is no hint, or every inserted hint that is none."""
        try:
            frozen = Program(given)
        except MisfitError as misfit:
            line = _line(given, misfit)
            sentence = f"the given program is broken ({misfit.reason}): nobody can tell what an answer may add to it"
            return [Violation(kind="given_unreadable", sentence=sentence, given_line=line)]
        try:
            answer = Program(candidate)
        except MisfitError as misfit:
            line = _line(candidate, misfit)
            sentence = f"the answer cannot be read as Dafny: {misfit.reason}; correct it at this place"
            return [Violation(kind="unreadable", sentence=sentence, candidate_line=line)]
        return list(_compare(frozen, answer))


@dataclass(frozen=True)
class Hint:
    """An assert, invariant or decreases: tokens `start` to `end`, the end excluded."""

    kind: str
    start: int
    end: int


class Program:
    """A program with its hints by their first token."""

    def __init__(self, text: str) -> None:
        """Read a program.

        Raises:
            MisfitError: a part of it cannot be placed.
        """
        self.text = text
        self.code = Code(text)
        self.words = [token.text for token in self.code.tokens]
        nodes = Declarations(self.code).read(0, len(self.words))
        self.hints = {hint.start: hint for hint in (*_clauses(nodes, None), *self._asserts())}

    def line(self, at: int) -> int | None:
        """The line of a token, from 1; of the last one past the end; None for a program without tokens."""
        if not self.words:
            return None
        start = self.code.tokens[min(at, len(self.words) - 1)].start
        return self.text.count("\n", 0, start) + 1

    def _asserts(self) -> Iterator[Hint]:
        """Every assert, as a statement or within an expression; those in attributes are none."""
        at = 0
        while at < len(self.words):
            if self.words[at] == "{:":
                at = self.code.after_group(at)
                continue
            if self.words[at] == "assert" and self.words[at - 1 : at] != ["."]:
                yield Hint("assert", at, Statements(self.code).claim_end(at))
            at += 1


def _clauses(nodes: list[Node], parent: Node | None) -> Iterator[Hint]:
    """The invariants of loops and the decreases clauses of loops and members."""
    for node in nodes:
        if node.kind == "decreases" or (node.kind == "invariant" and parent is not None and parent.kind in LOOPS):
            yield Hint(node.kind, node.start, node.end)
        yield from _clauses(node.parts, node)


def _compare(frozen: Program, answer: Program) -> Iterator[Violation]:
    inserted, reached = _align(frozen, answer)
    if inserted is None:
        yield _difference(frozen, answer, *reached)
        return
    for hint in inserted:
        yield from _check(answer, hint)


def _align(frozen: Program, answer: Program) -> tuple[list[Hint] | None, tuple[int, int]]:
    """The inserted hints; or None and the places in given and answer up to which they go together.

    A depth-first walk that enters a hint which the given program may have too before it takes it for an insertion;
    each pair of places is visited once.
    """
    best = (0, 0)
    seen: set[tuple[int, int]] = set()
    came: dict[tuple[int, int], tuple[tuple[int, int], Hint | None]] = {}
    todo: list[tuple[int, int]] = [(0, 0)]
    end = (len(frozen.words), len(answer.words))
    while todo:
        place = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        if place == end:
            return _inserted(came, place), place
        best = max(best, place)
        given_at, answer_at = place
        hint = answer.hints.get(answer_at)
        if hint is not None:
            after = (given_at, hint.end)
            if after not in seen:
                came[after] = (place, hint)
                todo.append(after)
        same = given_at < end[0] and answer_at < end[1] and frozen.words[given_at] == answer.words[answer_at]
        if same:
            after = (given_at + 1, answer_at + 1)
            if after not in seen:
                came[after] = (place, None)
                todo.append(after)
    return None, best


def _inserted(came: dict[tuple[int, int], tuple[tuple[int, int], Hint | None]], place: tuple[int, int]) -> list[Hint]:
    found: list[Hint] = []
    while place in came:
        place, hint = came[place]
        if hint is not None:
            found.append(hint)
    return found[::-1]


def _check(answer: Program, hint: Hint) -> Iterator[Violation]:
    """What an inserted hint has that could weaken anything."""
    code, words = answer.code, answer.words
    if hint.kind == "decreases" and words[hint.start + 1] == "*":
        yield _refused(
            answer, hint.start, "decreases_star", "decreases * gives up the proof of termination", cheats=True
        )
    at = hint.start
    while at < hint.end:
        word = words[at]
        if word == "{:" and words[at + 1] not in ALLOWED_ATTRIBUTES:
            yield _refused(answer, at, "attribute", f"the attribute {{:{words[at + 1]}}} is not allowed in a hint")
        elif word == "@" and code.tokens[at].start != code.tokens[at - 1].end:
            yield _refused(answer, at, "attribute", f"the attribute @{words[at + 1]} is not allowed in a hint")
        elif word in NEVER_IN_A_HINT and code.kind(at) == "name":
            cheats = word in {"assume", "expect"}
            yield _refused(answer, at, "not_a_hint", f"{word!r} is not allowed in a hint", cheats=cheats)
        elif word == "by" and words[at + 1] == "{":
            yield from _check_block(answer, at + 1)
        at += 1


def _check_block(answer: Program, brace: int) -> Iterator[Violation]:
    """The statements of a `by` block may be asserts."""
    for node in Statements(answer.code).read(brace + 1, answer.code.after_group(brace) - 1):
        if answer.words[node.start] != "assert":
            what = answer.words[node.start]
            yield _refused(answer, node.start, "not_a_hint", f"a `by` block may hold asserts only, and not {what!r}")


def _refused(answer: Program, at: int, kind: str, sentence: str, *, cheats: bool = False) -> Violation:
    return Violation(kind=kind, sentence=f"{sentence}; take it out", candidate_line=answer.line(at), cheating=cheats)


def _difference(frozen: Program, answer: Program, given_at: int, answer_at: int) -> Violation:
    """A sentence on the place where given and answer part."""
    given, words = frozen.words[given_at:], answer.words[answer_at:]
    was = given[0] if given else "the end of the program"
    now = words[0] if words else "the end of the program"
    if Counter(frozen.words) == Counter(answer.words):
        kind, what = "moved", f"{now!r} stands where the given program has {was!r}: its parts were put in another order"
    elif not words or now in given[:NEARBY]:
        kind, what = "deleted", f"{was!r} of the given program is missing"
    elif not given or was in words[:NEARBY]:
        kind, what = "inserted", f"{now!r} was added, and is no hint (assert, invariant or decreases) at its place"
    else:
        kind, what = "changed", f"{was!r} of the given program became {now!r}"
    return Violation(
        kind=kind,
        sentence=f"{what}; leave the given program as it is",
        given_line=frozen.line(given_at),
        candidate_line=answer.line(answer_at),
    )


def _line(text: str, misfit: MisfitError) -> int:
    start = misfit.token.start if misfit.token else 0
    return text.count("\n", 0, start) + 1
