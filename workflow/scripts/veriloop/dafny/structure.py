"""The structure of a Dafny program: modules, declarations, members, clauses, statements and loops, with their extents.

A recursive descent over tokens, without types or names resolved. What it cannot place raises MisfitError.
"""

from __future__ import annotations

from collections.abc import Callable

from veriloop.dafny.expressions import expression_end
from veriloop.dafny.scan import Code
from veriloop.dafny.statements import (
    DECLARATIONS,
    EXTREME,
    FUNCTIONS,
    METHODS,
    MODIFIERS,
    Node,
    Statements,
    read_clauses,
)

ENDS_VALUE = DECLARATIONS | {"witness", "extends"}
"""What may follow the expression of a constant or of a subset type."""


def structure(program: str) -> tuple[Code, list[Node]]:
    """The program's tokens, and its declarations at the top.

    Raises:
        MisfitError: a part that cannot be placed.
    """
    code = Code(program)
    return code, Declarations(code).read(0, len(code.tokens))


class Declarations:
    """Reads declarations and members."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.statements = Statements(code)

    def read(self, at: int, end: int) -> list[Node]:
        """All declarations from `at` to `end`."""
        found: list[Node] = []
        while at < end:
            if self.code.text(at) == ";":
                at += 1
                continue
            node = self._one(at)
            found.append(node)
            at = node.end
        return found

    def _one(self, start: int) -> Node:
        code = self.code
        at = code.after_attributes(start)
        while code.text(at) in MODIFIERS | EXTREME:
            at = code.after_attributes(at + 1)
        word = code.text(at)
        node = Node(word, "", start, at + 1)
        if word in FUNCTIONS | METHODS:
            self._callable(node, at)
        elif (read := self._readers().get(word)) is not None:
            read(node, at + 1)
        else:
            raise code.misfit(f"{word or 'the end'!r} begins no declaration", at)
        return node

    def _readers(self) -> dict[str, Callable[[Node, int], None]]:
        return {
            "module": self._module,
            "import": self._import,
            "export": self._export,
            "include": self._include,
            "datatype": self._datatype,
            "codatatype": self._datatype,
            "type": self._type,
            "newtype": self._type,
            "class": self._class,
            "trait": self._class,
            "iterator": self._iterator,
            "const": self._const,
            "var": self._field,
        }

    def _named(self, node: Node, at: int) -> int:
        at = self.code.after_attributes(at)
        end = self.code.after_name(at)
        node.name = "".join(self.code.text(i) for i in range(at, end))
        return end

    def _members(self, node: Node, at: int) -> int:
        """The members in the braces at `at`, if there are any; the index after them."""
        if self.code.text(at) != "{":
            return at
        end = self.code.after_group(at)
        with self.code.nested(at):
            node.parts += self.read(at + 1, end - 1)
        return end

    def _module(self, node: Node, at: int) -> None:
        at = self._named(node, at)
        if self.code.text(at) in {"refines", "replaces"}:
            at = self.code.after_name(at + 1)
        node.end = self._members(node, at)

    def _import(self, node: Node, at: int) -> None:
        at += self.code.text(at) == "opened"
        at = self._named(node, at)
        if self.code.text(at) in {"=", ":", "as"}:
            at = self.code.after_name(at + 1)
        if self.code.text(at) == "`":
            at = self.code.after_group(at + 1) if self.code.text(at + 1) == "{" else at + 2
        node.end = at

    def _export(self, node: Node, at: int) -> None:
        words = {"provides", "reveals", "extends"}
        if self.code.kind(at) == "name" and self.code.text(at) not in words | DECLARATIONS:
            node.name = self.code.text(at)
            at += 1
        while self.code.text(at) in words:
            at += 1
            while True:
                at = at + 1 if self.code.text(at) == "*" else self.code.after_name(at)
                if self.code.text(at) != ",":
                    break
                at += 1
        node.end = at

    def _include(self, node: Node, at: int) -> None:
        node.end = at + 1

    def _extends(self, at: int) -> int:
        if self.code.text(at) == "extends":
            at = self.code.after_type(at + 1)
            while self.code.text(at) == ",":
                at = self.code.after_type(at + 1)
        return at

    def _parameters(self, at: int) -> int:
        """After type parameters and marks such as `(==)`."""
        if self.code.text(at) == "(" and self.code.text(at + 1) in {"==", "0", "00", "!"}:
            at = self.code.after_group(at)
        return self.code.after_type_arguments(at)

    def _datatype(self, node: Node, at: int) -> None:
        at = self._extends(self._parameters(self._named(node, at)))
        if self.code.text(at) == "=":
            at += 1
            at += self.code.text(at) == "|"
            while True:
                at = self.code.after_attributes(at)
                at += self.code.text(at) == "ghost"
                at = self.code.after_name(self.code.after_attributes(at))
                at = self.code.after_group(at) if self.code.text(at) == "(" else at
                if self.code.text(at) != "|":
                    break
                at += 1
        node.end = self._members(node, at)

    def _type(self, node: Node, at: int) -> None:
        at = self._extends(self._parameters(self._named(node, at)))
        if self.code.text(at) == "=":
            at += 1
            if self.code.kind(at) == "name" and self.code.text(at + 1) in {":", "|"}:
                at += 1
                at = self.code.after_type(at + 1) if self.code.text(at) == ":" else at
                if self.code.text(at) != "|":
                    raise self.code.misfit("a subset type without its bar", at)
                at = expression_end(self.code, at + 1, ENDS_VALUE)
            else:
                at = self.code.after_type(at)
            at = self._witness(at)
        node.end = self._members(node, at)

    def _witness(self, at: int) -> int:
        after = at + (self.code.text(at) == "ghost")
        if self.code.text(after) != "witness":
            return at
        return after + 2 if self.code.text(after + 1) == "*" else expression_end(self.code, after + 1, ENDS_VALUE)

    def _class(self, node: Node, at: int) -> None:
        at = self._extends(self._parameters(self._named(node, at)))
        node.end = self._members(node, at + (self.code.text(at) == "..."))

    def _iterator(self, node: Node, at: int) -> None:
        at = self._parameters(self._named(node, at))
        at = self.code.after_group(at)
        if self.code.text(at) == "yields":
            at = self.code.after_group(at + 1)
        at = read_clauses(self.code, node, at)
        node.end = self.statements.body(node, at) if self.code.text(at) == "{" else at

    def _const(self, node: Node, at: int) -> None:
        at = self._named(node, at)
        if self.code.text(at) == ":":
            at = self.code.after_type(at + 1)
        if self.code.text(at) == ":=":
            at = expression_end(self.code, at + 1, ENDS_VALUE)
        node.end = at

    def _field(self, node: Node, at: int) -> None:
        at = self._named(node, at)
        while True:
            if self.code.text(at) == ":":
                at = self.code.after_type(at + 1)
            if self.code.text(at) != ",":
                break
            # Fields declared together are parts of the first.
            another = Node("var", "", at + 1, at + 2)
            at = another.end = self._named(another, at + 1)
            node.parts.append(another)
        node.end = at

    def _callable(self, node: Node, at: int) -> None:
        code = self.code
        word = code.text(at)
        at += 1
        is_function = word in FUNCTIONS
        if is_function and code.text(at) == "method":
            at += 1
        at = self._signature(node, at, is_function=is_function)
        at = read_clauses(self.code, node, at)
        if code.text(at) == "{":
            if not is_function:
                node.end = self.statements.body(node, at)
                return
            node.parts.append(Node("body", "", at, code.after_group(at)))
            at = code.after_group(at)
            if code.text(at) == "by" and code.text(at + 1) == "method":
                at = self.statements.body(node, at + 2)
        node.end = at

    def _signature(self, node: Node, at: int, *, is_function: bool) -> int:
        """After name, type parameters, parameters and results."""
        code = self.code
        at = code.after_attributes(at)
        if code.text(at) not in {"(", "<", "..."}:
            at = self._named(node, at)
        if code.text(at) == "[":
            at = code.after_group(at)
        at = code.after_type_arguments(at)
        if code.text(at) == "...":
            at += 1
        elif code.text(at) == "(":
            at = code.after_group(at)
        if is_function and code.text(at) == ":":
            at = code.after_type(at + 1)
        if code.text(at) == "returns":
            at = code.after_group(at + 1)
        return at
