"""From a number back to the journal rows that it was made of."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.errors import UserError
from veriloop.loop.journal import read_journal
from veriloop.rows import FlagRow, Score, read_rows
from veriloop.stages.audit import violation_kind
from veriloop.stages.cells import read_cells
from veriloop.stages.flag import BY_GROUND_TRUTH, FAULT_FLAGS, faulty
from veriloop.stages.groups import conditions, size_bins
from veriloop.tasks import Task, read_tasks

Row = dict[str, str]


@dataclass(frozen=True)
class Results:
    """A finished experiment's files."""

    folder: Path
    experiment: Experiment

    def tasks(self, benchmark: str) -> list[Task]:
        """The tasks of a benchmark."""
        return read_tasks(self.folder / "tasks" / self.experiment.name / benchmark / "tasks.jsonl")

    def flags(self) -> list[FlagRow]:
        """What is wrong with tasks."""
        return read_rows(self._flags, FlagRow)

    @property
    def _flags(self) -> Path:
        return self.folder / "estimate" / self.experiment.name / "flags.csv"

    @property
    def _scores(self) -> Path:
        return self.folder / "score" / self.experiment.name

    def cells(self, benchmark: str) -> list[list[Score]]:
        """The scores of a benchmark's cells, as the estimates use them."""
        return read_cells(self.experiment, sorted((self._scores / benchmark).rglob("*.csv")), self._flags)

    def cell(self, row: Row) -> list[Score]:
        """The scores of the cell that a row names."""
        path = self._scores / row["benchmark"] / row["arm"] / f"{row['model']}.csv"
        return read_cells(self.experiment, [path], self._flags)[0]


def trace(table: Path, row: int) -> str:
    """The journal rows behind a row of a table, one line each: file and line, task, attempt, verdict, outcome.

    Args:
        table: a table under results/tables/EXPERIMENT/.
        row: its number, from 1, the heading not counted.

    Raises:
        UserError: no such table or row, a table that is not made of attempts, or files that are gone.
    """
    find = TRACED.get(table.name)
    if find is None:
        raise UserError(f"{table}: is not made of attempts; name one of {', '.join(TRACED)} beside it")
    found = _row(table, row)
    folder = table.resolve().parents[2]
    name = table.resolve().parent.name
    try:
        results = Results(folder, Experiment.read(folder / "config" / f"{name}.yaml"))
        scores = list(find(results, found))
    except OSError as error:
        raise UserError(f"{folder}: {error}; run the experiment again, finished attempts are not made twice") from None
    head = ", ".join(f"{name}={value}" for name, value in found.items() if value)
    return "\n".join([f"{table}, row {row}: {head}", *_lines(results, scores)])


def _row(table: Path, row: int) -> Row:
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise UserError(f"{table}: cannot be read ({error}); name a table under results/tables/") from None
    if not 1 <= row <= len(rows):
        raise UserError(f"{table}: has rows 1 to {len(rows)}, and no row {row}")
    return rows[row - 1]


def _whole_cell(results: Results, row: Row) -> Iterator[Score]:
    yield from results.cell(row)


def _condition(results: Results, row: Row) -> Iterator[Score]:
    cells = results.cells(row["benchmark"])
    cell = results.cell(row)
    bad = faulty(results.flags(), FAULT_FLAGS)
    found = conditions(cell, cells, results.tasks(row["benchmark"]), bad.get(row["benchmark"], set()))
    yield from (s for s in cell if s.task in found[row["among"]])


def _stratum(results: Results, row: Row) -> Iterator[Score]:
    cell = results.cell(row)
    key = (row["measure"], row["joined_by"], row["bins"], int(row["bin"]))
    for one in size_bins(results.experiment, results.tasks(row["benchmark"]), {s.task for s in cell}):
        if (one.measure, one.joined_by, one.bins, one.number) == key:
            yield from (s for s in cell if s.task in one.tasks)


def _outcome(results: Results, row: Row) -> Iterator[Score]:
    for score in results.cell(row):
        if row["value"] == (str(score.verdict) if row["kind"] == "verdict" else score.last_outcome):
            yield score


def _compared(results: Results, row: Row) -> Iterator[Score]:
    for name in (row["first"], row["second"]):
        other = {"arm": row["within"], "model": name} if row["between"] == "models" else {"arm": name}
        yield from results.cell({"benchmark": row["benchmark"], "model": row["within"]} | other)


def _beside_control(results: Results, row: Row) -> Iterator[Score]:
    for arm in (row["arm"], row["control"]):
        yield from results.cell({"benchmark": row["benchmark"], "model": row["model"], "arm": arm})


def _flagged(results: Results, row: Row) -> Iterator[Score]:
    """The runs of the given program or of the ground truth, which told the flag."""
    proposer = "ground_truth" if row["flag"] in BY_GROUND_TRUTH else "none"
    with_flag = {f.task for f in results.flags() if (f.benchmark, f.flag) == (row["benchmark"], row["flag"])}
    wanted = {row["task"]} if "task" in row else with_flag
    models = results.experiment.models
    for cell in results.cells(row["benchmark"]):
        if cell[0].model in models and models[cell[0].model].proposer == proposer:
            yield from (s for s in cell if s.task in wanted)


def _violation(results: Results, row: Row) -> Iterator[Score]:
    yield from (s for s in results.cell(row) if violation_kind(s) == row["kind"])


def _side(results: Results, row: Row) -> Iterator[Score]:
    yield from (s for s in results.cell(row) if s.task == row["task"])


def _difference(results: Results, row: Row) -> Iterator[Score]:
    yield from (s for s in results.cell(row) if (s.task, str(s.seed)) == (row["task"], row["seed"]))


TRACED: dict[str, Callable[[Results, Row], Iterator[Score]]] = {
    "rates.csv": _whole_cell,
    "by_attempt.csv": _whole_cell,
    "cost.csv": _whole_cell,
    "conditional.csv": _condition,
    "strata.csv": _stratum,
    "outcomes.csv": _outcome,
    "comparison.csv": _compared,
    "against_control.csv": _beside_control,
    "pass_at_k.csv": _whole_cell,
    "flags.csv": _flagged,
    "curation.csv": _flagged,
    "differences.csv": _difference,
    "disagreements.csv": _difference,
    "audit.csv": _whole_cell,
    "violations.csv": _violation,
    "sides.csv": _side,
}


def _lines(results: Results, scores: list[Score]) -> Iterator[str]:
    """The lines of all attempts at the scores' tasks, journal after journal."""
    wanted: dict[tuple[str, str, str, int], set[str]] = {}
    for s in scores:
        wanted.setdefault((s.benchmark, s.arm, s.model, s.seed), set()).add(s.task)
    for (benchmark, arm, model, seed), tasks in wanted.items():
        folder = results.folder.joinpath("run", results.experiment.name, benchmark, arm, model, f"seed_{seed}")
        journals = sorted(folder.glob("*.jsonl"))
        if not journals:
            raise UserError(
                f"{folder}: has no journals; run the experiment again, finished attempts are not made twice"
            )
        for journal in journals:
            yield from _attempts(journal, tasks)


def _attempts(journal: Path, tasks: set[str]) -> Iterator[str]:
    for number, attempt in enumerate(read_journal(journal), start=1):
        if attempt.task in tasks:
            said = attempt.result.outcome if attempt.result else "gate" if attempt.violations else "none"
            yield f"{journal}:{number}: {attempt.task}, attempt {attempt.number}: {attempt.verdict} ({said})"
