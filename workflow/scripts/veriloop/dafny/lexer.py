"""A lossless lexer of Dafny: every character of a program belongs to exactly one token, whatever the program is.

The rules are those of Dafny's own scanner (Source/DafnyCore/Dafny.atg, release 4.11.0). What it would refuse becomes a
token of kind `unknown`, `open_comment` or `open_string`, so that others can say where a program is broken. A carriage
return ends a line, and with it a comment, as it does for Dafny (seen on 4.11.0 and 2.3.0): what follows is code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "blank", "comment", "name", "number", "char", "string", "symbol", "unknown", "open_comment", "open_string"
]
BROKEN: frozenset[Kind] = frozenset({"unknown", "open_comment", "open_string"})
"""Kinds of what Dafny's scanner refuses."""

LAYOUT: frozenset[Kind] = frozenset({"blank", "comment"})
"""Kinds that mean nothing to the verifier."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a program: its kind, its exact text, and the index of its first character."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The index after its last character."""
        return self.start + len(self.text)


_ESCAPE = r"\\(?:['\"\\0nrt]|u[0-9A-Fa-f]{4}|U\{[0-9A-Fa-f_]{1,8}\})"
UNICODE_OPERATORS = "\u21d4\u21d2\u21d0\u2227\u2228\u2264\u2265\u2260\u2208\u2209\u2022"
_USUAL = ("<==>", "==>", "<==", "&&", "||", "<=", ">=", "!=", "in", "!in", "::", "forall", "exists", "!")

SPELLINGS = dict(zip(f"{UNICODE_OPERATORS}\u2200\u2203\u00ac", _USUAL, strict=True))
"""Other spellings, each with the usual one."""

_SYMBOLS = (
    *("<==>", "==>", "<==", "-->", "...", ":=", ":|", ":-", "::", "{:", "==", "!=", "!!", "<=", ">=", "->", "~>", "=>"),
    *("<-", "..", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "/", "%", "&", "|", "^", "~", "(", ")", "[", "]"),
    *("{", "}", ".", ",", ";", ":", "`", "@", "#", "\u2200", "\u2203", "\u00ac", *UNICODE_OPERATORS),
)
_TOKEN = re.compile(
    rf"""
    (?P<blank>[ \t\r\n\ufeff]+)
    |(?P<comment>//[^\r\n]*)
    |(?P<open_comment>/\*)
    |(?P<string>@"(?:[^"]|"")*"|"(?:[^"\\\r\n]|{_ESCAPE})*")
    |(?P<name>[A-Za-z_?][A-Za-z0-9_?']*|'[A-Za-z0-9_?'][A-Za-z0-9_?'][A-Za-z0-9_?'][A-Za-z0-9_?']*)
    |(?P<char>'(?:[^'\\\r\n]|{_ESCAPE})')
    |(?P<tick>'(?:[A-Za-z0-9_?'][A-Za-z0-9_?]?)?)
    |(?P<number>0x[0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*|[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?)
    |(?P<not_in>!in(?![A-Za-z0-9_?']))
    |(?P<symbol>{"|".join(map(re.escape, _SYMBOLS))})
    |(?P<open_string>@?")
    |(?P<unknown>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")
_KINDS: dict[str, Kind] = {"tick": "name", "not_in": "symbol"}


def tokens(program: str) -> Iterator[Token]:
    """All tokens of a program in order; their texts joined are the program."""
    at = 0
    while found := _TOKEN.match(program, at):
        group = str(found.lastgroup)
        kind: Kind = _KINDS.get(group, group)  # type: ignore[arg-type]
        end = found.end()
        if kind == "open_comment":
            kind, end = _comment(program, end)
        elif kind == "open_string":
            end = _line_end(program, end) if found[0] == '"' else len(program)
        yield Token(kind, program[at:end], at)
        at = end


def _comment(program: str, at: int) -> tuple[Kind, int]:
    """The kind and end of a comment whose opening mark ends at `at`; comments nest."""
    depth = 1
    for mark in _COMMENT_MARK.finditer(program, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return "comment", mark.end()
    return "open_comment", len(program)


def _line_end(program: str, at: int) -> int:
    end = program.find("\n", at)
    return len(program) if end < 0 else end


def without_comments(program: str) -> str:
    """The program with a blank in the place of each comment; one that never ends takes the rest."""
    comments = {"comment", "open_comment"}
    return "".join(" " if token.kind in comments else token.text for token in tokens(program))
