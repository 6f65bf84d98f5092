"""Rates broken down: among the tasks that need hints, and by size; outcomes counted; what the programs are like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from veriloop.arm_rows import CostRow, PassRow
from veriloop.config.schema import Experiment
from veriloop.outcomes import Outcome, Verdict
from veriloop.rows import (
    ConditionalRow,
    CountRow,
    DisagreementRow,
    EndRow,
    FlagRow,
    OutcomeRow,
    Score,
    StratumRow,
    read_rows,
    write_rows,
)
from veriloop.stages.cells import (
    Values,
    accepted,
    cell_numbers,
    dollars_of,
    effort,
    estimator_of,
    point_numbers,
    read_cards,
    read_cells,
    task_means,
)
from veriloop.stages.flag import FAULT_FLAGS, faulty
from veriloop.stages.groups import MEASURES, Cell, conditions, size_bins
from veriloop.stats.passes import pass_at_k
from veriloop.tasks import BenchmarkCard, Task, read_tasks

COUNTED = ("methods", "functions", "lemmas")
"""What the paper's table 2 counts."""

NOT_VERIFIED = ("gate", "acceptance", "unreadable", "none")
"""What stands for an outcome where it is not the verifier that decided."""


def breakdown(
    config: Path,
    scores: Sequence[Path],
    tasks: Sequence[Path],
    cards: Sequence[Path],
    flags: Path,
    *,
    conditional: Path,
    strata: Path,
    outcomes: Path,
    ends: Path,
    benchmark: Path,
    cost: Path,
    disagreements: Path,
    passes: Path,
) -> None:
    """Estimate the experiment's breakdowns.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        tasks: one file per benchmark, in the experiment's order.
        cards: one card per benchmark, in the same order.
        flags: what is wrong with tasks.
        conditional: where the rates among some of the tasks go.
        strata: where the rates by size go.
        outcomes: where the counts of verdicts and outcomes go.
        ends: where the counts of ways to end go, each score in one of them.
        benchmark: where the counts of what is in the programs go.
        cost: where the counts of attempts and checks go.
        disagreements: where the tasks go on which two paths of the verifier contradict each other.
        passes: where pass@k of the arms with independent samples goes.
    """
    experiment = Experiment.read(config)
    cells = read_cells(experiment, scores, flags)
    known = {card.name: (card, read_tasks(path)) for card, path in zip(read_cards(cards), tasks, strict=True)}
    tasks_of = {name: found for name, (_, found) in known.items()}
    bad = faulty(read_rows(flags, FlagRow), FAULT_FLAGS)
    write_rows(
        conditional,
        ConditionalRow,
        [
            row
            for cell in cells
            for name in [cell[0].benchmark]
            for row in _conditional(experiment, cell, cells, tasks_of[name], bad.get(name, set()))
        ],
    )
    write_rows(strata, StratumRow, [r for c in cells for r in _strata(experiment, c, tasks_of[c[0].benchmark])])
    write_rows(outcomes, OutcomeRow, [r for c in cells for r in _outcomes(c)])
    write_rows(ends, EndRow, [r for c in cells for r in _ends(c)])
    write_rows(benchmark, CountRow, [r for card, found in known.values() for r in _counts(card, found)])
    write_rows(cost, CostRow, [_cost(c) for c in cells])
    write_rows(passes, PassRow, [row for cell in cells for row in _passes(experiment, cell)])
    contradicted = [_disagreement(score) for cell in cells for score in cell if score.disagreements]
    write_rows(disagreements, DisagreementRow, contradicted)


def _disagreement(score: Score) -> DisagreementRow:
    return DisagreementRow.model_validate({name: getattr(score, name) for name in DisagreementRow.model_fields})


def _names(cell: Cell) -> dict[str, str | bool]:
    first = cell[0]
    names: dict[str, str | bool] = {"benchmark": first.benchmark, "arm": first.arm, "model": first.model}
    return names | {"source": first.source, "synthetic": any(s.synthetic for s in cell)}


def _conditional(
    experiment: Experiment, cell: Cell, cells: Sequence[Cell], tasks: Sequence[Task], bad: set[str]
) -> Iterator[ConditionalRow]:
    """The cell's rate among the tasks of each condition that holds for any of them."""
    for among, members in conditions(cell, cells, tasks, bad).items():
        chosen = [s for s in cell if s.task in members]
        if chosen:
            numbers = cell_numbers(chosen, estimator_of(experiment, cell, "conditional", among))
            yield ConditionalRow.model_validate(_names(cell) | numbers | {"among": among})


def _strata(experiment: Experiment, cell: Cell, tasks: Sequence[Task]) -> Iterator[StratumRow]:
    for one in size_bins(experiment, tasks, {s.task for s in cell}):
        key = (one.measure, one.joined_by, one.bins, one.number)
        numbers = cell_numbers([s for s in cell if s.task in one.tasks], estimator_of(experiment, cell, "strata", *key))
        place = {"measure": one.measure, "joined_by": one.joined_by, "bins": one.bins, "bin": one.number}
        yield StratumRow.model_validate(_names(cell) | numbers | place | {"low": one.low, "high": one.high})


def _passes(experiment: Experiment, cell: Cell) -> Iterator[PassRow]:
    """pass@k for each k up to the number of samples; nothing for an arm that stops at the first accepted one."""
    first = cell[0]
    arm = experiment.arms.get(first.arm)
    if arm is None or arm.loop.strategy != "independent":
        return
    samples = max(s.attempts for s in cell)
    whole = [s if s.samples == samples else s.model_copy(update={"verdict": Verdict.NOT_SCORED}) for s in cell]
    for k in range(1, samples + 1):
        values = task_means(whole, partial(_pass_at, k))
        numbers = point_numbers(values, estimator_of(experiment, cell, "pass", k))
        yield PassRow.model_validate(_names(cell) | {"k": k, "samples": samples} | numbers)


def _pass_at(k: int, score: Score) -> float:
    return pass_at_k(score.samples, score.samples_accepted, k)


def _cost(cell: Cell) -> CostRow:
    solved = sum(accepted(s) for s in cell)
    # A release reports the number of the attempt that solved a task, or of the last one, in one row.
    attempts = sum(s.attempts if s.source == "live" else s.last_attempt or 0 for s in cell)
    checks = sum(s.checks for s in cell)
    seconds = sum(s.verifier_seconds for s in cell)
    tokens = sum(s.prompt_tokens + s.completion_tokens for s in cell)
    return CostRow.model_validate(
        _names(cell)
        | {"scores": len(cell), "solved": solved, "attempts": attempts, "checks": checks}
        | {"attempts_per_solved": attempts / solved if solved else None}
        | {"checks_per_solved": checks / solved if solved and checks else None}
        | {"verifier_seconds": seconds, "seconds_per_check": seconds / checks if checks else None}
        | {"repeats": sum(s.repeats for s in cell), "questions": sum(s.questions for s in cell)}
        | {"tokens": tokens, "dollars": dollars_of(cell)}
        | effort(cell)
    )


def _outcomes(cell: Cell) -> Iterator[OutcomeRow]:
    """Every verdict and every outcome of the closed sets, those that never occurred too."""
    verdicts = Counter(str(s.verdict) for s in cell)
    outcomes = Counter(s.last_outcome for s in cell)
    values = [("verdict", str(v), verdicts[str(v)]) for v in Verdict]
    values += [("last outcome", o, outcomes[o]) for o in (*map(str, Outcome), *NOT_VERIFIED)]
    first = cell[0]
    for kind, value, count in values:
        yield OutcomeRow(
            benchmark=first.benchmark,
            arm=first.arm,
            model=first.model,
            kind=kind,
            value=value,
            count=count,
            of=len(cell),
        )


def _ends(cell: Cell) -> Iterator[EndRow]:
    """What the figure of outcomes shows: every score once."""
    found = Counter(_end(score) for score in cell)
    for end in sorted(found):
        names = {key: value for key, value in _names(cell).items() if key != "source"}
        yield EndRow.model_validate(names | {"end": end, "count": found[end], "of": len(cell)})


def _end(score: Score) -> str:
    if score.verdict is not Verdict.REJECTED:
        return str(score.verdict)
    return f"rejected: {'not said how' if score.last_outcome == 'none' else score.last_outcome}"


def _counts(card: BenchmarkCard, tasks: Sequence[Task]) -> Iterator[CountRow]:
    printed = {count.measure: count for count in card.paper_counts}
    for measure in (*COUNTED, *(m for m in MEASURES if m not in COUNTED)):
        if not all(measure in task.facts for task in tasks):
            continue
        values: Values = np.array([float(task.facts[measure]) for task in tasks])
        paper = printed.get(measure)
        yield CountRow(
            benchmark=card.name,
            measure=measure,
            n=len(tasks),
            mean=float(values.mean()),
            median=float(np.median(values)),
            maximum=float(values.max()),
            paper_mean=paper.mean if paper else None,
            paper_maximum=paper.maximum if paper else None,
        )
