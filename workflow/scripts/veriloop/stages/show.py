"""What happened in each attempt, for people: questions, what was changed, what was said of it, what was remembered."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from veriloop.attempts import Attempt
from veriloop.errors import UserError
from veriloop.exchanges import Exchange
from veriloop.loop.feedback import describe
from veriloop.loop.journal import read_journal
from veriloop.registry import nearest
from veriloop.tasks import Task, read_tasks

CONTEXT_LINES = 2
MOST_CHARACTERS = 6000
"""Of a diff and of what was remembered; the journal has all of it."""


@dataclass(frozen=True)
class ShownAttempt:
    """An attempt, as text.

    Attributes:
        number: of the attempt.
        verdict: what it is worth, and the verifier's word or the reason that there was none.
        questions: a line for each question to a language model.
        remembered: what earlier attempts left in the prompt.
        answer: how the answer differs from the given program, or why there is no program.
        findings: what gate, verifier, acceptance and reviewer said.
    """

    number: int
    verdict: str
    questions: tuple[str, ...]
    remembered: str
    answer: str
    findings: str


def shown_attempt(attempt: Attempt, given: str | None) -> ShownAttempt:
    """An attempt for people.

    Args:
        attempt: the journal's row.
        given: the task's program; None where it is not known, and then the answer is shown whole.
    """
    review = attempt.review
    opinion = f"\nReviewer ({review.state}): {review.reason}" if review is not None and review.reason else ""
    return ShownAttempt(
        number=attempt.number,
        verdict=_verdict(attempt),
        questions=tuple(_question(one) for one in attempt.exchanges),
        remembered=_cut(attempt.memory.strip()),
        answer=_answer(attempt, given),
        findings=describe(attempt, feedback="structured") + opinion,
    )


def _verdict(attempt: Attempt) -> str:
    said = attempt.missing or (attempt.result.outcome if attempt.result else "gate" if attempt.violations else "none")
    again = f", the same as attempt {attempt.repeats}" if attempt.repeats is not None else ""
    return f"{attempt.verdict} ({said}{again})"


def _question(exchange: Exchange) -> str:
    asked = sum(len(str(m.get("content", ""))) for m in exchange.request.get("messages", []))
    words = [f"{exchange.purpose}: {asked} characters, prompt file {exchange.template_sha256[:12]}, {exchange.model}"]
    if exchange.prompt_tokens is not None and exchange.completion_tokens is not None:
        words.append(f"{exchange.prompt_tokens} tokens asked, {exchange.completion_tokens} answered")
    words += [f"{exchange.dollars:.4f} dollars"] if exchange.dollars is not None else []
    words.append(f"{exchange.seconds:.1f} s, {exchange.tries} tries, {exchange.failure or exchange.finish or 'ended'}")
    words += [exchange.explanation] if exchange.explanation else []
    return ", ".join(words)


def _answer(attempt: Attempt, given: str | None) -> str:
    if attempt.candidate is None:
        return f"no program: {attempt.reason}"
    if given is None:
        return _cut(attempt.candidate)
    before, after = given.splitlines(), attempt.candidate.splitlines()
    lines = list(difflib.unified_diff(before, after, "given", "answer", lineterm="", n=CONTEXT_LINES))
    return _cut("\n".join(lines)) if lines else "the given program itself"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n(cut off; the journal has all of it)"


def show(journal: Path, task: str | None) -> str:
    """The attempts of a journal, a line each; of one task, all that happened in them.

    Args:
        journal: a journal under results/run/, or any other.
        task: a task's id; None for all.

    Raises:
        UserError: no such journal, or no such task in it.
    """
    if not journal.is_file():
        raise UserError(f"{journal}: there is no such journal; name one under results/run/")
    attempts = read_journal(journal)
    if task is None:
        return "\n".join([*_summary(attempts), "", f"One task in full: veriloop show {journal} --task TASK"])
    mine = [attempt for attempt in attempts if attempt.task == task]
    if not mine:
        raise UserError(f"{journal}: has no attempt at {task}; {nearest(task, {one.task for one in attempts})}")
    given = _given_programs(journal).get(task)
    return "\n".join(line for attempt in mine for line in _text(shown_attempt(attempt, given)))


def _summary(attempts: Sequence[Attempt]) -> Iterator[str]:
    for one in attempts:
        yield f"{one.task}, attempt {one.number}: {_verdict(one)}"


def _text(shown: ShownAttempt) -> Iterator[str]:
    yield f"Attempt {shown.number}: {shown.verdict}"
    parts = {"asked": "\n".join(shown.questions), "remembered": shown.remembered}
    for name, text in (parts | {"answer": shown.answer, "findings": shown.findings}).items():
        if text:
            yield f"  {name}:"
            yield from (f"    {line}" for line in text.splitlines())
    yield ""


def _given_programs(journal: Path) -> dict[str, str]:
    """The given programs of a sealed journal's benchmark, by task; none of a journal that lies elsewhere."""
    places = journal.resolve().parents
    if len(places) < 7 or places[5].name != "run":
        return {}
    tasks = places[6] / "tasks" / places[4].name / places[3].name / "tasks.jsonl"
    return {task.id: task.given for task in read_tasks(tasks)} if tasks.is_file() else {}


def shown_tasks(journals: Sequence[Path], tasks: Sequence[Task]) -> dict[str, list[ShownAttempt]]:
    """The attempts at each task of a benchmark under one arm, model and seed, as text."""
    given = {task.id: task.given for task in tasks}
    found: dict[str, list[ShownAttempt]] = {}
    for journal in journals:
        for attempt in read_journal(journal):
            found.setdefault(attempt.task, []).append(shown_attempt(attempt, given.get(attempt.task)))
    return found
