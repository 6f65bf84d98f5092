"""Paired comparisons: every two models under the same arm, and every two arms of the same model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from pathlib import Path

import numpy as np

from veriloop.arm_rows import ControlRow
from veriloop.config.schema import Experiment
from veriloop.rows import ComparisonRow, Score, write_rows
from veriloop.seeding import generator
from veriloop.stages.cells import accepted, effort, read_cells, task_values
from veriloop.stats.paired import holm, mcnemar, paired_difference

Cell = Sequence[Score]


def compare(config: Path, scores: Sequence[Path], flags: Path, *, comparison: Path, against_control: Path) -> None:
    """Compare the cells of each benchmark; all comparisons within a benchmark are one family.

    Args:
        config: the resolved experiment.
        scores: one file per cell, benchmark after benchmark.
        flags: what is wrong with tasks.
        comparison: where the comparisons go.
        against_control: where each arm beside the control arm goes; empty where the experiment names none.
    """
    experiment = Experiment.read(config)
    cells = read_cells(experiment, scores, flags)
    rows: list[ComparisonRow] = []
    control_rows: list[ControlRow] = []
    for _, group in groupby(cells, key=lambda cell: cell[0].benchmark):
        members = list(group)
        rows += _adjusted([_compared(experiment, *pair) for pair in _pairs(members)])
        control_rows += _against_control(experiment, members)
    write_rows(comparison, ComparisonRow, rows)
    write_rows(against_control, ControlRow, control_rows)


def _against_control(experiment: Experiment, cells: Sequence[Cell]) -> list[ControlRow]:
    """Each arm beside the control arm of the same model; the benchmark's rows are one family."""
    pairs = [
        (arm, control)
        for control in cells
        if control[0].arm == experiment.control
        for arm in cells
        if arm[0].model == control[0].model and arm is not control
    ]
    compared = _adjusted([_compared(experiment, "arms", *pair) for pair in pairs])
    return [_control_row(experiment, *pair, row) for pair, row in zip(pairs, compared, strict=True)]


def _control_row(experiment: Experiment, arm: Cell, control: Cell, row: ComparisonRow) -> ControlRow:
    same = row.model_dump(include=set(ControlRow.model_fields) & set(ComparisonRow.model_fields))
    names = {"model": row.within, "arm": row.first, "control": row.second}
    names |= {"overrides": " ".join(experiment.arms[row.first].overrides) or "none"}
    paired = {"rate": row.first_rate, "control_rate": row.second_rate}
    paired |= {"only_arm": row.only_first, "only_control": row.only_second}
    both = {"": effort(arm), "control_": effort(control)}
    efforts = {
        f"{prefix}{name}": found[name]
        for prefix, found in both.items()
        for name in ("attempts_to_success", "dollars_per_solved")
    }
    return ControlRow.model_validate(same | names | paired | efforts)


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
