"""Paired comparisons: every two models under the same arm, and every two arms of the same model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from pathlib import Path

import numpy as np

from veriloop.config.schema import Experiment
from veriloop.rows import ComparisonRow, Score, write_rows
from veriloop.seeding import generator
from veriloop.stages.cells import accepted, read_cells, task_values
from veriloop.stats.paired import holm, mcnemar, paired_difference

Cell = Sequence[Score]


def compare(config: Path, scores: Sequence[Path], flags: Path, output: Path) -> None:
    """Compare the cells of each benchmark; all comparisons within a benchmark are one family.

    Args:
        config: the resolved experiment.
        scores: one file per cell, benchmark after benchmark.
        flags: what is wrong with tasks.
        output: where the comparisons go.
    """
    experiment = Experiment.read(config)
    cells = read_cells(experiment, scores, flags)
    rows: list[ComparisonRow] = []
    for _, group in groupby(cells, key=lambda cell: cell[0].benchmark):
        rows += _adjusted([_compared(experiment, *pair) for pair in _pairs(list(group))])
    write_rows(output, ComparisonRow, rows)


def _pairs(cells: Sequence[Cell]) -> Iterator[tuple[str, Cell, Cell]]:
    for first, second in combinations(cells, 2):
        if first[0].arm == second[0].arm:
            yield "models", first, second
        elif first[0].model == second[0].model:
            yield "arms", first, second


def _compared(experiment: Experiment, kind: str, first: Cell, second: Cell) -> ComparisonRow:
    """One comparison over the tasks that both have scored; the p-value is adjusted later."""
    one, other = first[0], second[0]
    names = (one.model, other.model) if kind == "models" else (one.arm, other.arm)
    row: dict[str, object] = {
        "benchmark": one.benchmark,
        "between": kind,
        "within": one.arm if kind == "models" else one.model,
        "first": names[0],
        "second": names[1],
        "synthetic": any(s.synthetic for s in (*first, *second)),
    }
    a, b = task_values(first, accepted), task_values(second, accepted)
    both = ~np.isnan(a) & ~np.isnan(b)
    a, b = a[both], b[both]
    row |= {"n": int(a.size), "unpaired": int(both.size - a.size)}
    if a.size == 0:
        return ComparisonRow.model_validate(row | {"ci_method": "no task scored in both"})
    rng = generator(experiment.root_seed, "compare", one.benchmark, kind, str(row["within"]), *names)
    settings = experiment.statistics
    found = paired_difference(a, b, settings.confidence, settings.resamples, rng)
    row |= {"first_rate": float(a.mean()), "second_rate": float(b.mean())} | vars(found)
    if np.all((a == 0) | (a == 1)) and np.all((b == 0) | (b == 1)):
        only_first, only_second = int(np.sum(a > b)), int(np.sum(b > a))
        row |= {"only_first": only_first, "only_second": only_second, "p": mcnemar(only_first, only_second)}
    return ComparisonRow.model_validate(row)


def _adjusted(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Holm's correction over the comparisons that have a p-value."""
    tested = [row.p for row in rows if row.p is not None]
    adjusted = iter(holm(tested))
    return [
        row if row.p is None else row.model_copy(update={"p_holm": next(adjusted), "family": len(tested)})
        for row in rows
    ]
