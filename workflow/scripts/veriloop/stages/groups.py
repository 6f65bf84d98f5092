"""Which tasks a row of a breakdown is about; the estimates and `veriloop explain` ask the same functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from veriloop.config.schema import Experiment
from veriloop.rows import Score
from veriloop.stages.cells import accepted, task_values
from veriloop.tasks import Task

MEASURES = ("characters", "hint_characters", "lemmas")
"""The sizes by which the paper's figure 4 and appendix break rates down."""

Cell = Sequence[Score]


def conditions(cell: Cell, cells: Sequence[Cell], tasks: Sequence[Task], faulty: set[str]) -> dict[str, set[str]]:
    """The groups of the table `conditional`, by name.

    Args:
        cell: the cell whose rate is wanted.
        cells: all cells of the experiment, for the run of the given programs.
        tasks: the benchmark's tasks.
        faulty: the tasks that have a fault.
    """
    found: dict[str, set[str]] = {}
    if all("hint_free" in task.facts for task in tasks):
        found["needs_hints_by_flag"] = {task.id for task in tasks if not task.facts["hint_free"]}
    baseline = _baseline(cell, cells)
    if baseline is not None:
        values = task_values(baseline, accepted)
        ids = dict.fromkeys(s.task for s in baseline)
        # A task whose given program could not be checked is in neither group.
        found["needs_hints_by_none"] = {task for task, value in zip(ids, values, strict=True) if value == 0}
    if faulty:
        found["without_flagged"] = {task.id for task in tasks if task.id not in faulty}
    return found


def _baseline(cell: Cell, cells: Sequence[Cell]) -> Cell | None:
    """The cell of the same benchmark and arm that ran the given programs."""
    wanted = (cell[0].benchmark, cell[0].arm, "none")
    return next((c for c in cells if (c[0].benchmark, c[0].arm, c[0].model) == wanted), None)


@dataclass(frozen=True)
class Bin:
    """A bin of the table `strata`: see rows.StratumRow for the words."""

    measure: str
    joined_by: str
    bins: str
    number: int
    low: float
    high: float
    tasks: frozenset[str]


def size_bins(experiment: Experiment, tasks: Sequence[Task], kept: set[str]) -> Iterator[Bin]:
    """All bins by size.

    Args:
        experiment: for the fixed edges.
        tasks: the benchmark's tasks.
        kept: those that the estimates are about; the deciles are theirs.
    """
    mine = [task for task in tasks if task.id in kept]
    for measure in MEASURES:
        for joined_by, fact in (("name", measure), ("position", f"paired_{measure}")):
            if not all(fact in task.facts for task in mine):
                continue
            sizes = {task.id: float(task.facts[fact]) for task in mine}
            for bins, edges in _edges(experiment, measure, list(sizes.values())).items():
                for number, (low, high, inside) in enumerate(cut(edges, sizes), start=1):
                    yield Bin(measure, joined_by, bins, number, low, high, frozenset(inside))


def _edges(experiment: Experiment, measure: str, sizes: Sequence[float]) -> dict[str, list[float]]:
    """The edges of both kinds of bins: deciles of the sizes, which may coincide, and those of the configuration."""
    found = {"deciles": [float(edge) for edge in np.percentile(sizes, range(0, 101, 10))]}
    fixed = experiment.statistics.fixed_bins.get(measure)
    return found | ({"fixed": [*fixed, max(fixed[-1], *sizes)]} if fixed else {})


def cut(edges: Sequence[float], sizes: dict[str, float]) -> Iterator[tuple[float, float, set[str]]]:
    """Each bin's edges and the tasks in it: left-closed, the last one closed on both sides."""
    last = len(edges) - 2
    for number, (low, high) in enumerate(pairwise(edges)):
        yield low, high, {t for t, size in sizes.items() if low <= size < high or (number == last and size == high)}
