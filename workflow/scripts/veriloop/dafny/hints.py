"""The hints of a ground truth: what it has and the given program has not."""

from __future__ import annotations

import re

from veriloop.errors import UserError

_HINT_START = re.compile(r"\s*(?:assert|invariant)\b")


def split_hints(given: str, ground_truth: str) -> list[tuple[bool, str]]:
    """Cut a ground truth into pieces: the given program's lines, and the hints between them.

    A hint begins at an added line that starts with `assert` or `invariant`; added lines after it belong to it.

    Args:
        given: the program without hints.
        ground_truth: the same lines with hint lines added.

    Returns:
        Pairs (is a hint, text) whose texts joined are the ground truth.

    Raises:
        UserError: the ground truth is not the given program plus whole lines.
    """
    wanted = given.splitlines(keepends=True)
    pieces: list[tuple[bool, str]] = []
    at = 0
    for number, line in enumerate(ground_truth.splitlines(keepends=True), start=1):
        if at < len(wanted) and line == wanted[at]:
            pieces.append((False, line))
            at += 1
        elif _HINT_START.match(line):
            pieces.append((True, line))
        elif pieces and pieces[-1][0]:
            pieces[-1] = (True, pieces[-1][1] + line)
        else:
            raise UserError(f"ground truth, line {number}: an added line that is no hint: {line.strip()!r}")
    if at < len(wanted):
        raise UserError(f"given program, line {at + 1}: not in the ground truth: {wanted[at].strip()!r}")
    return pieces
