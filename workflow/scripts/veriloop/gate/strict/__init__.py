"""The gate that allows: an answer is the given program, token for token, plus whole constructs where they belong.

A token of the answer is either the next token of the given program, or part of an inserted construct of a short list;
anything else is a violation, whatever it may be. Blanks and comments do not count.

- Level `hints`: assert (also with `by` and asserts inside), invariants of loops, decreases of loops and members.
- Level `ghost`: also calc, forall statements with bodies, initialised ghost variables, reveal, calls of lemmas, and new
  lemmas, ghost functions and predicates with bodies, under names that the given program does not use.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Violation
from veriloop.dafny.scan import MisfitError
from veriloop.gate.strict.alignment import align, difference, only_moved, respelled, violation, whole
from veriloop.gate.strict.insertions import Insertions, Level, Program


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
        read = read_both(given, candidate, self.level)
        return [read] if isinstance(read, Violation) else list(_compare(*read))


def read_both(given: str, candidate: str, level: Level) -> tuple[Program, Program, Insertions] | Violation:
    """Both programs and what may be inserted, or why one of them cannot be read.

    A given program that is broken is not the answer's fault.
    """
    try:
        frozen = Program(given)
    except MisfitError as misfit:
        sentence = f"the given program is broken ({misfit.reason}): nobody can tell what an answer may add to it"
        return Violation(kind="given_unreadable", sentence=sentence, given_line=_line(given, misfit))
    try:
        answer = Program(candidate)
        return frozen, answer, Insertions(answer, level, set(frozen.words))
    except MisfitError as misfit:
        sentence = f"the answer cannot be read as Dafny: {misfit.reason}; correct it at this place"
        return Violation(kind="unreadable", sentence=sentence, candidate_line=_line(candidate, misfit))


def _compare(frozen: Program, answer: Program, insertions: Insertions) -> Iterator[Violation]:
    ones = insertions.by_start.values()
    given, candidate = whole(frozen), whole(answer)
    spans = candidate.spans(ones)
    inserted, reached = align(given, candidate, spans)
    if inserted is not None:
        for start in inserted:
            yield from insertions.check(spans[start][1])
        return
    other = respelled(answer)
    if align(respelled(frozen), other, other.spans(ones))[0] is not None:
        what = f"{given.word(reached[0])!r} of the given program is spelled {candidate.word(reached[1])!r}"
        yield violation(frozen, answer, given, candidate, reached, kind="respelled", what=what)
    elif only_moved(Insertions(frozen, insertions.level, set()), insertions):
        now, was = candidate.word(reached[1]), given.word(reached[0])
        what = f"{now!r} stands where the given program has {was!r}: its parts were put in another order"
        yield violation(frozen, answer, given, candidate, reached, kind="moved", what=what)
    else:
        yield difference(frozen, answer, given, candidate, reached)


def _line(text: str, misfit: MisfitError) -> int:
    start = misfit.token.start if misfit.token else 0
    return text.count("\n", 0, start) + 1
