"""How many verified items a program must have at least, from what is given alone.

Dafny 4.11.0 counts one item for each contract, body, definition or witness that has something to prove, even if that
is `true`; an empty method without a contract and a plain definition count nothing. Whether there is something to prove
can depend on types and on names of other members, which are not known here. Only what has something to prove in any
case is counted, so that the number is never above Dafny's. The rules were seen on 4.11.0; tests hold them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from veriloop.dafny.scan import Code, MisfitError
from veriloop.dafny.statements import CLAUSES, EXTREME, FUNCTIONS, METHODS, Node, walk
from veriloop.dafny.structure import structure

PROVING = frozenset({"assert", "calc", "for"})
"""Statements that always have something to prove."""

BEFORE_DISPLAY = CLAUSES | {"in", "if", "then", "else", "match", "case", "return", "yield", "print", "assert", "assume"}
"""Words after which a bracket opens a sequence and not an index."""


def minimum_verified(given: str) -> int:
    """The number of verified items that a program with all members of `given` has at least, by Dafny 4.11.0's count.

    At least 1: a program in which nothing is verified is not a success. 1 where `given` cannot be read, and where it
    has an attribute `only`, which takes other members out of the proof.
    """
    try:
        code, declarations = structure(given)
    except MisfitError:
        return 1
    if has_attribute(code, 0, len(code.tokens), "only"):
        return 1
    count = Count(code)
    return max(1, sum(count.items(node) for node in all_declarations(declarations)))


def all_declarations(declarations: list[Node]) -> Iterator[Node]:
    """All declarations and their members."""
    for node in declarations:
        yield node
        if node.kind not in FUNCTIONS | METHODS | {"iterator"}:
            yield from all_declarations(node.parts)


class Count:
    """Counts the sure items of the declarations of one program."""

    def __init__(self, code: Code) -> None:
        self.code = code
        texts = {token.text for token in code.tokens}
        # An index into a multiset is never out of range; without types, any index might be one.
        self.indices_prove = "multiset" not in texts
        # A call that builds a value of a codatatype needs no termination.
        self.calls_prove = "codatatype" not in texts

    def items(self, node: Node) -> int:
        """How many items a declaration has at least, its members apart."""
        if node.kind == "iterator":
            return 1
        if has_attribute(self.code, node.start, node.end, "verify"):
            return 0
        if node.kind in {"type", "newtype"}:
            return int(self._has_witness(node))
        if node.kind == "const":
            return int(self._partial(node))
        if node.kind in FUNCTIONS:
            return int(self._function_proves(node))
        if node.kind in METHODS:
            return int(self._contract_proves(node)) + int(self._body_proves(node))
        return 0

    def _has_witness(self, node: Node) -> bool:
        """Whether a type has a constraint, and a value to be proved to satisfy it."""
        end = node.parts[0].start if node.parts else node.end
        texts = [self.code.text(at) for at in range(node.start, end)]
        return "|" in texts and ("witness", "*") not in set(pairwise(texts))

    def _function_proves(self, node: Node) -> bool:
        """Whether contract and body, which are one item, have something to prove."""
        defined = _has_part(node, "body")
        if any(self._partial(part) for part in node.parts):
            return True
        return defined and (_has_part(node, "ensures") or _has_part(node, "block") or self._calls_itself(node))

    def _contract_proves(self, node: Node) -> bool:
        return any(self._partial(part) for part in node.parts if part.kind != "block")

    def _body_proves(self, node: Node) -> bool:
        """Whether there is a postcondition, a result that must be assigned, or a statement with something to prove."""
        if not _has_part(node, "block"):
            return False
        head = range(node.start, node.parts[0].start)
        if _has_part(node, "ensures") or any(self.code.text(at) == "returns" for at in head):
            return True
        ends = not any(part.kind == "decreases" and self.code.text(part.start + 1) == "*" for part in node.parts)
        body = node.parts[-1]
        if self._partial(body) or (ends and self._calls_itself(node)):
            return True
        return any(_proves(statement, ends=ends) for statement in walk(body.parts))

    def _partial(self, node: Node) -> bool:
        """Whether there is a division or an index, whose definedness has to be proved."""
        at = node.start
        while at < node.end:
            after = self.code.after_attributes(at)
            if after > at:
                at = after
                continue
            if self.code.text(at) in {"/", "%"} or (self.indices_prove and self._is_index(at)):
                return True
            at += 1
        return False

    def _is_index(self, at: int) -> bool:
        """Whether an index, or a part of a sequence with a bound, stands at a bracket; not an update."""
        code = self.code
        if code.text(at) != "[" or at == 0 or code.tokens[at - 1].end != code.tokens[at].start:
            return False
        before = code.tokens[at - 1]
        if before.text not in {")", "]"} and (before.kind != "name" or before.text in BEFORE_DISPLAY):
            return False
        inside = [code.text(i) for i in range(at + 1, code.after_group(at) - 1)]
        return inside != [".."] and ":=" not in inside

    def _calls_itself(self, node: Node) -> bool:
        """Whether the body calls its own member, so that termination has to be proved."""
        code, body = self.code, node.parts[-1]
        if not self.calls_prove or any(code.text(at) in EXTREME for at in range(node.start, node.parts[0].start)):
            return False
        return any(
            code.text(at) == node.name and code.text(at + 1) == "(" and code.text(at - 1) != "."
            for at in range(body.start, body.end)
        )


def has_attribute(code: Code, start: int, end: int, name: str) -> bool:
    """Whether an attribute of that name, in either spelling, stands anywhere between two tokens."""
    return any(code.text(at) in {"{:", "@"} and code.text(at + 1).lower() == name for at in range(start, end))


def _has_part(node: Node, kind: str) -> bool:
    return any(part.kind == kind for part in node.parts)


def _proves(statement: Node, *, ends: bool) -> bool:
    """Whether a statement has something to prove; a loop of a method that must end has its termination."""
    if statement.kind == "while":
        return ends or _has_part(statement, "invariant")
    return statement.kind in PROVING
