"""The figure of rates: a dot with its interval for each cell, and the run without a model as a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from matplotlib.axes import Axes

from veriloop.report.figures import BASELINE, COLOURS, cell_label, percent_or_gap, save, stacked_panels
from veriloop.rows import RateRow

ROW_INCHES = 0.32


def plot_rates(rows: Sequence[RateRow], title: str, *, pdf: Path, png: Path) -> None:
    """A panel per benchmark, a line of text per arm and model, ordered as in the table.

    A hollow diamond is what the paper prints; a hollow dot is synthetic.

    Args:
        rows: the estimates.
        title: what stands above.
        pdf: the vector file to write.
        png: the bitmap to write.
    """
    panels = [(name, list(group)) for name, group in groupby(rows, key=lambda r: r.benchmark)]
    heights = [len(members) + 1.5 for _, members in panels]
    figure, axes = stacked_panels(heights, 7.2, ROW_INCHES, 1.6)
    for axis, (benchmark, members) in zip(axes, panels, strict=True):
        _panel(axis, benchmark, members)
    # On a line of its own: beside long names of arms the axis is short.
    baseline = "\ndashed: the given programs, no model" if any(row.model == "none" for row in rows) else ""
    axes[-1].set_xlabel(f"tasks solved (%), with interval{baseline}")
    figure.suptitle(title, fontsize=11)
    save(figure, pdf, png)


def _panel(axis: Axes, benchmark: str, rows: Sequence[RateRow]) -> None:
    several_arms = len({r.arm for r in rows}) > 1
    for place, row in enumerate(rows):
        if row.model == "none" and row.rate is not None:
            axis.axvline(100 * row.rate, color=BASELINE, linestyle="--", linewidth=1)
        colour = BASELINE if row.model == "none" else COLOURS[0]
        axis.plot(
            [percent_or_gap(row.ci_low), percent_or_gap(row.ci_high)], [place, place], color=colour, linewidth=1.5
        )
        axis.plot(
            percent_or_gap(row.rate), place, "o", color=colour, markerfacecolor="white" if row.synthetic else colour
        )
        if row.paper_percent is not None:
            axis.plot(row.paper_percent, place, "D", color="black", markerfacecolor="none", markersize=8)
    names = [cell_label(r.model, r.arm, several_arms=several_arms, synthetic=r.synthetic) for r in rows]
    axis.set_yticks(range(len(rows)), names, fontsize=8)
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlim(-2, 102)
    axis.grid(visible=True, axis="x", linewidth=0.4, color="#cccccc")
    axis.set_title(f"{benchmark} (n = {rows[0].n})" + _key(rows), fontsize=9, loc="left")


def _key(rows: Sequence[RateRow]) -> str:
    return "; diamond: as printed in the paper" if any(r.paper_percent is not None for r in rows) else ""
