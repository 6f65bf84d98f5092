"""The figure of success by size, in the manner of DafnyBench's figure 4, with counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from veriloop.report.figures import BASELINE, COLOURS, MARKS, cell_label, percent_or_gap, save
from veriloop.report.tables import short
from veriloop.rows import StratumRow

TITLES = {"characters": "program size (characters)", "hint_characters": "hint size (characters)"}
MANY = 100
"""From so many tasks on, deciles hold enough of them; below, the fixed bins are drawn."""


def plot_strata(rows: Sequence[StratumRow], title: str, *, pdf: Path, png: Path) -> None:
    """A row of panels per benchmark: rate by size of the program and of its hints, a line per arm and model.

    A thin dotted line is the published figure's pairing of rows, where a benchmark has it.

    Args:
        rows: the estimates by size.
        title: what stands above.
        pdf: the vector file to write.
        png: the bitmap to write.
    """
    mpl.use("Agg")
    benchmarks = [(name, list(group)) for name, group in groupby(rows, key=lambda r: r.benchmark)]
    figure, axes = plt.subplots(
        max(1, len(benchmarks)),
        len(TITLES),
        figsize=(6.4 * len(TITLES), 4.8 * max(1, len(benchmarks))),
        squeeze=False,
        layout="constrained",
    )
    for line, (_, members) in zip(axes, benchmarks, strict=False):
        for axis, measure in zip(line, TITLES, strict=True):
            _panel(axis, measure, _chosen(members, measure))
    if not benchmarks:
        for axis in axes[0]:
            axis.text(0.5, 0.5, "no sizes are known", transform=axis.transAxes, ha="center")
    paired = any(r.joined_by == "position" for r in rows)
    note = "dotted: row i of the published results paired with row i of the metadata, as in the paper"
    figure.suptitle(f"{title}\n{note}" if paired else title, fontsize=11)
    save(figure, pdf, png)


def _chosen(rows: Sequence[StratumRow], measure: str) -> list[StratumRow]:
    """The rows of one panel: deciles of a large benchmark, fixed bins of a small one; empty bins are left out."""
    total = max(
        (sum(r.n for r in group) for _, group in _lines([r for r in rows if r.bins == "deciles"], measure)), default=0
    )
    bins = "deciles" if total >= MANY else "fixed"
    return [r for r in rows if r.measure == measure and r.bins == bins and r.n > 0]


Line = tuple[tuple[str, str, str], list[StratumRow]]


def _lines(rows: Sequence[StratumRow], measure: str) -> list[Line]:
    mine = [r for r in rows if r.measure == measure]
    return [(key, list(group)) for key, group in groupby(mine, key=lambda r: (r.arm, r.model, r.joined_by))]


def _panel(axis: Axes, measure: str, rows: Sequence[StratumRow]) -> None:
    lines = _lines(rows, measure)
    ticks = {r.bin: r for r in rows if r.joined_by == "name"}
    arms = {r.arm for r in rows}
    styles = {pair: number for number, pair in enumerate(dict.fromkeys((arm, model) for (arm, model, _), _ in lines))}
    for (arm, model, joined_by), group in lines:
        number = styles[arm, model]
        name = cell_label(model, arm, several_arms=len(arms) > 1, synthetic=group[0].synthetic)
        by_name = joined_by == "name"
        axis.plot(
            [r.bin for r in group],
            [percent_or_gap(r.rate) for r in group],
            color=BASELINE if model == "none" else COLOURS[number % len(COLOURS)],
            linestyle=":" if not by_name else "--" if model == "none" else "-",
            linewidth=1.5 if by_name else 0.8,
            marker=MARKS[number % len(MARKS)] if by_name else None,
            markersize=4,
            label=name if by_name else None,
        )
    benchmark = rows[0].benchmark if rows else ""
    axis.set_title(f"{benchmark}: by {TITLES[measure]}", fontsize=10)
    axis.set_xticks(list(ticks), [f"{short(r.low)}\n{short(r.high)}\nn={r.n}" for r in ticks.values()], fontsize=7)
    axis.set_xlabel("bin: from, to, number of tasks")
    axis.set_ylabel("tasks solved (%)")
    axis.set_ylim(-2, 102)
    axis.grid(visible=True, axis="y", linewidth=0.4, color="#cccccc")
    if lines:
        axis.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=3)
