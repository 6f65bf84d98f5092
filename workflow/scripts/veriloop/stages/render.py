"""The page of an experiment, and a page of attempts for each of its cells."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from veriloop.config.schema import Experiment
from veriloop.outcomes import Verdict
from veriloop.report.details import TABLES
from veriloop.report.page import Ended, Page, ShownCell, ShownFigure, ShownTable, attempts_html, page_html, task_html
from veriloop.report.tables import differences_text, rates_notes, rates_text
from veriloop.rows import Difference, FlagRow, RateRow, Score, read_rows
from veriloop.stages.cells import read_cards
from veriloop.stages.origin import Provenance
from veriloop.stages.provide import read_record
from veriloop.stages.show import shown_tasks
from veriloop.stages.tabulate import left_out_lines, toolchain_line
from veriloop.tasks import read_tasks

CAPTIONS = {
    "rates": "Rates with their intervals; hollow dots are synthetic.",
    "cumulative": "Tasks solved at each attempt or before; bands are intervals.",
    "strata": "Success by size of the program and of its hints, with the number of tasks in each bin. Dotted lines, "
    "where there are any, pair row i of the published results with row i of the metadata, as in the paper's figure 4; "
    "these are different tasks on 102 of 782 rows, so the solid lines are right.",
    "outcomes": "What became of every task under every seed; each bar is full, so nothing has disappeared.",
}


def render(
    config: Path,
    scores: Sequence[Path],
    cards: Sequence[Path],
    flags: Path,
    toolchain: Path | None,
    *,
    tables: Sequence[Path],
    figures: Sequence[Path],
    attempts: Sequence[Path],
    output: Path,
) -> None:
    """Write the page of an experiment.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        cards: one card per benchmark.
        flags: what is wrong with tasks.
        toolchain: the toolchain's record; None where nothing ran live.
        tables: the files of all tables.
        figures: the files of all figures.
        attempts: the cells' pages, in the order of the scores.
        output: the HTML file to write.
    """
    experiment = Experiment.read(config)
    by_name = {path.name: path for path in (*tables, *figures)}
    rates = read_rows(by_name["rates.csv"], RateRow)
    cells = [read_rows(path, Score) for path in scores]
    record = read_record(toolchain) if toolchain else None
    origin = Provenance.model_validate_json(by_name["rates.provenance.json"].read_text(encoding="utf-8"))
    header, text = rates_text(rates, experiment.statistics.confidence)
    page = Page(
        experiment=experiment.name,
        description=experiment.description,
        facts=_facts(experiment, origin, cards, toolchain_line(record)),
        notes=[*left_out_lines(experiment, rates), *rates_notes(rates)],
        rates=ShownTable("rates", "", header, text, _files(tables, "rates", output)),
        figures=[
            ShownFigure(name, caption, by_name[f"{name}.png"], _files(figures, name, output))
            for name, caption in CAPTIONS.items()
        ],
        tables=[_table(path, tables, output) for path in tables if path.suffix == ".csv" and path.stem != "rates"],
        left_out=[row for row in read_rows(flags, FlagRow) if row.flag in experiment.leave_out],
        not_scored=[score for cell in cells for score in cell if score.verdict is Verdict.NOT_SCORED],
        cells=[
            ShownCell(cell[0].benchmark, cell[0].arm, cell[0].model, _address(path, output))
            for cell, path in zip(cells, attempts, strict=True)
        ],
        config=config.read_text(encoding="utf-8"),
    )
    output.write_text(page_html(page), encoding="utf-8")


def _address(target: Path, page: Path) -> str:
    """The relative address of a file from a page, safe within HTML."""
    return quote(os.path.relpath(target, page.parent))


def _files(paths: Sequence[Path], name: str, page: Path) -> dict[str, str]:
    found = [path for path in paths if path.name.partition(".")[0] == name]
    return {path.name.partition(".")[2]: _address(path, page) for path in found}


def _table(path: Path, tables: Sequence[Path], page: Path) -> ShownTable:
    if path.stem == "differences":
        caption = "Tasks whose live outcome differs from the published one of the same model, with the reason."
        header, text = differences_text(read_rows(path, Difference))
    else:
        shown = TABLES[path.stem]
        caption = shown.caption
        header, text = shown.text(read_rows(path, shown.kind))
    return ShownTable(path.stem, caption, header, text, _files(tables, path.stem, page))


def _facts(experiment: Experiment, origin: Provenance, cards: Sequence[Path], toolchain: str) -> list[tuple[str, str]]:
    def listed(values: dict[str, Any]) -> str:
        return "; ".join(f"{name}: {value}" for name, value in values.items())

    code = origin.code
    return [
        ("benchmarks", listed({card.name: f"version {card.version}, {card.n} tasks" for card in read_cards(cards)})),
        ("models", ", ".join(experiment.models) or "none; published results only"),
        ("arms", listed({name: " ".join(arm.overrides) or "no override" for name, arm in experiment.arms.items()})),
        ("seeds", f"{', '.join(map(str, experiment.seeds))} (root seed {experiment.root_seed})"),
        ("verifier", toolchain.removeprefix("Verifier: ")),
        ("programs' content", origin.toolchain.content_sha256 if origin.toolchain else "no verifier"),
        ("commit", code.commit + (" with local changes" if code.dirty else "")),
        ("config hash", origin.config_hash),
        ("packages", listed(origin.packages)),
        ("left out", ", ".join(experiment.leave_out) or "nothing"),
    ]


def render_attempts(
    config: Path, scores: Path, tasks: Path, index: Path, journals: Path, *, output: Path, pages: Path
) -> None:
    """Write the page of one cell's attempts, and a page for each task and seed with attempts made here.

    Args:
        config: the resolved experiment.
        scores: the cell's scores.
        tasks: the benchmark's tasks.
        index: the experiment's page, which need not be there yet.
        journals: the folder of the cell's sealed journals.
        output: the HTML file to write.
        pages: the folder for the tasks' pages.
    """
    experiment = Experiment.read(config)
    rows = read_rows(scores, Score)
    first = rows[0]
    cell = ShownCell(first.benchmark, first.arm, first.model, _address(index, output))
    pages.mkdir(parents=True, exist_ok=True)
    written: dict[tuple[str, int], Path] = {}
    if first.source == "live":
        home = ShownCell(first.benchmark, first.arm, first.model, _address(output, pages / "any.html"))
        known = read_tasks(tasks)
        for seed in dict.fromkeys(row.seed for row in rows):
            for task, attempts in shown_tasks(sorted((journals / f"seed_{seed}").glob("*.jsonl")), known).items():
                page = written[task, seed] = pages / f"{quote(task, safe='')}.seed_{seed}.html"
                page.write_text(task_html(home, task, seed, attempts), encoding="utf-8")
    ended = [
        Ended(
            row,
            _address(written[row.task, row.seed], output) if (row.task, row.seed) in written else "",
            _address(journals / f"seed_{row.seed}" / f"shard_{row.shard}.jsonl", output),
        )
        for row in rows
    ]
    output.write_text(attempts_html(experiment.name, cell, ended), encoding="utf-8")
