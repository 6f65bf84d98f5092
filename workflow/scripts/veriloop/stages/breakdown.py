"""Rates broken down: among the tasks that need hints, and by size; outcomes counted; what the programs are like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from veriloop.config.schema import Experiment
from veriloop.outcomes import Outcome, Verdict
from veriloop.rows import (
    ConditionalRow,
    CountRow,
    OutcomeRow,
    Score,
    StratumRow,
    read_rows,
    write_rows,
)
from veriloop.stages.cells import Values, accepted, cell_numbers, estimator_of, read_cards, task_values
from veriloop.tasks import BenchmarkCard, Task, read_tasks

MEASURES = ("characters", "hint_characters", "lemmas")
"""The sizes by which the paper's figure 4 and appendix break rates down."""

COUNTED = ("methods", "functions", "lemmas")
"""What the paper's table 2 counts."""

NOT_VERIFIED = ("gate", "none")
"""What stands for an outcome where the verifier was not asked."""


def breakdown(
    config: Path,
    scores: Sequence[Path],
    tasks: Sequence[Path],
    cards: Sequence[Path],
    *,
    conditional: Path,
    strata: Path,
    outcomes: Path,
    benchmark: Path,
) -> None:
    """Estimate the experiment's breakdowns.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        tasks: one file per benchmark, in the experiment's order.
        cards: one card per benchmark, in the same order.
        conditional: where the rates among needs-hints tasks go.
        strata: where the rates by size go.
        outcomes: where the counts of verdicts and outcomes go.
        benchmark: where the counts of what is in the programs go.
    """
    experiment = Experiment.read(config)
    cells = [read_rows(path, Score) for path in scores]
    known = {card.name: (card, read_tasks(path)) for card, path in zip(read_cards(cards), tasks, strict=True)}
    write_rows(conditional, ConditionalRow, [r for c in cells for r in _conditional(experiment, c, cells, known)])
    write_rows(strata, StratumRow, [r for c in cells for r in _strata(experiment, c, known[c[0].benchmark][1])])
    write_rows(outcomes, OutcomeRow, [r for c in cells for r in _outcomes(c)])
    write_rows(benchmark, CountRow, [r for card, found in known.values() for r in _counts(card, found)])


Known = dict[str, tuple[BenchmarkCard, list[Task]]]


def _names(cell: Sequence[Score]) -> dict[str, str | bool]:
    first = cell[0]
    names: dict[str, str | bool] = {"benchmark": first.benchmark, "arm": first.arm, "model": first.model}
    return names | {"source": first.source, "synthetic": any(s.synthetic for s in cell)}


def _conditional(
    experiment: Experiment, cell: Sequence[Score], cells: Sequence[Sequence[Score]], known: Known
) -> Iterator[ConditionalRow]:
    """The cell's rate among needs-hints tasks, by the benchmark's flag and by the run of the given programs."""
    _, tasks = known[cell[0].benchmark]
    ways: dict[str, set[str]] = {}
    if all("hint_free" in task.facts for task in tasks):
        ways["flag"] = {task.id for task in tasks if not task.facts["hint_free"]}
    baseline = _baseline(cell, cells)
    if baseline is not None:
        values = task_values(baseline, accepted)
        ids = list(dict.fromkeys(s.task for s in baseline))
        # A task whose given program could not be checked is in neither group.
        ways["none"] = {task for task, value in zip(ids, values, strict=True) if value == 0}
    for way, needing in ways.items():
        chosen = [s for s in cell if s.task in needing]
        if chosen:
            numbers = cell_numbers(chosen, estimator_of(experiment, cell, "conditional"))
            yield ConditionalRow.model_validate(_names(cell) | numbers | {"needs_hints_by": way})


def _baseline(cell: Sequence[Score], cells: Sequence[Sequence[Score]]) -> Sequence[Score] | None:
    """The cell of the same benchmark and arm that ran the given programs."""
    wanted = (cell[0].benchmark, cell[0].arm, "none")
    return next((c for c in cells if (c[0].benchmark, c[0].arm, c[0].model) == wanted), None)


def _strata(experiment: Experiment, cell: Sequence[Score], tasks: Sequence[Task]) -> Iterator[StratumRow]:
    for measure in MEASURES:
        for joined_by, fact in (("name", measure), ("position", f"paired_{measure}")):
            if not all(fact in task.facts for task in tasks):
                continue
            sizes = {task.id: float(task.facts[fact]) for task in tasks}
            for bins, edges in _edges(experiment, measure, list(sizes.values())).items():
                for number, (low, high, inside) in enumerate(_bins(edges, sizes), start=1):
                    key = (measure, joined_by, bins, number)
                    chosen = [s for s in cell if s.task in inside]
                    numbers = cell_numbers(chosen, estimator_of(experiment, cell, "strata", *key))
                    place = dict(zip(("measure", "joined_by", "bins", "bin"), key, strict=True))
                    yield StratumRow.model_validate(_names(cell) | numbers | place | {"low": low, "high": high})


def _edges(experiment: Experiment, measure: str, sizes: Sequence[float]) -> dict[str, list[float]]:
    """The edges of both kinds of bins: deciles of the sizes, which may coincide, and those of the configuration."""
    found = {"deciles": [float(edge) for edge in np.percentile(sizes, range(0, 101, 10))]}
    fixed = experiment.statistics.fixed_bins.get(measure)
    return found | ({"fixed": [*fixed, max(fixed[-1], *sizes)]} if fixed else {})


def _bins(edges: Sequence[float], sizes: dict[str, float]) -> Iterator[tuple[float, float, set[str]]]:
    """Each bin's edges and the tasks in it: left-closed, the last one closed on both sides."""
    last = len(edges) - 2
    for number, (low, high) in enumerate(pairwise(edges)):
        yield low, high, {t for t, size in sizes.items() if low <= size < high or (number == last and size == high)}


def _outcomes(cell: Sequence[Score]) -> Iterator[OutcomeRow]:
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
