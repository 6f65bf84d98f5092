"""Figures, each with its data as CSV beside it; colours that colour-blind people tell apart, and marks for grey."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import groupby
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from veriloop.rows import AttemptRow

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito (2008), without yellow, which is too light on white."""
BASELINE = "#666666"
MARKS = ("o", "s", "^", "D", "v", "P", "X")
LEGEND_INCHES = 0.17
"""What a line of the legend needs, for figures with more lines than the usual height has room for."""


def save(figure: Figure, pdf: Path, png: Path) -> None:
    """Write both files; without dates the same data gives the same bytes."""
    for path, dpi, metadata in ((pdf, None, {"CreationDate": None}), (png, 150, {"Software": None})):
        # Drawn in memory first: when the disk is full, matplotlib's own clean-up hides that it is.
        drawn = BytesIO()
        figure.savefig(drawn, format=path.suffix[1:], dpi=dpi or "figure", metadata=metadata)
        path.write_bytes(drawn.getvalue())
    plt.close(figure)


def stacked_panels(
    heights: Sequence[float], width: float, row_inches: float, margin: float
) -> tuple[Figure, list[Axes]]:
    """A figure with one panel below the other, as high as their numbers of rows; all sizes in inches.

    Args:
        heights: rows of each panel.
        width: of the figure.
        row_inches: height of a row.
        margin: what titles and legends take in height.
    """
    mpl.use("Agg")
    figure, axes = plt.subplots(
        len(heights),
        1,
        figsize=(width, row_inches * sum(heights) + margin),
        squeeze=False,
        sharex=True,
        layout="constrained",
        gridspec_kw={"height_ratios": heights},
    )
    return figure, list(axes[:, 0])


def percent_or_gap(value: float | None) -> float:
    """A share in percent; where there is none a number that matplotlib leaves out."""
    return float("nan") if value is None else 100 * value


def cell_label(model: str, arm: str, *, several_arms: bool, synthetic: bool) -> str:
    """How a figure names a cell: the arm only where there are several, and whether its answers are synthetic."""
    name = f"{model}, {arm}" if several_arms else model
    return f"{name} (synthetic)" if synthetic else name


def plot_cumulative(rows: Sequence[AttemptRow], title: str, *, pdf: Path, png: Path) -> None:
    """Cumulative success by attempt, a panel per benchmark, a line per arm and model; `none` is a dashed level.

    The band around a line is the rate's interval.

    Args:
        rows: the estimates by attempt.
        title: what stands above.
        pdf: the vector file to write.
        png: the bitmap to write.
    """
    mpl.use("Agg")
    panels = [(name, list(group)) for name, group in groupby(rows, key=lambda r: r.benchmark)]
    most = max(len({(r.arm, r.model) for r in members}) for _, members in panels)
    size = (5.2 * len(panels), 4.6 + LEGEND_INCHES * max(0, most - 6))
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False, layout="constrained")
    for axis, (benchmark, members) in zip(axes[0], panels, strict=True):
        _panel(axis, benchmark, members)
    figure.suptitle(title)
    save(figure, pdf, png)


def _panel(axis: Axes, benchmark: str, rows: Sequence[AttemptRow]) -> None:
    several_arms = len({r.arm for r in rows if r.model != "none"}) > 1
    lines = [(key, list(group)) for key, group in groupby(rows, key=lambda r: (r.arm, r.model))]
    baselines = {r.rate for (_, model), group in lines if model == "none" for r in group[-1:]}
    for level in sorted(b for b in baselines if b is not None):
        axis.axhline(100 * level, color=BASELINE, linestyle="--", linewidth=1, label="none (no model)")
    drawn = [(key, group) for key, group in lines if key[1] != "none"]
    for number, ((arm, model), group) in enumerate(drawn):
        attempts, colour = [r.attempt for r in group], COLOURS[number % len(COLOURS)]
        low, high = [percent_or_gap(r.ci_low) for r in group], [percent_or_gap(r.ci_high) for r in group]
        axis.fill_between(attempts, low, high, color=colour, alpha=0.12, linewidth=0)
        axis.plot(
            attempts,
            [percent_or_gap(r.rate) for r in group],
            color=colour,
            # Shifted in each round, so that no two lines have the same colour and mark.
            marker=MARKS[(number + number // len(COLOURS)) % len(MARKS)],
            # Curves of smaller budgets lie under those of larger ones; larger marks keep them visible.
            markersize=4 + 5 * (len(drawn) - 1 - number) / len(drawn) if several_arms else 4,
            linewidth=1.5,
            label=cell_label(model, arm, several_arms=several_arms, synthetic=group[0].synthetic),
        )
    source = "" if rows[0].source == "live" else f", {rows[0].source}"
    axis.set_title(f"{benchmark} (n = {rows[0].n}{source})", fontsize=10)
    axis.set_xlabel("attempts")
    axis.set_ylabel("tasks solved so far (%)")
    axis.set_ylim(0, 100)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    numbers = [r.attempt for r in rows]
    axis.set_xlim(min(numbers) - 0.5, max(numbers) + 0.5)
    axis.grid(visible=True, axis="y", linewidth=0.4, color="#cccccc")
    _, labels = axis.get_legend_handles_labels()
    if not labels:
        axis.text(0.5, 0.5, "no task was scored", transform=axis.transAxes, ha="center")
        return
    longest = max(len(str(text)) for text in labels)
    columns = 3 if longest <= 16 else 2 if longest <= 26 else 1
    axis.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns)
