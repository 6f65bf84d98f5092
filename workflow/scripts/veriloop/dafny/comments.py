"""Programs without their comments, for questions that only the code can answer."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""(?P<kept>@"(?:""|[^"])*"|"(?:\\.|[^"\\\n])*"|'(?:\\.[^'\n]*|[^'\\\n])')|//[^\n]*|(?P<open>/\*)""", re.DOTALL
)
_MARK = re.compile(r"/\*|\*/")


def without_comments(program: str) -> str:
    """The program with a blank in the place of each comment; nested comments and strings are understood."""
    kept: list[str] = []
    at = 0
    while piece := _PIECE.search(program, at):
        kept.append(program[at : piece.start()])
        if piece["kept"]:
            kept.append(piece["kept"])
            at = piece.end()
        else:
            kept.append(" ")
            at = _end_of_comment(program, piece.end()) if piece["open"] else piece.end()
    return "".join([*kept, program[at:]])


def _end_of_comment(program: str, at: int) -> int:
    """Where a comment ends whose opening mark ends at `at`; an unfinished one takes the rest."""
    depth = 1
    for mark in _MARK.finditer(program, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(program)
