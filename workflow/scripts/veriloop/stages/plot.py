"""The figures of an experiment."""

from __future__ import annotations

import shutil
from pathlib import Path

from veriloop.report.composition import plot_outcomes
from veriloop.report.dots import plot_rates
from veriloop.report.figures import plot_cumulative
from veriloop.report.sizes import plot_strata
from veriloop.rows import AttemptRow, EndRow, RateRow, StratumRow, read_rows


def plot(by_attempt: Path, experiment: str, *, pdf: Path, png: Path, csv: Path) -> None:
    """Draw cumulative success by attempt, and put its data beside it.

    Args:
        by_attempt: the estimates by attempt.
        experiment: its name, for the title.
        pdf: the vector file to write.
        png: the bitmap to write.
        csv: the figure's data.
    """
    plot_cumulative(read_rows(by_attempt, AttemptRow), f"{experiment}: success by attempt", pdf=pdf, png=png)
    shutil.copyfile(by_attempt, csv)


def plot_by_size(strata: Path, experiment: str, *, pdf: Path, png: Path, csv: Path) -> None:
    """Draw success by size of program and of hints, and put the data beside it.

    Args:
        strata: the estimates by size.
        experiment: its name, for the title.
        pdf: the vector file to write.
        png: the bitmap to write.
        csv: the figure's data.
    """
    plot_strata(read_rows(strata, StratumRow), f"{experiment}: success by size", pdf=pdf, png=png)
    shutil.copyfile(strata, csv)


def plot_dots(rates: Path, experiment: str, *, pdf: Path, png: Path, csv: Path) -> None:
    """Draw the rates with their intervals, and put the data beside them.

    Args:
        rates: the estimates.
        experiment: its name, for the title.
        pdf: the vector file to write.
        png: the bitmap to write.
        csv: the figure's data.
    """
    plot_rates(read_rows(rates, RateRow), f"{experiment}: rates", pdf=pdf, png=png)
    shutil.copyfile(rates, csv)


def plot_composition(ends: Path, experiment: str, *, pdf: Path, png: Path, csv: Path) -> None:
    """Draw what became of every task, and put the data beside it.

    Args:
        ends: the counts of ways to end.
        experiment: its name, for the title.
        pdf: the vector file to write.
        png: the bitmap to write.
        csv: the figure's data.
    """
    plot_outcomes(read_rows(ends, EndRow), f"{experiment}: what became of every task", pdf=pdf, png=png)
    shutil.copyfile(ends, csv)
