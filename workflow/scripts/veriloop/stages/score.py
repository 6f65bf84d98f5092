"""One row per task of the benchmark and seed, finished or not: the denominator comes from the task list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from veriloop.attempts import NOT_ITS_DOING, Attempt, Check
from veriloop.exchanges import total_dollars
from veriloop.loop.journal import read_journal
from veriloop.outcomes import Verdict
from veriloop.rows import Score, write_rows
from veriloop.tasks import Task, read_tasks

UNREADABLE = "unreadable"
"""What stands for an outcome where a language model's answer holds no program."""


def score(
    *,
    tasks: Path,
    journals: Sequence[Path],
    benchmark: str,
    arm: str,
    model: str,
    seeds: Sequence[int],
    output: Path,
) -> None:
    """Score every task of a benchmark under one arm and model.

    Args:
        tasks: the benchmark's tasks.
        journals: the sealed journals, all shards of the first seed, then of the next.
        benchmark: name in the experiment.
        arm: name in the experiment.
        model: name in the experiment.
        seeds: the seeds, in the order of the journals.
        output: the CSV file to write.
    """
    found = read_tasks(tasks)
    shards = len(journals) // len(seeds)
    scores: list[Score] = []
    for position, seed in enumerate(seeds):
        written = _read(journals[position * shards : (position + 1) * shards])
        scores += [
            score_task(
                task, written.get(task.id, Written(None, [], [])), benchmark=benchmark, arm=arm, model=model, seed=seed
            )
            for task in found
        ]
    write_rows(output, Score, scores)


@dataclass(frozen=True)
class Written:
    """The attempts at a task, the number of the journal that has them, and their lines in it, from 1."""

    shard: int | None
    lines: list[int]
    attempts: list[Attempt]


def _read(journals: Sequence[Path]) -> dict[str, Written]:
    """The attempts of one seed, by task; a task's are all in one journal."""
    by_task: dict[str, Written] = {}
    for shard, path in enumerate(journals):
        for line, attempt in enumerate(read_journal(path), start=1):
            written = by_task.setdefault(attempt.task, Written(shard, [], []))
            written.lines.append(line)
            written.attempts.append(attempt)
    return by_task


def score_task(task: Task, written: Written, *, benchmark: str, arm: str, model: str, seed: int) -> Score:
    """What a task came to.

    Accepted if any attempt was. Otherwise not scored if any attempt was not scored or there is none: a fault is never
    the model's failure. Otherwise what its last attempt was worth.
    """
    attempts = written.attempts
    last = attempts[-1] if attempts else None
    results = [a.result for a in attempts if a.result is not None and a.repeats is None]
    asked = [one for a in attempts for one in a.exchanges if not one.failure]
    accepted = next((a for a in attempts if a.verdict is Verdict.ACCEPTED), None)
    if accepted:
        verdict = Verdict.ACCEPTED
    elif last is None or any(a.verdict is Verdict.NOT_SCORED for a in attempts):
        verdict = Verdict.NOT_SCORED
    else:
        verdict = last.verdict
    return Score(
        benchmark=benchmark,
        arm=arm,
        model=model,
        seed=seed,
        task=task.id,
        verdict=verdict,
        solved_at=accepted.number if accepted else None,
        attempts=len(attempts),
        last_attempt=last.number if last else None,
        last_outcome=_last_outcome(last),
        synthetic=any(a.synthetic for a in attempts),
        source=last.source if last else "live",
        detail="" if accepted else _detail(last),
        samples=sum(a.verdict is not Verdict.NOT_SCORED for a in attempts),
        samples_accepted=sum(a.verdict is Verdict.ACCEPTED for a in attempts),
        repeats=sum(a.repeats is not None for a in attempts),
        checks=len(results),
        disagreements=sum(result.contradicted is not None for result in results),
        verifier_seconds=round(sum(result.wall_seconds for result in results), 3),
        questions=len(asked),
        prompt_tokens=sum(one.prompt_tokens or 0 for one in asked),
        completion_tokens=sum(one.completion_tokens or 0 for one in asked),
        dollars=total_dollars(one.dollars for one in asked),
        shard=written.shard,
        first_line=min(written.lines, default=None),
        last_line=max(written.lines, default=None),
    )


def _last_outcome(last: Attempt | None) -> str:
    if last is None:
        return "none"
    if _unmet(last) is not None:
        return "acceptance"
    if last.result is not None:
        return str(last.result.outcome)
    if last.missing and last.missing not in NOT_ITS_DOING:
        return UNREADABLE
    return "gate" if last.violations else "none"


def _unmet(last: Attempt) -> Check | None:
    """The first check of acceptance that kept an attempt from being accepted."""
    return next((check for check in last.checks if check.state in {"failed", "fault"}), None)


def _detail(last: Attempt | None) -> str:
    """Why the last attempt was not accepted: the gate's first sentence, or the verifier's first error."""
    if last is None:
        return "no attempt was made"
    if last.missing and last.missing not in NOT_ITS_DOING:
        return f"{last.missing}: {last.reason}"
    if last.review is not None and last.review.state in {"refused", "fault"}:
        return f"the reviewer: {last.review.reason}"
    if last.violations:
        return f"{last.violations[0].kind}: {last.violations[0].sentence}"
    if last.result is None:
        return last.reason
    unmet = _unmet(last)
    if unmet is not None:
        return f"{unmet.name}: {unmet.explanation}"
    first = next((d for d in last.result.diagnostics if d.severity == "error"), None)
    if first is None:
        return last.result.explanation
    return f"({first.line},{first.column}): {first.message}"
