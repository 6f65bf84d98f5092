"""The tokens of a Dafny program that the verifier sees, with their brackets, names and types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from veriloop.dafny.lexer import BROKEN, LAYOUT, UNICODE_OPERATORS, Token, tokens

OPENING = {"(": ")", "[": "]", "{": "}", "{:": "}"}
CLOSING = frozenset(OPENING.values())
MOST_LEVELS = 100
"""Of modules, members and blocks within each other; brackets within expressions have no bound."""

CALC_OPERATORS = frozenset({"==", "!=", "<", "<=", ">", ">=", "==>", "<==", "<==>", "&&", "||", *UNICODE_OPERATORS})
TYPE_SYMBOLS = frozenset({"<", ">", ",", ".", "(", "->", "-->", "~>", "+", "-", "*", "!"})
"""What may stand beside names between the brackets of type arguments; `+`, `-`, `*`, `!` are variances."""


_DIRECTIVE = re.compile(r"(?:^|[\r\n])[\s\ufeff]*(?P<word>#(?:if|elsif|else|endif))")
"""Dafny takes out the lines between `#if NAME` and `#endif` before anything else, in comments and strings too (seen on
4.11.0 and 2.3.0), so that what looks like a comment can remove the code after it. Nobody needs them here."""


class MisfitError(Exception):
    """A place in a program that cannot be told; `token` is where, or the last one before the end."""

    def __init__(self, reason: str, token: Token | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.token = token


class Code:
    """The tokens of a program that the verifier sees, with the partner of each bracket.

    Attributes:
        tokens: all but blanks and comments.
    """

    def __init__(self, program: str) -> None:
        """Read a program.

        Raises:
            MisfitError: a preprocessor directive, a token that Dafny cannot read, or brackets that do not match.
        """
        self.tokens: list[Token] = []
        if directive := _DIRECTIVE.search(program):
            word = directive["word"]
            raise MisfitError(f"{word} is a preprocessor directive", Token("unknown", word, directive.start("word")))
        for token in tokens(program):
            # Dafny takes a comment that never ends for the end of the program.
            if token.kind in BROKEN and token.kind != "open_comment":
                raise MisfitError(f"{token.kind.replace('_', ' ')} {token.text[:20]!r}", token)
            if token.kind not in LAYOUT and token.kind != "open_comment":
                self.tokens.append(token)
        self.partner = self._partners()
        self._levels = 0

    def _partners(self) -> dict[int, int]:
        """For each opening bracket the index of its closing one."""
        open_at: list[int] = []
        found: dict[int, int] = {}
        for number, token in enumerate(self.tokens):
            if token.kind != "symbol":
                continue
            if token.text in OPENING:
                open_at.append(number)
            elif token.text in CLOSING:
                if not open_at or OPENING[self.tokens[open_at[-1]].text] != token.text:
                    raise MisfitError(f"{token.text!r} closes nothing", token)
                found[open_at.pop()] = number
        if open_at:
            raise MisfitError(f"{self.tokens[open_at[-1]].text!r} is never closed", self.tokens[open_at[-1]])
        return found

    def text(self, at: int) -> str:
        """The text of a token, empty past the end."""
        return self.tokens[at].text if at < len(self.tokens) else ""

    def kind(self, at: int) -> str:
        """The kind of a token, empty past the end."""
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def misfit(self, reason: str, at: int) -> MisfitError:
        """What to raise for a place that cannot be told."""
        return MisfitError(reason, self.tokens[min(at, len(self.tokens) - 1)] if self.tokens else None)

    def after_group(self, at: int) -> int:
        """The index after the closing bracket of the one at `at`."""
        if at not in self.partner:
            raise self.misfit("a bracket is expected", at)
        return self.partner[at] + 1

    def after_attributes(self, at: int) -> int:
        """The index after any `{:…}` and `@Name(…)` that stand at `at`."""
        while self.text(at) in {"{:", "@"}:
            if self.text(at) == "{:":
                at = self.after_group(at)
            else:
                at = self.after_name(at + 1)
                at = self.after_group(at) if self.text(at) == "(" else at
        return at

    def after_name(self, at: int) -> int:
        """The index after a name with dots."""
        if self.kind(at) not in {"name", "number"}:
            raise self.misfit("a name is expected", at)
        at += 1
        while self.text(at) == "." and self.kind(at + 1) in {"name", "number"}:
            at += 2
        return at

    def after_type_arguments(self, at: int) -> int:
        """The index after `<…>` at `at`, or `at` where no type arguments stand there but perhaps a comparison."""
        if self.text(at) != "<":
            return at
        depth = 0
        place = at
        while self.kind(place) in {"name", "number"} or self.text(place) in TYPE_SYMBOLS:
            text = self.text(place)
            if text == "(":
                place = self.after_group(place)
                continue
            depth += (text == "<") - (text == ">")
            place += 1
            if depth == 0:
                return place
        return at

    def after_type(self, at: int) -> int:
        """The index after a type."""
        while True:
            if self.text(at) == "(":
                at = self.after_group(at)
            else:
                at = self.after_type_arguments(self.after_name(at))
                while self.text(at) == "." and self.kind(at + 1) == "name":
                    at = self.after_type_arguments(self.after_name(at + 1))
            if self.text(at) not in {"->", "-->", "~>"}:
                return at
            at += 1

    def after_calc_operator(self, at: int) -> int:
        """The index after attributes and the operator of a calc or of one of its steps, such as `==` or `==#[k]`."""
        at = self.after_attributes(at)
        if self.text(at) in CALC_OPERATORS:
            at += 1
            if self.text(at) == "#":
                at = self.after_group(at + 1)
        return at

    def calc_brace(self, at: int) -> int:
        """The index of the brace of a calc, whose attributes and operator may stand at `at`."""
        at = self.after_calc_operator(at)
        if self.text(at) != "{":
            raise self.misfit("calc without braces", at)
        return at

    @contextmanager
    def nested(self, at: int) -> Iterator[None]:
        """One level deeper; what is nested deeper than anybody writes is not followed.

        Raises:
            MisfitError: more than `MOST_LEVELS` levels.
        """
        self._levels += 1
        if self._levels > MOST_LEVELS:
            raise self.misfit(f"nested deeper than {MOST_LEVELS} levels", at)
        try:
            yield
        finally:
            self._levels -= 1
