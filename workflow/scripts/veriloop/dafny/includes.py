"""Programs stand alone: a candidate may not make the verifier read other files."""

from __future__ import annotations

import re

_SKIPPED = re.compile(
    r"""
    //[^\n]*                      # a comment to the end of the line
  | @"(?:[^"]|"")*"               # a verbatim string
  | "(?:\\.|[^"\\\n])*"           # a string
  | '(?:\\.[^'\n]*|[^'\\\n])'     # a character
  | (?P<open>/\*)                 # a comment, which may hold others
  | (?P<include>(?<![\w'?])include(?![\w'?]))
    """,
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")


def include_line(program: str) -> int | None:
    """The line (from 1) of the first `include` that is code, not comment or text; None if there is none.

    `include` is a reserved word of Dafny, so outside of comments and strings it is always the directive.
    """
    position = 0
    while match := _SKIPPED.search(program, position):
        if match["include"]:
            return program.count("\n", 0, match.start()) + 1
        position = _comment_end(program, match.end()) if match["open"] else match.end()
    return None


def _comment_end(program: str, position: int) -> int:
    """Where the comment that was opened just before `position` ends; comments nest."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(program, position):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(program)
