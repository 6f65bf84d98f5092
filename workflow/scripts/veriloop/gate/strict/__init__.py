"""The gate that allows: an answer is the given program, token for token, plus whole constructs where they belong.

A token of the answer is either the next token of the given program, or part of an inserted construct of a short list;
anything else is a violation, whatever it may be. Blanks and comments do not count.

- Level `hints`: assert (also with `by` and asserts inside), invariants of loops, decreases of loops and members.
- Level `ghost`: also calc, forall statements with bodies, initialised ghost variables, reveal, calls of lemmas, and new
  lemmas, ghost functions and predicates with bodies, under names that the given program does not use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Violation
from veriloop.dafny.scan import MisfitError
from veriloop.gate.strict.insertions import Insertion, Insertions, Level, Program

Pair = tuple[int, int]
"""A place in the given program and one in the answer, as indices of tokens."""

NEARBY = 60
"""How many tokens ahead one looks to tell an insertion from a change."""


class Options(BaseModel):
    """`level`: what may be added, `hints` or `ghost`."""

    model_config = ConfigDict(extra="forbid")

    level: Level = "hints"


def make(options: Options) -> StrictGate:
    """The gate."""
    return StrictGate(options.level)


class StrictGate:
    """The given program plus insertions of a level."""

    def __init__(self, level: Level = "hints") -> None:
        self.level = level

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
            insertions = Insertions(answer, self.level, frozen.names())
        except MisfitError as misfit:
            line = _line(candidate, misfit)
            sentence = f"the answer cannot be read as Dafny: {misfit.reason}; correct it at this place"
            return [Violation(kind="unreadable", sentence=sentence, candidate_line=line)]
        return list(_compare(frozen, answer, insertions))


def _compare(frozen: Program, answer: Program, insertions: Insertions) -> Iterator[Violation]:
    inserted, reached = _align(frozen, answer, insertions.by_start)
    if inserted is None:
        yield _difference(frozen, answer, *reached)
        return
    for one in inserted:
        yield from insertions.check(one)


def _align(frozen: Program, answer: Program, insertions: dict[int, Insertion]) -> tuple[list[Insertion] | None, Pair]:
    """The inserted hints; or None and the places in given and answer up to which they go together.

    A depth-first walk that enters a hint which the given program may have too before it takes it for an insertion;
    each pair of places is visited once.
    """
    best = (0, 0)
    seen: set[Pair] = set()
    came: dict[Pair, tuple[Pair, Insertion | None]] = {}
    todo: list[Pair] = [(0, 0)]
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
        hint = insertions.get(answer_at)
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


def _inserted(came: dict[Pair, tuple[Pair, Insertion | None]], place: Pair) -> list[Insertion]:
    found: list[Insertion] = []
    while place in came:
        place, hint = came[place]
        if hint is not None:
            found.append(hint)
    return found[::-1]


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
        kind, what = "inserted", f"{now!r} was added, and is nothing that may be added at its place"
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
