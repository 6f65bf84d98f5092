"""The constructs that an answer may add to a given program, and what each of them must and must not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from veriloop.attempts import Violation
from veriloop.dafny.scan import Code
from veriloop.dafny.statements import CLAUSES, Node, Statements, walk
from veriloop.dafny.structure import Declarations

Level = Literal["hints", "ghost"]

ALLOWED_ATTRIBUTES = frozenset({"trigger", "split_here", "focus", "fuel", "induction", "autotriggers", "nowarn"})
"""Attributes that steer a proof and drop no obligation (Dafny reference manual, section 11)."""

FORBIDDEN: dict[Level, frozenset[str]] = {
    "hints": frozenset({"assume", "expect", "calc", "reveal", "hide"}),
    "ghost": frozenset({"assume", "expect", "hide", "new", "method"}),
}
"""Words that may stand in no insertion of a level, within an expression either; which statements may is said below."""

DECREASES_STAR = ("decreases_star", "decreases * gives up the proof of termination")
CHEATS = frozenset({"assume", "expect"})
LOOPS = frozenset({"while", "for"})
BEFORE_CALLS = frozenset({"{", "then", "else", "=>", ";"})
"""After these an expression begins, and may begin with the call of a lemma."""

PROOF = frozenset({"assert", "calc", "forall", "reveal", "ghost", "var", "if", "match", "case", "block"})
"""Statements of a proof within frozen code; calls of lemmas are beside them."""

LEMMA_BODY = PROOF | LOOPS | {"update", "return", "break", "continue"}
"""Statements of a new lemma's body: it is ghost as a whole, and changes nothing outside of it."""


@dataclass(frozen=True)
class Insertion:
    """A construct that may be an insertion: tokens `start` to `end`, the end excluded."""

    kind: str
    start: int
    end: int
    node: Node


class Program:
    """A program with its structure."""

    def __init__(self, text: str) -> None:
        """Read a program.

        Raises:
            MisfitError: a part of it cannot be placed.
        """
        self.text = text
        self.code = Code(text)
        self.words = [token.text for token in self.code.tokens]
        self.nodes = Declarations(self.code).read(0, len(self.words))

    def line(self, at: int) -> int | None:
        """The line of a token, from 1; of the last one past the end; None for a program without tokens."""
        if not self.words:
            return None
        start = self.code.tokens[min(at, len(self.words) - 1)].start
        return self.text.count("\n", 0, start) + 1


class Insertions:
    """What of an answer may be an insertion, and whether an insertion has what it must and nothing else."""

    def __init__(self, answer: Program, level: Level, taken: set[str]) -> None:
        """Find all constructs of the level.

        Args:
            answer: the answer.
            level: which constructs.
            taken: the words that occur in the given program; new declarations and variables must have others.
        """
        self.answer = answer
        self.level = level
        self.taken = taken
        every = list(walk(answer.nodes))
        self._lemmas = {n.name for n in every} - {n.name for n in every if n.kind != "lemma"}
        self.by_start = {one.start: one for one in (*self._clauses(every), *self._asserts())}
        if level == "ghost":
            for one in self._ghosts(every):
                self.by_start.setdefault(one.start, one)

    def _clauses(self, every: list[Node]) -> Iterator[Insertion]:
        """Invariants of loops with bodies (those of a loop without one are assumed), decreases, and hints of calc."""
        for whole in every:
            for part in whole.parts:
                holds = part.kind == "invariant" and whole.kind in LOOPS and has_body(whole)
                if holds or part.kind == "decreases" or whole.kind == "calc":
                    yield Insertion(part.kind, part.start, part.end, part)

    def _asserts(self) -> Iterator[Insertion]:
        """Every assert, as a statement or within an expression; those in attributes are none."""
        code, words = self.answer.code, self.answer.words
        at = 0
        while at < len(words):
            if words[at] == "{:":
                at = code.after_group(at)
                continue
            if words[at] == "assert":
                node = Statements(code).claim(at)
                yield Insertion("assert", at, node.end, node)
            at += 1

    def _ghosts(self, every: list[Node]) -> Iterator[Insertion]:
        """Statements of a proof, and declarations of new lemmas, ghost functions and predicates."""
        for node in every:
            if node.kind == "body":
                yield from self._calls_within(node)
            if node.kind in {"lemma", "function", "predicate"}:
                if node.name not in self.taken:
                    yield Insertion("declaration", node.start, node.end, node)
                continue
            if node.kind in {"calc", "forall", "reveal", "ghost"} or self._calls_a_lemma(node):
                yield Insertion(node.kind, node.start, node.end, node)

    def _calls_a_lemma(self, node: Node) -> bool:
        """Whether a statement is `Name(…);` of a lemma, and nothing else."""
        return self._after_call(node.start) == node.end

    def _calls_within(self, body: Node) -> Iterator[Insertion]:
        """Calls of lemmas before an expression, within the body of a function."""
        for at in range(body.start + 1, body.end - 1):
            if self.answer.words[at - 1] in BEFORE_CALLS and (end := self._after_call(at)):
                yield Insertion("call", at, end, Node("update", "", at, end))

    def _after_call(self, at: int) -> int | None:
        """The index after `Name(…);` of a lemma; None where nothing like it stands."""
        code = self.answer.code
        if code.kind(at) != "name":
            return None
        after = code.after_name(at)
        if self.answer.words[after - 1] not in self._lemmas:
            return None
        after = code.after_type_arguments(after)
        after = code.after_group(after) if code.text(after) == "(" else after
        return after + 1 if code.text(after) == ";" and code.text(after - 1) == ")" else None

    def check(self, one: Insertion) -> Iterator[Violation]:
        """What an insertion has that could weaken anything, or lacks."""
        for _, violation in banned(self.answer, one.start, one.end, FORBIDDEN[self.level]):
            yield violation
        if one.kind == "declaration":
            yield from self._check_declaration(one.node)
        else:
            yield from self._check_proof(one.node, PROOF)

    def _check_declaration(self, node: Node) -> Iterator[Violation]:
        words = self.answer.words[node.start : node.end]
        if node.kind == "lemma":
            if not has_body(node):
                yield self._refused(
                    node.start, "no_body", f"lemma {node.name} has no body and would be assumed", cheats=True
                )
        elif "ghost" not in words[: words.index(node.kind)]:
            yield self._refused(node.start, "not_ghost", f"{node.kind} {node.name} is not ghost")
        elif [part.kind for part in node.parts if part.kind in {"body", "block"}] != ["body"]:
            yield self._refused(node.start, "no_body", f"{node.kind} {node.name} has no body of its own", cheats=True)
        for part in node.parts:
            yield from self._check_proof(part, LEMMA_BODY)

    def _check_proof(self, node: Node, allowed: frozenset[str]) -> Iterator[Violation]:
        """The statements within a node, all the way down, are of a kind that is allowed, and complete."""
        if node.kind in LOOPS | {"forall"} and not has_body(node):
            yield self._refused(node.start, "no_body", f"a {node.kind} without a body is assumed", cheats=True)
        if node.kind in {"ghost", "var"} and allowed is PROOF:
            yield from self._check_variables(node)
        for part in node.parts:
            if part.kind in CLAUSES:
                continue
            fits = part.kind in allowed or self._calls_a_lemma(part)
            if not fits or (self.level == "hints" and part.kind not in {"assert", "block"}):
                what = self.answer.words[part.start]
                yield self._refused(
                    part.start, "not_a_hint", f"{what!r} begins no statement that a proof may have here"
                )
            else:
                yield from self._check_proof(part, allowed)

    def _check_variables(self, node: Node) -> Iterator[Violation]:
        """A new variable has a value, and a name that the given program does not use."""
        words = self.answer.words[node.start : node.end]
        signs = [words.index(sign) for sign in (":=", ":|") if sign in words]
        if words[:2] != ["ghost", "var"] or not signs:
            yield self._refused(node.start, "not_a_hint", "a variable of a proof is ghost and has a value")
            return
        for name in _declared(words[2 : min(signs)]):
            if name in self.taken:
                yield self._refused(node.start, "shadows", f"{name!r} is a name that the given program uses")

    def _refused(self, at: int, kind: str, sentence: str, *, cheats: bool = False) -> Violation:
        return refused(self.answer, at, kind, sentence, cheats=cheats)


def banned(answer: Program, start: int, end: int, words: frozenset[str]) -> Iterator[tuple[int, Violation]]:
    """What may not stand between two tokens, and where: attributes, `decreases *`, and some words.

    Args:
        answer: the program.
        start: index of the first token.
        end: index after the last one.
        words: the words.
    """
    code = answer.code
    for at in range(start, end):
        word = code.text(at)
        after = code.text(at + 1)
        if word == "decreases" and after == "*":
            yield at, refused(answer, at, *DECREASES_STAR, cheats=True)
        elif word == "{:" and after not in ALLOWED_ATTRIBUTES:
            yield at, refused(answer, at, "attribute", f"the attribute {{:{after}}} is not allowed here")
        elif word == "@" and code.tokens[at].start != code.tokens[at - 1].end:
            yield at, refused(answer, at, "attribute", f"the attribute @{after} is not allowed here")
        elif word in words:
            yield at, refused(answer, at, "not_a_hint", f"{word!r} is not allowed here", cheats=word in CHEATS)


def refused(answer: Program, at: int, kind: str, sentence: str, *, cheats: bool = False) -> Violation:
    """A violation at a token of the answer."""
    return Violation(kind=kind, sentence=f"{sentence}; take it out", candidate_line=answer.line(at), cheating=cheats)


def has_body(node: Node) -> bool:
    """Whether a loop or a callable has statements."""
    return any(part.kind in {"block", "case"} for part in node.parts)


def _declared(words: list[str]) -> Iterator[str]:
    """The names between `var` and its value; those of types, which follow a colon, are none, and neither is `_`."""
    depth, type_at = 0, None
    for word in words:
        depth += (word in {"(", "<"}) - (word in {")", ">"})
        if word == ":":
            type_at = depth
        elif type_at is None:
            if word[0].isalpha() or word[0] in "'?":
                yield word
        elif depth < type_at or (word == "," and depth == type_at):
            type_at = None
