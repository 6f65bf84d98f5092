"""The gate for synthesis: bodies may be written, everything else stays as it was given.

Outside of the bodies of methods, lemmas and iterators an answer is the given program, token for token: signatures,
types, contracts, frames, predicates, functions, constants, datatypes, attributes and modules. To it may be added what
gate `strict` adds at level `ghost`, and helpers under names that the given program does not use: methods, lemmas,
functions, predicates, constants and types, each complete. A function that was given without a body may get one. No
body that was written may assume anything, leave a loop or a forall without a body, or give up termination.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Violation
from veriloop.dafny.statements import FUNCTIONS, METHODS, Node, walk
from veriloop.gate.strict import read_both
from veriloop.gate.strict.alignment import align, difference, without
from veriloop.gate.strict.insertions import (
    CHEATS,
    LOOPS,
    Insertion,
    Insertions,
    Program,
    banned,
    has_body,
    refused,
)

CALLABLES = FUNCTIONS | METHODS | {"iterator"}
HELPERS = frozenset({"method", "lemma", "function", "predicate", "const", "datatype", "type", "newtype"})
CONTAINERS = frozenset({"module", "class", "trait", "datatype", "codatatype", "type", "newtype"})
STAY_OPEN = frozenset({"abstract", "refines", "trait"})
"""Words at the head of a container whose members may be without bodies."""

ASSUMED = frozenset({"extern", "axiom"})
"""Attributes by which a given program says that a member has no body on purpose."""


class Options(BaseModel):
    """`open_bodies`: whether a member that the given program leaves without a body must get one.

    `must_be_written` where they are what the task asks for; `may_stay` where the given program is complete as it is.
    """

    model_config = ConfigDict(extra="forbid")

    open_bodies: Literal["must_be_written", "may_stay"] = "must_be_written"


def make(options: Options) -> ContractGate:
    """The gate."""
    return ContractGate(must_write=options.open_bodies == "must_be_written")


class ContractGate:
    """The given program with other bodies."""

    def __init__(self, *, must_write: bool = True) -> None:
        self.must_write = must_write

    def check(self, given: str, candidate: str) -> list[Violation]:
        """The first difference outside of bodies, or what written bodies and helpers have too much or lack."""
        read = read_both(given, candidate, "ghost")
        if isinstance(read, Violation):
            return [read]
        frozen, answer, insertions = read
        return list(_compare(frozen, answer, insertions, self.must_write))


@dataclass(frozen=True)
class Member:
    """A callable of a program, and whether it may be without a body where it stands."""

    node: Node
    may_stay_open: bool

    @property
    def written(self) -> list[Node]:
        """Its bodies: statements, of a function by method also the expression."""
        return [part for part in self.node.parts if part.kind in {"block", "body"}]


def _members(
    nodes: list[Node], program: Program, path: str = "", *, stay: bool = False
) -> Iterator[tuple[str, Member]]:
    """Every callable with its path, such as `Module.Class.Method`."""
    for node in nodes:
        here = f"{path}.{node.name}"
        if node.kind in CALLABLES:
            words = program.words[node.start : node.end]
            given_up = any(opening == "{:" and name in ASSUMED for opening, name in pairwise(words))
            yield here, Member(node, stay or given_up)
        elif node.kind in CONTAINERS:
            head = program.words[node.start : node.parts[0].start if node.parts else node.end]
            yield from _members(node.parts, program, here, stay=stay or not STAY_OPEN.isdisjoint(head))


def _compare(frozen: Program, answer: Program, insertions: Insertions, must_write: bool) -> Iterator[Violation]:
    before = dict(_members(frozen.nodes, frozen))
    after = list(_members(answer.nodes, answer))
    given = without(frozen, (span for path, member in before.items() for span in _free(member, member)))
    candidate = without(answer, (span for path, member in after for span in _free(member, before.get(path))))
    spans = candidate.spans([*insertions.by_start.values(), *_helpers(answer, insertions.taken)])
    inserted, reached = align(given, candidate, spans)
    if inserted is None:
        yield difference(frozen, answer, given, candidate, reached)
        return
    for start in inserted:
        one = spans[start][1]
        yield from _check_helper(answer, one.node) if one.kind == "helper" else insertions.check(one)
    for path, member in after:
        if path in before:
            yield from _check_member(frozen, before[path], answer, member, must_write)


def _free(member: Member, given: Member | None) -> Iterator[tuple[int, int]]:
    """The stretches of a member that need not be as given: statements, and the expression where none was given."""
    for part in member.written:
        if part.kind == "block" or (given is not None and not given.written):
            yield part.start, part.end


def _helpers(answer: Program, taken: set[str]) -> Iterator[Insertion]:
    """New declarations, wherever a declaration may stand, under new names."""
    for node in walk(answer.nodes):
        if node.kind in HELPERS and taken.isdisjoint(_names(answer, node)):
            yield Insertion("helper", node.start, node.end, node)


def _names(answer: Program, node: Node) -> Iterator[str]:
    """The names that a declaration brings into the scope that it stands in: its own, and its constructors'."""
    yield node.name
    if node.kind == "datatype":
        for at in range(node.start, node.end - 1):
            if answer.words[at] in {"=", "|"}:
                name = answer.code.after_attributes(at + 1)
                if answer.code.text(name) == "ghost":
                    name = answer.code.after_attributes(name + 1)
                yield answer.code.text(name)


def _check_helper(answer: Program, node: Node) -> Iterator[Violation]:
    """A new declaration is complete and has nothing that could weaken a proof."""
    for _, violation in _offences(answer, node):
        yield violation
    for one in (node, *(part for part in node.parts if node.kind in CONTAINERS)):
        what = f"{one.kind} {one.name}"
        if one.kind not in HELPERS:
            yield refused(answer, one.start, "inserted", f"{what} is nothing that a helper may have")
        elif not _is_complete(answer, one):
            yield refused(answer, one.start, "no_body", f"{what} is not complete and would be assumed", cheats=True)


def _is_complete(answer: Program, node: Node) -> bool:
    """Whether a callable has a body, a constant a value, and a type a definition."""
    if node.kind in CALLABLES:
        return bool(Member(node, may_stay_open=False).written)
    return (":=" if node.kind == "const" else "=") in answer.words[node.start : node.end]


def _check_member(
    frozen: Program, before: Member, answer: Program, after: Member, must_write: bool
) -> Iterator[Violation]:
    """What a member's body has that the given one had not, or that it is missing."""
    name = after.node.name or after.node.kind
    if len(after.written) < len(before.written):
        yield _no_body(answer, after, f"{name} lost its body, and its contract would be assumed", cheats=True)
    elif not after.written and must_write and not before.may_stay_open:
        yield _no_body(answer, after, f"{name} has no body", cheats=False)
    had = Counter(words for part in before.written for words, _ in _offences(frozen, part))
    for part in after.written:
        for words, violation in _offences(answer, part):
            had[words] -= 1
            if had[words] < 0:
                yield violation


def _no_body(answer: Program, member: Member, what: str, *, cheats: bool) -> Violation:
    line = answer.line(member.node.start)
    return Violation(kind="no_body", sentence=f"{what}; write one", candidate_line=line, cheating=cheats)


def _offences(program: Program, node: Node) -> Iterator[tuple[tuple[str, ...], Violation]]:
    """Everything in a node that could weaken a proof, each with the words up to its end."""
    for at, violation in banned(program, node.start, node.end, CHEATS):
        end = next((i for i in range(at, node.end) if program.words[i] == ";"), node.end)
        yield tuple(program.words[at:end]), violation
    for part in walk([node]):
        if part.kind in LOOPS | {"forall"} and not has_body(part):
            violation = refused(program, part.start, "no_body", f"a {part.kind} without a body is assumed", cheats=True)
            yield tuple(program.words[part.start : part.end]), violation
