"""The members of a program that something is to be proved of: what they are called, and on which lines they stand."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from veriloop.dafny.scan import MisfitError
from veriloop.dafny.statements import FUNCTIONS, METHODS, walk
from veriloop.dafny.structure import structure


@dataclass(frozen=True)
class Member:
    """A method, lemma or function; lines count from 1, both ends included."""

    kind: str
    name: str
    first_line: int
    last_line: int


def members(program: str) -> list[Member]:
    """The members in their order; none of a program that cannot be read."""
    try:
        code, nodes = structure(program)
    except MisfitError:
        return []
    breaks = [at for at, letter in enumerate(program) if letter == "\n"]

    def line(offset: int) -> int:
        return bisect_right(breaks, offset - 1) + 1

    return [
        Member(node.kind, node.name, line(code.tokens[node.start].start), line(code.tokens[node.end - 1].end - 1))
        for node in walk(nodes)
        if node.name and node.kind in METHODS | FUNCTIONS
    ]


def target_of(program: str) -> str:
    """What a prompt calls the target of a task: the members, by name."""
    return ", ".join(f"{member.kind} {member.name}" for member in members(program))
