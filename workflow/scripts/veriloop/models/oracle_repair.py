"""A synthetic language model that repairs only from what its prompt really shows.

It knows the ground truth and begins without any of its hints. In one answer it puts back one hint for each member that
the prompt shows a message about, and it forgets everything between answers, as a language model does: a hint stays only
if the prompt carries it. Draws decide for each hint what must carry it (the previous answer, the notes, or either) and
what must be shown for it (a message, or a message with a counterexample); and for each task whether it first tries a
cheat, a precondition that cannot hold. So each part of the loop has an effect that is known beforehand. Its rates say
nothing about a model.

It reads prompts by what the files of `loop` write; tests/unit/test_oracle_repair.py holds the two together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from veriloop.dafny.hints import split_hints
from veriloop.dafny.members import members
from veriloop.dafny.statements import METHODS, walk
from veriloop.dafny.structure import structure
from veriloop.exchanges import Exchange, Question
from veriloop.protocols import ProposerContext
from veriloop.tasks import Task

NEEDS_GROUND_TRUTH = True
OPERATIONAL: tuple[str, ...] = ()

Share = Annotated[float, Field(ge=0, le=1)]

PREVIOUS = re.compile(r"^Your previous answer:\n(.*?)^What was wrong with it:\n(.*)", re.DOTALL | re.MULTILINE)
ANSWER = re.compile(r"^Answer:\n(.*?)^Findings:\n(.*)", re.DOTALL | re.MULTILINE)
"""As in config/prompts/axdafny/remember.txt."""

MESSAGE = re.compile(r"^\S*\((\d+),\d+\): (?:[Ee]rror|invalid|timeout|out_of_resource|undetermined)\b", re.MULTILINE)
EXAMPLE = re.compile(r"^(?:Related|  a) counterexample", re.MULTILINE)
NOTES = "Your notes from all earlier attempts:"
NOTE = re.compile(r"^- hint (\d+) is needed$", re.MULTILINE)
CHEAT = "requires false"
DOLLARS_PER_TOKEN = 1e-6
BYTES_PER_TOKEN = 4


class Options(BaseModel):
    """Shares, each from 0 to 1, the first two together at most 1.

    Attributes:
        only_previous: of the hints that stay only if the previous answer is shown.
        only_notes: of the hints that stay only if the notes name them.
        only_example: of the hints that are found only with a counterexample.
        cheats: of the tasks whose first answer cheats.
    """

    model_config = ConfigDict(extra="forbid")

    only_previous: Share
    only_notes: Share
    only_example: Share
    cheats: Share


@dataclass(frozen=True)
class Hint:
    """A hint of the ground truth: its text, the member it belongs to, what carries it, and what it is found by."""

    text: str
    member: str
    in_previous: bool
    in_notes: bool
    needs_example: bool


@dataclass(frozen=True)
class Puzzle:
    """A task as the oracle knows it: pieces of text, and of hints their numbers; and the cheat, if it is tried."""

    pieces: tuple[str | int, ...]
    hints: tuple[Hint, ...]
    cheat: str | None

    def program(self, kept: set[int]) -> str:
        """The given program with these hints."""
        return "".join(
            piece if isinstance(piece, str) else self.hints[piece].text
            for piece in self.pieces
            if isinstance(piece, str) or piece in kept
        )


class OracleRepair:
    """Answers what a loop asks a language model."""

    name = "oracle_repair"
    synthetic = True

    def __init__(self, options: Options, context: ProposerContext) -> None:
        self._options = options
        self._context = context
        self.puzzle = cache(self._puzzle)

    def ask(self, question: Question) -> Exchange:
        """The answer to a question; it depends on the question's text and on the task alone."""
        asked = "\n".join(message.content for message in question.messages)
        puzzle = self.puzzle(question.task)
        if question.purpose == "review":
            text = json.dumps(
                {"cheating": CHEAT in asked, "reason": "nothing can call it" if CHEAT in asked else "honest"}
            )
        elif question.purpose == "remember":
            text = _notes(puzzle, asked)
        else:
            text = f"```dafny\n{_proposed(puzzle, asked)}```\n"
        prompt, answer = (len(said.encode()) // BYTES_PER_TOKEN for said in (asked, text))
        return Exchange(
            purpose=question.purpose,
            task=question.task,
            attempt=question.attempt,
            template_sha256=question.template_sha256,
            model=self.name,
            request={"messages": [message.model_dump() for message in question.messages]},
            response={"text": text},
            text=text,
            finish="stop",
            prompt_tokens=prompt,
            completion_tokens=answer,
            dollars=(prompt + answer) * DOLLARS_PER_TOKEN,
        )

    def _puzzle(self, name: str) -> Puzzle:
        task = self._context.tasks[name]
        draws = self._context.rng(name, 0)
        pieces: list[str | int] = []
        hints: list[Hint] = []
        for (is_hint, text), member in zip(*_with_members(task), strict=True):
            pieces.append(len(hints) if is_hint else text)
            if is_hint:
                carried, found = draws.random(2)
                hints.append(
                    Hint(
                        text=text,
                        member=member,
                        in_previous=not 0 <= carried - self._options.only_previous < self._options.only_notes,
                        in_notes=carried >= self._options.only_previous,
                        needs_example=found < self._options.only_example,
                    )
                )
        tried = draws.random() < self._options.cheats
        return Puzzle(tuple(pieces), tuple(hints), _cheat(task) if tried else None)


def _with_members(task: Task) -> tuple[list[tuple[bool, str]], list[str]]:
    """The ground truth's pieces, and for each the member that it stands in."""
    truth = task.ground_truth or task.given
    pieces = split_hints(task.given, truth)
    places, line = [], 1
    known = members(truth)
    for _, text in pieces:
        places.append(next((m.name for m in known if m.first_line <= line <= m.last_line), ""))
        line += text.count("\n")
    return pieces, places


def _cheat(task: Task) -> str:
    """The given program, in which no method or lemma can be called any more, so that there is nothing to prove."""
    code, nodes = structure(task.given)
    # Before the first clause or the body, so that no other clause needs to make sense either.
    places = [code.tokens[n.parts[0].start].start for n in walk(nodes) if n.kind in METHODS and n.parts]
    made = task.given
    for place in reversed(places):
        made = f"{made[:place]}{CHEAT}\n  {made[place:]}"
    return made


def _proposed(puzzle: Puzzle, asked: str) -> str:
    """What the prompt carries, and a hint for each member that it shows a message about."""
    noted = {int(number) for number in NOTE.findall(asked)}
    kept = {n for n in noted if n < len(puzzle.hints) and puzzle.hints[n].in_notes}
    shown = PREVIOUS.search(asked)
    if shown is None:
        return puzzle.program(kept) if NOTES in asked or puzzle.cheat is None else puzzle.cheat
    before = _present(puzzle, shown[1])
    kept |= {n for n in before if puzzle.hints[n].in_previous}
    return puzzle.program(kept | _found(puzzle, shown[1], shown[2], before))


def _notes(puzzle: Puzzle, asked: str) -> str:
    """The old notes, the hints of the answer that notes can carry, and what its findings show to be needed."""
    noted = {int(number) for number in NOTE.findall(asked)}
    shown = ANSWER.search(asked)
    if shown is not None:
        present = _present(puzzle, shown[1])
        noted |= present | _found(puzzle, shown[1], shown[2], present)
    return "".join(f"- hint {n} is needed\n" for n in sorted(noted) if puzzle.hints[n].in_notes) or "- nothing yet\n"


def _present(puzzle: Puzzle, answer: str) -> set[int]:
    """The hints that an answer has: a text that stands n times in it is the first n hints of that text."""
    left: dict[str, int] = {}
    found: set[int] = set()
    for number, hint in enumerate(puzzle.hints):
        count = left.setdefault(hint.text, answer.count(hint.text))
        if count > 0:
            left[hint.text] = count - 1
            found.add(number)
    return found


def _found(puzzle: Puzzle, answer: str, findings: str, present: set[int]) -> set[int]:
    """The first missing hint of each member that the findings show a message about."""
    known = members(answer)
    shown: dict[str, bool] = {}
    messages = list(MESSAGE.finditer(findings))
    for at, message in enumerate(messages):
        end = messages[at + 1].start() if at + 1 < len(messages) else len(findings)
        has_example = EXAMPLE.search(findings, message.start(), end) is not None
        for member in known:
            if member.first_line <= int(message[1]) <= member.last_line:
                shown[member.name] = shown.get(member.name, False) or has_example
    return {
        number
        for member, has_example in shown.items()
        for number in _missing(puzzle, member, present, has_example=has_example)
    }


def _missing(puzzle: Puzzle, member: str, present: set[int], *, has_example: bool) -> list[int]:
    """The first missing hint of a member that what is shown is enough for, or none."""
    return [
        number
        for number, hint in enumerate(puzzle.hints)
        if hint.member == member and number not in present and (has_example or not hint.needs_example)
    ][:1]


@contextmanager
def open_chat(options: Options, context: ProposerContext) -> Iterator[OracleRepair]:
    """The model, for one job."""
    yield OracleRepair(options, context)


def answers_of(options: Options) -> str | None:  # noqa: ARG001 - the signature of every proposer
    """It uses no recorded answers."""
    return None
