"""The page that a person reads: self-contained HTML, with everything that comes from outside escaped."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from veriloop.rows import FlagRow, Score

TEMPLATES = Path(__file__).parent


@dataclass(frozen=True)
class ShownTable:
    """A table as it stands on the page; `files` are links to it in other forms, by ending."""

    name: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    files: Mapping[str, str]


@dataclass(frozen=True)
class ShownFigure:
    """A figure, its bitmap within the page, and links to its files by ending."""

    name: str
    caption: str
    png: Path
    files: Mapping[str, str]

    @property
    def source(self) -> str:
        """The bitmap as a data address, so that the page needs no other file."""
        return "data:image/png;base64," + base64.b64encode(self.png.read_bytes()).decode()


@dataclass(frozen=True)
class ShownCell:
    """A benchmark, arm and model, and the page of its attempts."""

    benchmark: str
    arm: str
    model: str
    page: str


@dataclass(frozen=True)
class Page:
    """All that the page shows.

    Attributes:
        experiment: its name.
        description: a sentence on what it is.
        facts: what was run, as pairs of a heading and text.
        notes: sentences below the table of rates.
        rates: the main table.
        figures: in the order of the page.
        tables: the others.
        left_out: the flagged tasks that are in no estimate.
        not_scored: the scores that are in no rate, with the reason.
        cells: where the attempts are.
        config: the resolved experiment's text.
    """

    experiment: str
    description: str
    facts: Sequence[tuple[str, str]]
    notes: Sequence[str]
    rates: ShownTable
    figures: Sequence[ShownFigure]
    tables: Sequence[ShownTable]
    left_out: Sequence[FlagRow]
    not_scored: Sequence[Score]
    cells: Sequence[ShownCell]
    config: str


@dataclass(frozen=True)
class Ended:
    """What a task came to under one seed, and the addresses of its attempts: for people, and in the journal."""

    score: Score
    page: str
    journal: str


def page_html(page: Page) -> str:
    """The page of an experiment."""
    return _template("page.html.j2").render(page=page)


def attempts_html(experiment: str, cell: ShownCell, ended: Sequence[Ended]) -> str:
    """The page of one cell's attempts.

    Args:
        experiment: its name.
        cell: the cell; `page` is the address of the experiment's page from here.
        ended: one for each task and seed.
    """
    return _template("attempts.html.j2").render(experiment=experiment, cell=cell, ended=ended)


def task_html(cell: ShownCell, task: str, seed: int, attempts: Sequence[object]) -> str:
    """The page of the attempts at one task.

    Args:
        cell: the cell; `page` is the address of its page from here.
        task: its id.
        seed: the run's.
        attempts: what stages.show makes of each.
    """
    return _template("task.html.j2").render(cell=cell, task=task, seed=seed, attempts=attempts)


def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(name)
