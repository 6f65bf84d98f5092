"""Walking along two programs at once: which tokens of an answer are the given program's, and which are insertions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from veriloop.attempts import Violation
from veriloop.dafny.lexer import SPELLINGS
from veriloop.dafny.statements import CLAUSES
from veriloop.gate.strict.insertions import Insertion, Insertions, Program

Pair = tuple[int, int]
"""A place in the given program and one in the answer, as indices of words of a view."""

NEARBY = 60
"""How many tokens ahead one looks to tell an insertion from a change."""

STEPS_PER_WORD = 10
"""How many pairs of places are visited for each word of the answer; no ground truth of DafnyBench needs more than 1."""

ENDS_CLAUSE = CLAUSES | {"{"}
"""Before these a semicolon means nothing (Dafny 3 and older have one after each clause)."""

ENDS_GUARD = ENDS_CLAUSE | {"then"}


@dataclass(frozen=True)
class View:
    """Some tokens of a program, in their order: their words, and the index in the program that each has."""

    words: Sequence[str]
    at: Sequence[int]

    def word(self, place: int) -> str:
        """The word at a place, or what to call the place after the last one."""
        return self.words[place] if place < len(self.words) else "the end of the program"

    def spans(self, insertions: Iterable[Insertion]) -> dict[int, tuple[int, Insertion]]:
        """Insertions by the place where each begins in this view, with the place after its last word.

        They come in their order. One whose words are all hidden has no length here, so that no walk takes it.
        """
        return {bisect_left(self.at, one.start): (bisect_left(self.at, one.end), one) for one in insertions}


def whole(program: Program) -> View:
    """Every token."""
    return View(program.words, range(len(program.words)))


def without(program: Program, hidden: Iterable[tuple[int, int]]) -> View:
    """All tokens but those of some stretches."""
    out = {token for start, end in hidden for token in range(start, end)}
    kept = [token for token in range(len(program.words)) if token not in out]
    return View([program.words[token] for token in kept], kept)


def respelled(program: Program) -> View:
    """The tokens in one spelling: no semicolons after clauses, no parentheses around whole guards, ASCII, decimals."""
    words, out = program.words, set[int]()
    for at, word in enumerate(words):
        if word == ";" and words[at + 1 : at + 2] and words[at + 1] in ENDS_CLAUSE:
            out.add(at)
        if word in {"if", "while"} and words[at + 1 : at + 2] == ["("]:
            closing = program.code.partner[at + 1]
            if words[closing + 1 : closing + 2] and words[closing + 1] in ENDS_GUARD:
                out |= {at + 1, closing}
    kept = [at for at in range(len(words)) if at not in out]
    return View([_spelling(words[at]) for at in kept], kept)


def _spelling(word: str) -> str:
    if word[0].isdigit() and "." not in word:
        return str(int(word.replace("_", ""), 0 if word.startswith("0x") else 10))
    return SPELLINGS.get(word, word)


def align(given: View, answer: View, insertions: Mapping[int, tuple[int, Insertion]]) -> tuple[list[int] | None, Pair]:
    """Where insertions begin in the answer; or None and the places in both up to which they go together.

    A depth-first walk that enters a hint which the given program may have too before it takes it for an insertion;
    each pair of places is visited once. Where many hints are alike a wrong answer could make it visit all pairs, so it
    gives up after a number of them that grows with the programs.
    """
    best = (0, 0)
    seen: set[Pair] = set()
    came: dict[Pair, tuple[Pair, bool]] = {}
    todo: list[Pair] = [(0, 0)]
    end = (len(given.words), len(answer.words))
    most = STEPS_PER_WORD * (len(answer.words) + NEARBY)
    while todo and len(seen) < most:
        place = todo.pop()
        seen.add(place)
        if place == end:
            return _inserted(came, place), place
        best = max(best, place)
        for after, inserts in _steps(given.words, answer.words, insertions, place):
            if after not in seen:
                came[after] = (place, inserts)
                todo.append(after)
    return None, best


def _steps(
    given: Sequence[str], answer: Sequence[str], insertions: Mapping[int, tuple[int, Insertion]], place: Pair
) -> Iterator[tuple[Pair, bool]]:
    """The places that can follow, and whether an insertion lies between; what is yielded last is tried first."""
    given_at, answer_at = place
    if answer_at in insertions:
        yield (given_at, insertions[answer_at][0]), True
    if given_at < len(given) and answer_at < len(answer) and given[given_at] == answer[answer_at]:
        yield (given_at + 1, answer_at + 1), False


def _inserted(came: Mapping[Pair, tuple[Pair, bool]], place: Pair) -> list[int]:
    found: list[int] = []
    while place in came:
        place, inserts = came[place]
        if inserts:
            found.append(place[1])
    return found[::-1]


def only_moved(given: Insertions, answer: Insertions) -> bool:
    """Whether both have the same words, hints aside, in another order."""
    return _outside(given) == _outside(answer)


def _outside(insertions: Insertions) -> Counter[str]:
    """How often each word occurs outside of what could be an insertion."""
    words = insertions.answer.words
    found: Counter[str] = Counter()
    at = 0
    while at < len(words):
        if at in insertions.by_start:
            at = insertions.by_start[at].end
        else:
            found[words[at]] += 1
            at += 1
    return found


def difference(frozen: Program, answer: Program, given_view: View, answer_view: View, reached: Pair) -> Violation:
    """A sentence on the place where given and answer part."""
    given = given_view.words[reached[0] : reached[0] + NEARBY]
    words = answer_view.words[reached[1] : reached[1] + NEARBY]
    was, now = given_view.word(reached[0]), answer_view.word(reached[1])
    if not words or now in given:
        kind, what = "deleted", f"{was!r} of the given program is missing"
    elif not given or was in words:
        kind, what = "inserted", f"{now!r} was added, and is nothing that may be added at its place"
    else:
        kind, what = "changed", f"{was!r} of the given program became {now!r}"
    return violation(frozen, answer, given_view, answer_view, reached, kind=kind, what=what)


def violation(
    frozen: Program, answer: Program, given: View, candidate: View, reached: Pair, *, kind: str, what: str
) -> Violation:
    """A violation with the lines of both places."""
    return Violation(
        kind=kind,
        sentence=f"{what}; leave the given program as it is",
        given_line=frozen.line(_token(given, reached[0])),
        candidate_line=answer.line(_token(candidate, reached[1])),
    )


def _token(view: View, place: int) -> int:
    """The index in the program of a place of a view; past the end of the view, that of its last token."""
    return view.at[min(place, len(view.at) - 1)] if view.at else 0
