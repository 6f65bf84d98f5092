"""The statements and clauses of a Dafny program, each with its extent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from veriloop.dafny.expressions import expression_end
from veriloop.dafny.scan import Code

CLAUSES = frozenset({"requires", "ensures", "modifies", "reads", "decreases", "invariant", "provides", "yield"})
MODIFIERS = frozenset({"abstract", "ghost", "static", "protected", "opaque", "hidden", "replaceable", "twostate"})
FUNCTIONS = frozenset({"function", "predicate", "copredicate"})
METHODS = frozenset({"method", "lemma", "colemma", "comethod", "constructor"})
EXTREME = frozenset({"least", "greatest", "inductive"})
TYPES = frozenset({"datatype", "codatatype", "type", "newtype", "class", "trait", "iterator"})
DECLARATIONS = (
    FUNCTIONS | METHODS | EXTREME | TYPES | MODIFIERS | {"module", "import", "export", "include", "const", "var"}
)


@dataclass
class Node:
    """A piece of a program: tokens `start` to `end`, the end excluded, with the pieces inside it in order.

    Attributes:
        kind: the word that begins it, such as `method`, `while`, `requires` or `assert`; `block`, `body` and `update`
            have none.
        name: of a declaration, else empty.
        start: index of the first token, modifiers and attributes included.
        end: index after the last one.
        parts: clauses, members, statements.
    """

    kind: str
    name: str
    start: int
    end: int
    parts: list[Node] = field(default_factory=list)


def walk(nodes: list[Node]) -> Iterator[Node]:
    """Every node, each before its parts."""
    for node in nodes:
        yield node
        yield from walk(node.parts)


def read_clauses(code: Code, node: Node, at: int) -> int:
    """The clauses at `at`, put into the node; the index after them."""
    while True:
        start = at
        word = code.text(at)
        if word in {"yield", "free"} and code.text(at + 1) in CLAUSES:
            at += 1
            word = code.text(at)
        if word == "yield" or word not in CLAUSES - {"provides"}:
            return start
        at = code.after_attributes(at + 1)
        if word in {"ensures", "requires", "invariant"} and code.kind(at) == "name" and code.text(at + 1) == ":":
            at += 2
        if code.text(at) == "*" and word in {"reads", "decreases", "modifies"}:
            at += 1
        else:
            at = expression_end(code, at, CLAUSES | DECLARATIONS - {"var", "ghost"} | {"returns"})
        at += code.text(at) == ";"
        node.parts.append(Node(word, "", start, at))


class Statements:
    """Reads statements."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._readers: dict[str, Callable[[Node, int], int]] = {
            **dict.fromkeys(("assert", "assume", "expect"), self._claim),
            **dict.fromkeys(("while", "for"), self._loop),
            **dict.fromkeys(("break", "continue"), self._jump),
            **dict.fromkeys(("return", "yield", "print", "reveal", "hide", "new"), self._simple),
            **dict.fromkeys(("var", "ghost", "const"), self._variables),
            "if": self._if,
            "match": self._match,
            "forall": self._forall,
            "calc": self._calc,
            "modify": self._modify,
        }

    def body(self, node: Node, at: int) -> int:
        """The block whose brace is at `at`, as a part of the node; the index after it."""
        if self.code.text(at) != "{":
            raise self.code.misfit("a body is expected", at)
        node.parts.append(self._block(at))
        return node.parts[-1].end

    def _block(self, at: int) -> Node:
        end = self.code.after_group(at)
        with self.code.nested(at):
            return Node("block", "", at, end, self.read(at + 1, end - 1))

    def read(self, at: int, end: int) -> list[Node]:
        """All statements from `at` to `end`."""
        found: list[Node] = []
        while at < end:
            node = self._one(at)
            if node.end <= at:
                raise self.code.misfit("a statement without text", at)
            found.append(node)
            at = node.end
        return found

    def _one(self, start: int) -> Node:
        code = self.code
        at = start
        while code.text(at) == "label":
            at += 3
        at = code.after_attributes(at)
        word = code.text(at)
        node = Node(word, "", start, at)
        if word == "}" and at > start:
            node.kind, node.end = "label", at
        elif word == "{":
            block = self._block(at)
            node.kind, node.parts, node.end = "block", block.parts, block.end
        elif word == "opaque" and code.text(at + 1) in CLAUSES | {"{"}:
            node.end = self.body(node, read_clauses(code, node, at + 1))
        elif (read := self._readers.get(word)) is not None:
            node.end = read(node, at + 1)
        else:
            node.kind = "update"
            node.end = self._simple(node, at)
        return node

    def _variables(self, node: Node, at: int) -> int:
        return self._simple(node, at + (node.kind == "ghost"))

    def _jump(self, _: Node, at: int) -> int:
        while self.code.kind(at) == "name":
            at += 1
        return self._semicolon(at)

    def _semicolon(self, at: int) -> int:
        if self.code.text(at) != ";":
            raise self.code.misfit("a semicolon is expected", at)
        return at + 1

    def claim(self, at: int) -> Node:
        """The assert, assume or expect that begins at `at`, its `by` block included."""
        node = Node(self.code.text(at), "", at, at)
        node.end = self._claim(node, at + 1)
        return node

    def _claim(self, node: Node, at: int) -> int:
        code = self.code
        at = code.after_attributes(at)
        if code.kind(at) == "name" and code.text(at + 1) == ":":
            at += 2
        at = at + 1 if code.text(at) == "..." else expression_end(code, at, frozenset({"by"}))
        if code.text(at) == "by":
            return self.body(node, at + 1)
        return self._semicolon(at)

    def _simple(self, node: Node, at: int) -> int:
        """An update, call, declaration, return or print: expressions up to a semicolon or a `by` block."""
        code = self.code
        at = code.after_attributes(at)
        if code.text(at) == ";":
            return at + 1
        if code.text(at) == "*" and code.text(at + 1) == ";":
            return at + 2
        at = expression_end(code, at, frozenset({"by"}))
        if code.text(at) == "by":
            return self.body(node, at + 1)
        return self._semicolon(at)

    def _guard(self, at: int) -> int:
        """After a guard: an expression, a star with or without parentheses, or a binding."""
        at = self.code.after_attributes(at)
        if self.code.text(at) == "*":
            return at + 1
        return expression_end(self.code, at, CLAUSES | {"case"})

    def _loop(self, node: Node, at: int) -> int:
        code = self.code
        at = code.after_attributes(at)
        if code.text(at) not in CLAUSES | {"{"} or (code.text(at) == "{" and code.text(at + 1) != "case"):
            at = self._guard(at)
        at = read_clauses(code, node, at)
        if code.text(at) == "{":
            if code.text(at + 1) == "case":
                return self._alternatives(node, at)
            return self.body(node, at)
        if code.text(at) == "case":
            return self._open_alternatives(node, at)
        if code.text(at) == "...":
            at += 1
        return at + (code.text(at) == ";")

    def _if(self, node: Node, at: int) -> int:
        code = self.code
        at = code.after_attributes(at)
        if code.text(at) == "{" and code.text(at + 1) == "case":
            return self._alternatives(node, at)
        if code.text(at) == "case":
            return self._open_alternatives(node, at)
        while True:
            at = self.body(node, at + 1 if code.text(at) == "..." else self._guard(at))
            if code.text(at) != "else":
                return at
            if code.text(at + 1) != "if":
                return self.body(node, at + 1)
            at = code.after_attributes(at + 2)

    def _alternatives(self, node: Node, at: int) -> int:
        """`{ case … => … case … => … }`."""
        end = self.code.after_group(at)
        self._cases(node, at + 1, end - 1)
        return end

    def _open_alternatives(self, node: Node, at: int) -> int:
        """Cases without braces: they go on until something else than a statement or a case stands there."""
        return self._cases(node, at, len(self.code.tokens))

    def _cases(self, node: Node, at: int, end: int) -> int:
        code = self.code
        while at < end and code.text(at) == "case":
            case = Node("case", "", at, at)
            at = code.after_attributes(at + 1)
            at = expression_end(code, at, frozenset({"=>"}))
            if code.text(at) != "=>":
                raise code.misfit("a case without its arrow", at)
            at += 1
            with code.nested(case.start):
                while at < end and code.text(at) not in {"case", "}"}:
                    statement = self._one(at)
                    case.parts.append(statement)
                    at = statement.end
            case.end = at
            node.parts.append(case)
        return at

    def _match(self, node: Node, at: int) -> int:
        code = self.code
        at = expression_end(code, at, frozenset({"case"}))
        if code.text(at) == "{":
            return self._alternatives(node, at)
        return self._open_alternatives(node, at)

    def _forall(self, node: Node, at: int) -> int:
        code = self.code
        if code.text(at) == "(":
            at = code.after_group(at)
        elif code.text(at) not in CLAUSES | {"{"}:
            at = self._domain(at)
        at = read_clauses(code, node, at)
        if code.text(at) == "{":
            return self.body(node, at)
        return at + (code.text(at) == ";")

    def _domain(self, at: int) -> int:
        """The variables of a forall statement and their range."""
        code = self.code
        while True:
            at = code.after_attributes(at)
            at = code.after_name(at)
            if code.text(at) == ":":
                at = code.after_type(at + 1)
            if code.text(at) == "<-":
                at = expression_end(code, at + 1, CLAUSES)
            at = code.after_attributes(at)
            if code.text(at) != ",":
                break
            at += 1
        if code.text(at) == "|":
            at = expression_end(code, at + 1, CLAUSES)
        return at

    def _calc(self, node: Node, at: int) -> int:
        """Lines with semicolons, operators between them, and blocks of hints, which become parts."""
        code = self.code
        at = code.calc_brace(at)
        end = code.after_group(at)
        at += 1
        while at < end - 1:
            if code.text(at) == "{":
                node.parts.append(self._block(at))
                at = code.after_group(at)
                continue
            line = code.after_calc_operator(at)
            at = line if code.text(line) in {"{", "}"} else self._semicolon(expression_end(code, line, frozenset()))
        return end + (code.text(end) == ";")

    def _modify(self, node: Node, at: int) -> int:
        code = self.code
        at = expression_end(code, code.after_attributes(at), frozenset())
        return self.body(node, at) if code.text(at) == "{" else self._semicolon(at)
