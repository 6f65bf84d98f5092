"""The adversarial suite: answers to one small program that a gate must refuse, and answers that it must accept.

Every kind of forbidden construct and every change of what is to be proved that we know of is among the wrong ones, in
several spellings. `veriloop suite` scores any gate; `veriloop suite --export FOLDER` writes the pairs for other tools.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml

from veriloop.outcomes import Record

FOLDER = Path(__file__).parent

Kind = Literal["wrong", "code", "honest", "ghost"]
"""To be refused; to be refused where the code is frozen; to be accepted; to be accepted where lemmas and ghost code are
allowed."""


class Edit(Record):
    """A piece of text and what stands in its place."""

    old: str
    new: str


class Case(Record):
    """An answer of the suite."""

    name: str
    kind: Kind
    given: str
    candidate: str


def read_cases() -> list[Case]:
    """All answers, in the order of the file.

    Raises:
        ValueError: an edit's old text does not occur.
    """
    given = (FOLDER / "count.dfy").read_text(encoding="utf-8")
    found: dict[Kind, dict[str, list[dict[str, str]]]] = yaml.safe_load(
        (FOLDER / "cases.yaml").read_text(encoding="utf-8")
    )
    return [
        Case(name=name, kind=kind, given=given, candidate=_edited(given, name, edits))
        for kind, cases in found.items()
        for name, edits in cases.items()
    ]


def _edited(given: str, name: str, edits: list[dict[str, str]]) -> str:
    text = given
    for edit in map(Edit.model_validate, edits):
        if edit.old not in text:
            raise ValueError(f"case {name!r}: {edit.old!r} does not occur")
        text = text.replace(edit.old, edit.new, 1)
    return text
