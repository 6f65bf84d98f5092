"""Where an expression ends, by its tokens alone.

No types are known and nothing is resolved. Whether a brace begins a set or a body, and whether a bar opens, closes or
separates, follows from what stands before it; where that does not decide, MisfitError is raised and nothing is guessed.
"""

from __future__ import annotations

from veriloop.dafny.lexer import UNICODE_OPERATORS
from veriloop.dafny.scan import Code

SOFT = frozenset({"least", "greatest", "inductive", "hidden", "replaceable", "protected"})
"""Words that begin a declaration only before another such word, and are names elsewhere."""

QUANTIFIERS = frozenset({"forall", "exists", "set", "iset", "map", "imap"})
STATEMENT_WORDS = frozenset({"assert", "assume", "expect", "reveal", "hide", "var"})
"""Statements that may stand before an expression, within it, each with a semicolon."""

PREFIXES = frozenset({"!", "!!", "-", "&&", "\N{BULLET}"})
BEFORE_OPERANDS = frozenset({"ghost", "then", "else", "in", "if", "match", "multiset"})
INFIXES = frozenset(
    {"<==>", "==>", "<==", "&&", "==", "!=", "!!", "<", "<=", ">", ">=", "in", "!in", "+", "-", "*", "/", "%", "&", "^"}
    | {"->", "-->", "~>", "=>", ":=", ":|", ":-", ",", "..", "then", "else", "#", "=", "to", "downto", "<-", "reads"}
    | {"requires", *UNICODE_OPERATORS}
)

Step = tuple[int, bool]
"""The index of the next token, and whether an operand stands before it."""


class Expression:
    """One walk over an expression, to find its end."""

    def __init__(self, code: Code, stop: frozenset[str]) -> None:
        self.code = code
        self.stop = stop
        self.bars: list[str] = []
        self.matches = 0
        self.statements = 0

    def end(self, at: int) -> int:
        """The index of the first token from `at` on that does not belong to the expression.

        Raises:
            MisfitError: an operand is missing, or a token fits nowhere.
        """
        start = at
        operand = False
        while at < len(self.code.tokens):
            step = self._after_operand(at) if operand else self._before_operand(at, at == start)
            if step is None:
                break
            at, operand = step
        if not operand:
            raise self.code.misfit("an expression ends where an operand is expected", at)
        return at

    def _stops(self, at: int) -> bool:
        text = self.code.text(at)
        return text in self.stop and (text not in SOFT or self.code.text(at + 1) in self.stop)

    def _before_operand(self, at: int, first: bool) -> Step | None:
        if self.code.kind(at) == "symbol":
            return self._symbol(at, first)
        return None if self._stops(at) else self._word(at)

    def _symbol(self, at: int, first: bool) -> Step | None:
        code, text = self.code, self.code.text(at)
        if text in {"(", "[", "{"}:
            return code.after_group(at), True
        if text in {"{:", "@"}:
            return code.after_attributes(at), False
        if text in {"|", "||"}:
            # A program may begin a disjunction with its operator; elsewhere two bars open two cardinalities.
            self.bars += [] if text == "||" and first else ["|"] * len(text)
            return at + 1, False
        if text in {"*", "...", ".."}:
            return at + 1, True
        if text == "`":
            return at + 2, True
        if text == "#":
            return (code.after_group(at + 1) if code.text(at + 1) == "[" else at + 1), False
        return (at + 1, False) if text in PREFIXES else None

    def _word(self, at: int) -> Step:
        code, text = self.code, self.code.text(at)
        if text in QUANTIFIERS:
            if code.text(code.after_attributes(at + 1)) not in {"{", "[", "<", "("}:
                self.bars.append("separator")
            return at + 1, False
        if text == "new":
            return (at + 1 if code.text(at + 1) == "[" else code.after_type(at + 1)), True
        if text == "calc":
            return code.after_group(code.calc_brace(at + 1)), False
        if text == "assume" and code.text(at - 1) in {":|", ":-", ":="}:
            return code.after_attributes(at + 1), False
        if text in STATEMENT_WORDS:
            self.statements += 1
            return at + 1, False
        self.matches += text == "match"
        return at + 1, text not in BEFORE_OPERANDS

    def _after_operand(self, at: int) -> Step | None:
        text = self.code.text(at)
        if self._stops(at):
            return None
        if text in {";", "{", "case", "by"}:
            return self._by_context(at)
        if text in {"|", "||", "::"}:
            return self._bar(at, text)
        return self._suffix(at) or ((at + 1, False) if text in INFIXES else None)

    def _by_context(self, at: int) -> Step | None:
        """What belongs to the expression only if something before it asks for it."""
        code, text = self.code, self.code.text(at)
        if text == "case":
            self.matches = max(0, self.matches - 1)
            return at + 1, False
        if text == "{":
            if not self.matches:
                return None
            self.matches -= 1
            return code.after_group(at), True
        if not self.statements:
            return None
        self.statements -= 1
        return (at + 1 if text == ";" else code.after_group(at + 1)), False

    def _suffix(self, at: int) -> Step | None:
        """What makes a larger operand of the one before it."""
        code, text = self.code, self.code.text(at)
        if text in {"(", "[", "{:"}:
            return code.after_group(at), True
        if text in {":", "is", "as"}:
            return code.after_type(at + 1), True
        if text in {".", "`"}:
            return (code.after_group(at + 1) if code.text(at + 1) == "(" else at + 2), True
        if text == "@" and code.tokens[at].start == code.tokens[at - 1].end:
            return at + 2, True
        return None

    def _bar(self, at: int, text: str) -> Step:
        if text == "::":
            if self.bars and self.bars[-1] == "separator":
                self.bars.pop()
            return at + 1, False
        if text == "||":
            if self.bars[-2:] == ["|", "|"]:
                del self.bars[-2:]
                return at + 1, True
            return at + 1, False
        if not self.bars:
            return at + 1, False
        return at + 1, self.bars.pop() == "|"


def expression_end(code: Code, at: int, stop: frozenset[str]) -> int:
    """The index of the first token after the expression that begins at `at`.

    Args:
        code: the program.
        at: index of its first token.
        stop: words that end it, such as those that begin clauses.

    Raises:
        MisfitError: it cannot be told.
    """
    return Expression(code, stop).end(at)
