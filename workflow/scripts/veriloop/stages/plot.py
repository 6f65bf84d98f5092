"""The figures of an experiment."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veriloop.outcomes import Record
from veriloop.report.composition import plot_outcomes
from veriloop.report.dots import plot_rates
from veriloop.report.figures import plot_cumulative
from veriloop.report.sizes import plot_strata
from veriloop.rows import AttemptRow, EndRow, RateRow, StratumRow, read_rows


@dataclass(frozen=True)
class Drawing:
    """A figure: the record of its data's rows, what draws it, and what its title says beside the experiment."""

    kind: type[Record]
    draw: Callable[..., Any]
    title: str


FIGURES = {
    "rates": Drawing(RateRow, plot_rates, "rates"),
    "cumulative": Drawing(AttemptRow, plot_cumulative, "success by attempt"),
    "strata": Drawing(StratumRow, plot_strata, "success by size"),
    "outcomes": Drawing(EndRow, plot_outcomes, "what became of every task"),
}


def plot(figure: str, data: Path, experiment: str, *, pdf: Path, png: Path, csv: Path) -> None:
    """Draw a figure, and put its data beside it.

    Args:
        figure: its name, a key of FIGURES.
        data: the estimates that it shows.
        experiment: its name, for the title.
        pdf: the vector file to write.
        png: the bitmap to write.
        csv: the figure's data.
    """
    drawing = FIGURES[figure]
    drawing.draw(read_rows(data, drawing.kind), f"{experiment}: {drawing.title}", pdf=pdf, png=png)
    shutil.copyfile(data, csv)
