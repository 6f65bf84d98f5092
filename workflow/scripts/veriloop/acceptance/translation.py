"""The executable code is unchanged: Dafny's translation of the candidate to Python is that of the given program.

Ghost code leaves no trace in the translation: the numbers in the names of temporaries do not change either (seen on
4.11.0 for every kind of ghost statement, and for DafnyBench's solutions). Nothing but the following is set aside:

- places of the program in the messages of `expect`, which move with inserted lines;
- imports between the modules: they run nothing but definitions, and what is used of a module is named where it is used;
- files in which nothing is defined, which modules of lemmas alone leave behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from pathlib import PurePath

from veriloop.acceptance.tool import Refused, Said, Tool

ARGUMENTS = ["translate", "py", "--no-verify", "--allow-warnings", "--output", "out/program"]
SHOWN = 160
"""Characters of a line of code in an explanation."""

PLACE = re.compile(r'(?<=HaltException\("program\.dfy)\(\d+,\d+\)(?=: ")')
"""In a program's own strings the quote would have a backslash before it."""
IMPORT = re.compile(r"^(?:import|from) ")

Code = dict[str, list[str]]
"""The lines that count of each module's file, by the file's name."""


def read_code(tool: Tool, program: str) -> Code | Refused:
    """The program's own executable code; Dafny's runtime is not part of it.

    Raises:
        ToolFaultError: the translator gave no answer.
    """
    files = tool.files(ARGUMENTS, program, "out/**/*.py")
    return files if isinstance(files, Refused) else normal_code(files)


def normal_code(files: dict[str, str]) -> Code:
    """The code of the translator's files, without what moves when ghost code is inserted."""
    kept = {PurePath(path).stem: _lines(text) for path, text in files.items()}
    return {name: lines for name, lines in kept.items() if any(_defines(line) for line in lines)}


def _lines(text: str) -> list[str]:
    return [PLACE.sub("", line) for line in text.split("\n") if not IMPORT.match(line)]


def _defines(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def compare_code(given: Code | Refused, read_candidate: Callable[[], Code | Refused]) -> Said:
    """Whether a candidate has the executable code of the given program.

    Args:
        given: the given program's code.
        read_candidate: asks for the candidate's code, where that matters.
    """
    if isinstance(given, Refused):
        return Said("not_applicable", f"the given program cannot be translated: {given.reason}")
    candidate = read_candidate()
    if isinstance(candidate, Refused):
        return Said("failed", f"the candidate cannot be translated: {candidate.reason}")
    if others := sorted(given.keys() ^ candidate.keys()):
        return Said("failed", f"The code of {others[0]} is {'missing' if others[0] in given else 'new'}.")
    for name in sorted(given):
        for old, new in zip_longest(given[name], candidate[name]):
            if old != new:
                return Said("failed", f"The code of {name} is not the given one: {_shown(old)} became {_shown(new)}.")
    return Said("passed")


def _shown(line: str | None) -> str:
    return "nothing" if line is None else f"`{line.strip()[:SHOWN]}`"
