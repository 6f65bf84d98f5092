"""What gates leave of published rates: rates, kinds of violations, and each answer that changes sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from veriloop.attempts import Attempt
from veriloop.audit_rows import AuditRow, SideRow, ViolationRow
from veriloop.config.schema import Experiment
from veriloop.loop.journal import read_journal
from veriloop.outcomes import Outcome, Verdict
from veriloop.rows import Score, write_rows
from veriloop.stages import parts
from veriloop.stages.audited import damage
from veriloop.stages.cells import Values, accepted, estimator_of, read_cards, read_cells, task_values
from veriloop.tasks import BenchmarkCard, Task, read_tasks, text_sha256

Numbers = dict[str, float | int | None]


@dataclass(frozen=True)
class Audited:
    """A cell of an audited benchmark.

    Attributes:
        scores: one for each task that the experiment does not leave out.
        tasks: the tasks of the scores, in the same order.
        damaged: the ids of the tasks that are no programs.
        published: under which name the release reports the model; None for the ground truths.
        paper_percent: the rate that the paper prints.
        journal: the sealed journal.
    """

    scores: list[Score]
    tasks: list[Task]
    damaged: frozenset[str]
    published: str | None
    paper_percent: float | None
    journal: Path

    @property
    def names(self) -> dict[str, str | bool]:
        """What tells the cell's rows from those of others."""
        first = self.scores[0]
        names = {"benchmark": first.benchmark, "arm": first.arm, "model": first.model}
        return names | {"synthetic": any(s.synthetic for s in self.scores)}

    def solved(self, task: Task) -> bool:
        """Whether the release reports the task as solved; a ground truth solves its task."""
        return self.published is None or task.published[self.published].solved


def audit(
    config: Path,
    scores: Sequence[Path],
    journals: Sequence[Path],
    tasks: Sequence[Path],
    cards: Sequence[Path],
    flags: Path,
    *,
    audit_rows: Path,
    violations: Path,
    sides: Path,
) -> None:
    """Estimate what each gate leaves of each model's published rate.

    Args:
        config: the resolved experiment.
        scores: one file per cell of an audited benchmark.
        journals: the sealed journals of these cells, in the same order.
        tasks: one file per benchmark of the experiment, in its order.
        cards: one card per benchmark, in the same order.
        flags: what is wrong with tasks.
        audit_rows: where the rates go.
        violations: where the counts of kinds go.
        sides: where the answers that change sides go.
    """
    experiment = Experiment.read(config)
    known = {card.name: (card, read_tasks(path)) for card, path in zip(read_cards(cards), tasks, strict=True)}
    damaged = {
        name: frozenset(task.id for task in found if damage(task))
        for name, (card, found) in known.items()
        if card.source == "audited"
    }
    cells = [
        _cell(experiment, cell, journal, *known[cell[0].benchmark], damaged[cell[0].benchmark])
        for cell, journal in zip(read_cells(experiment, scores, flags), journals, strict=True)
    ]
    write_rows(audit_rows, AuditRow, [_audit_row(experiment, cell) for cell in cells])
    write_rows(violations, ViolationRow, [row for cell in cells for row in _violations(cell)])
    write_rows(sides, SideRow, [row for cell in cells for row in _sides(cell)])


def _cell(
    experiment: Experiment,
    scores: list[Score],
    journal: Path,
    card: BenchmarkCard,
    tasks: Sequence[Task],
    damaged: frozenset[str],
) -> Audited:
    model = scores[0].model
    published = parts.published_name(model, experiment.models[model])
    printed = next((rate.percent for rate in card.paper_rates if rate.model == published), None)
    by_id = {task.id: task for task in tasks}
    return Audited(scores, [by_id[s.task] for s in scores], damaged, published, printed, journal)


def _audit_row(experiment: Experiment, cell: Audited) -> AuditRow:
    verifies = experiment.audit.verify
    undamaged = [t for t in cell.tasks if t.id not in cell.damaged]
    needing = [t for t in undamaged if not t.facts.get("hint_free", False)]
    of_undamaged = _scores_of(cell, undamaged)
    kept_ones = [s for s in of_undamaged if kept(s)]
    unrecorded = sum(s.verdict is Verdict.NOT_SCORED for s in of_undamaged if not kept(s))
    # A rejected answer without a violation is one that the release itself reports as failed.
    refused = [s for s in of_undamaged if violation_kind(s) is not None]
    row: dict[str, object] = {
        "n": len(cell.tasks),
        "damaged": len(cell.tasks) - len(undamaged),
        "paper_percent": cell.paper_percent,
        "undamaged": len(undamaged),
        "kept": len(kept_ones),
        "refused": sum(s.verdict is not Verdict.CHEATING for s in refused),
        "cheating": sum(s.verdict is Verdict.CHEATING for s in refused),
        "given_refused": sum(s.last_attempt == 0 for s in refused),
        "unrecorded": unrecorded,
        "needs_hints": len(needing),
    }
    values = {
        "published": _published_values(cell, cell.tasks),
        "undamaged": _published_values(cell, undamaged),
        "gate": task_values([_as_gated(s) for s in of_undamaged], accepted),
        "hints_published": _published_values(cell, needing),
        "hints_gate": task_values([_as_gated(s) for s in _scores_of(cell, needing)], accepted),
        "live": task_values(of_undamaged if verifies else [], accepted),
        "hints_live": task_values(_scores_of(cell, needing) if verifies else [], accepted),
    }
    for name, found in values.items():
        row |= _rate(experiment, cell, name, found)
    row |= _live_counts(kept_ones if verifies else None)
    return AuditRow.model_validate(cell.names | row | _published_counts(cell, undamaged))


def kept(score: Score) -> bool:
    """Whether the gate lets the answer pass: it counts without a verifier, or was given to one."""
    return accepted(score) or score.last_outcome not in {"none", "gate"}


def _as_gated(score: Score) -> Score:
    """What the score would be if every answer verified that the gate lets pass."""
    return score.model_copy(update={"verdict": Verdict.ACCEPTED}) if kept(score) else score


def _live_counts(kept_ones: Sequence[Score] | None) -> Numbers:
    """What became of the kept answers; nothing where none was verified."""
    names = ("accepted", "refuted", "undecided", "unaccepted", "unscored")
    if kept_ones is None:
        return dict.fromkeys(f"live_{name}" for name in names)
    found = Counter(_became(score) for score in kept_ones)
    return {f"live_{name}": found[name] for name in names}


def _became(score: Score) -> str:
    if accepted(score):
        return "accepted"
    if score.verdict is Verdict.NOT_SCORED:
        return "unscored"
    if score.last_outcome == "acceptance":
        return "unaccepted"
    return "refuted" if score.last_outcome in {Outcome.REFUTED, Outcome.MALFORMED} else "undecided"


def _scores_of(cell: Audited, tasks: Sequence[Task]) -> list[Score]:
    wanted = {task.id for task in tasks}
    return [s for s in cell.scores if s.task in wanted]


def _published_values(cell: Audited, tasks: Sequence[Task]) -> Values:
    """Whether each task was reported as solved; no values where nothing is reported."""
    return np.array([float(cell.solved(task)) for task in tasks] if cell.published else [])


def _published_counts(cell: Audited, undamaged: Sequence[Task]) -> Numbers:
    names = ("published_solved", "at_attempt_0", "damaged_solved", "undamaged_solved")
    if cell.published is None:
        return dict.fromkeys(names)
    solved = [task for task in cell.tasks if cell.solved(task)]
    at_0 = sum(task.published[cell.published].attempt == 0 for task in solved)
    sound = sum(cell.solved(task) for task in undamaged)
    return dict(zip(names, (len(solved), at_0, len(solved) - sound, sound), strict=True))


def _rate(experiment: Experiment, cell: Audited, name: str, values: Values) -> Numbers:
    """A rate with its interval as columns; empty ones where no task has a value."""
    scored = values[~np.isnan(values)]
    if scored.size == 0:
        return dict.fromkeys((f"{name}_rate", f"{name}_ci_low", f"{name}_ci_high"))
    found = estimator_of(experiment, cell.scores, "audit", name)(scored)
    return {f"{name}_rate": found.rate, f"{name}_ci_low": found.ci_low, f"{name}_ci_high": found.ci_high}


def violation_kind(score: Score) -> str | None:
    """The kind of the first violation that the gate found in an answer; None where it found none."""
    return score.detail.partition(":")[0] if score.last_outcome == "gate" else None


def _violations(cell: Audited) -> Iterator[ViolationRow]:
    kinds = Counter(kind for kind in map(violation_kind, cell.scores) if kind is not None)
    judged = kinds.total() + sum(kept(score) for score in cell.scores)
    for kind, answers in sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])):
        yield ViolationRow.model_validate(cell.names | {"kind": kind, "answers": answers, "of": judged})


def _sides(cell: Audited) -> Iterator[SideRow]:
    rows = read_journal(cell.journal)
    for score in cell.scores:
        if violation_kind(score) is not None and score.first_line is not None:
            yield _side(cell, rows[score.first_line - 1], score.first_line)


def _side(cell: Audited, attempt: Attempt, line: int) -> SideRow:
    first = attempt.violations[0]
    return SideRow.model_validate(
        cell.names
        | {
            "task": attempt.task,
            "published_attempt": attempt.number if cell.published else None,
            "verdict": attempt.verdict,
            "answer_sha256": text_sha256(attempt.candidate or ""),
            "journal": str(cell.journal),
            "line": line,
        }
        | first.model_dump()
    )
