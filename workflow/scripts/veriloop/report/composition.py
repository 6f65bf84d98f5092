"""The figure of outcomes: what became of every score of a cell, as a bar that is always full."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from matplotlib.axes import Axes

from veriloop.report.figures import cell_label, save, stacked_panels
from veriloop.rows import EndRow

ROW_INCHES = 0.34
LABEL_FROM = 0.05
"""Parts below this share are too narrow for their number."""

STYLES = {
    "accepted": ("#0072B2", ""),
    "rejected: refuted": ("#E69F00", ""),
    "rejected: malformed": ("#D55E00", "///"),
    "rejected: timeout": ("#F7E3B5", "..."),
    "rejected: out_of_resource": ("#F7E3B5", "xx"),
    "rejected: inconclusive": ("#F7E3B5", "++"),
    "rejected: gate": ("#CC79A7", ""),
    "rejected: unreadable": ("#999999", ""),
    "rejected: acceptance": ("#CC79A7", "oo"),
    "rejected: not said how": ("#DDDDDD", ""),
    "cheating": ("#000000", ""),
    "vacuous": ("#56B4E9", "\\\\"),
    "not_scored": ("#FFFFFF", "//"),
}
"""Colour and hatching of each way to end; a hatch tells apart what is alike in grey."""


def plot_outcomes(rows: Sequence[EndRow], title: str, *, pdf: Path, png: Path) -> None:
    """A panel per benchmark, a bar per arm and model: shares of all tasks and seeds.

    Args:
        rows: the counts of how scores ended.
        title: what stands above.
        pdf: the vector file to write.
        png: the bitmap to write.
    """
    panels = [(name, list(group)) for name, group in groupby(rows, key=lambda r: r.benchmark)]
    heights = [len({(r.arm, r.model) for r in members}) + 1.2 for _, members in panels]
    figure, axes = stacked_panels(heights, 8.4, ROW_INCHES, 2)
    for axis, (benchmark, members) in zip(axes, panels, strict=True):
        _panel(axis, benchmark, members)
    axes[-1].set_xlabel("share of tasks x seeds (%)")
    known = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    shown = [name for name in STYLES if name in known]
    figure.legend(
        [known[name] for name in shown], shown, loc="outside lower center", ncols=4, fontsize=8, frameon=False
    )
    figure.suptitle(title, fontsize=11)
    save(figure, pdf, png)


def _panel(axis: Axes, benchmark: str, rows: Sequence[EndRow]) -> None:
    cells = [(key, list(group)) for key, group in groupby(rows, key=lambda r: (r.arm, r.model))]
    several_arms = len({arm for (arm, _), _ in cells}) > 1
    order = list(STYLES)
    for place, (_, parts) in enumerate(cells):
        left = 0.0
        # An end without a style is an error: left out, it would make the bar shorter than the whole.
        for part in sorted((p for p in parts if p.count), key=lambda p: order.index(p.end)):
            colour, hatch = STYLES[part.end]
            share = 100 * part.count / part.of
            axis.barh(
                place, share, left=left, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5, label=part.end
            )
            if share >= 100 * LABEL_FROM:
                _number(axis, left + share / 2, place, part.count, dark=part.end in {"accepted", "cheating"})
            left += share
    names = [
        cell_label(model, arm, several_arms=several_arms, synthetic=parts[0].synthetic) for (arm, model), parts in cells
    ]
    axis.set_yticks(range(len(cells)), names, fontsize=8)
    axis.set_ylim(len(cells) - 0.4, -0.6)
    axis.set_xlim(0, 100)
    axis.set_title(f"{benchmark} (tasks x seeds: {rows[0].of})", fontsize=9, loc="left")


def _number(axis: Axes, x: float, y: float, count: int, *, dark: bool) -> None:
    """The count inside of a part, on a ground that keeps it readable over hatching."""
    ground = {"boxstyle": "round,pad=0.15", "facecolor": "none" if dark else "white", "edgecolor": "none", "alpha": 0.8}
    axis.text(x, y, str(count), ha="center", va="center", fontsize=7, color="white" if dark else "black", bbox=ground)
