"""Breakdowns leave nothing out: every task is in one bin, and what could not be told apart is in no group."""

from pathlib import Path

import numpy as np
import pytest
from builders import score, task
from hypothesis import given
from hypothesis import strategies as st
from veriloop.config.compose import resolve_experiment
from veriloop.outcomes import Verdict
from veriloop.report.details import TABLES
from veriloop.report.tables import latex
from veriloop.rows import ConditionalRow, OutcomeRow, Score, StratumRow, read_rows, write_rows
from veriloop.stages.breakdown import _bins, breakdown
from veriloop.tasks import BenchmarkCard, write_records

A, R, N = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.NOT_SCORED


@given(st.lists(st.integers(0, 60), min_size=1, max_size=60))
def test_every_task_is_in_exactly_one_decile(sizes: list[int]) -> None:
    named = {str(i): float(size) for i, size in enumerate(sizes)}
    bins = list(_bins([float(e) for e in np.percentile(sizes, range(0, 101, 10))], named))
    assert len(bins) == 10
    assert sorted(name for _, _, inside in bins for name in inside) == sorted(named)
    assert all(low <= named[name] <= high for low, high, inside in bins for name in inside)


def run(folder: Path, none: list[Verdict], model: list[Verdict]) -> dict[str, Path]:
    """Break down a benchmark of as many tasks, whose sizes are 0, 100, 200 and so on; the first is hint-free."""
    (folder / "config.yaml").write_text(resolve_experiment("demo", []).dump(), encoding="utf-8")
    tasks = [
        task(str(i), facts={"characters": 100 * i, "hint_characters": 10, "hint_free": i == 0})
        for i in range(len(none))
    ]
    write_records(folder / "tasks.jsonl", tasks)
    card = BenchmarkCard(name="b", version="1", n=len(tasks), has_programs=True)
    (folder / "card.json").write_text(card.model_dump_json(), encoding="utf-8")
    for name, verdicts in (("none", none), ("m", model)):
        rows = [score(str(i), verdict, model=name) for i, verdict in enumerate(verdicts)]
        write_rows(folder / f"score_{name}.csv", Score, rows)
    paths = {name: folder / f"{name}.csv" for name in ("conditional", "strata", "outcomes", "benchmark")}
    scores = [folder / "score_none.csv", folder / "score_m.csv"]
    breakdown(folder / "config.yaml", scores, [folder / "tasks.jsonl"], [folder / "card.json"], **paths)
    return paths


def test_needs_hints_is_told_by_the_flag_and_by_the_run_of_the_given_programs(tmp_path: Path) -> None:
    """Tasks 0 and 1 verify as given, task 2 could not be checked, tasks 3 and 4 do not verify."""
    rows = read_rows(run(tmp_path, [A, A, N, R, R], [A, R, A, A, R])["conditional"], ConditionalRow)
    found = {(r.model, r.needs_hints_by): (r.n, r.accepted) for r in rows}
    assert found == {("none", "flag"): (4, 1), ("none", "none"): (2, 0), ("m", "flag"): (4, 2), ("m", "none"): (2, 1)}


def test_fixed_bins_are_those_of_the_configuration_and_empty_ones_are_shown(tmp_path: Path) -> None:
    rows = read_rows(run(tmp_path, [R] * 12, [A] * 12)["strata"], StratumRow)
    fixed = [r for r in rows if (r.model, r.measure, r.bins) == ("m", "characters", "fixed")]
    assert [(r.low, r.n) for r in fixed] == [(0, 5), (500, 5), (1000, 2), (2000, 0), (4000, 0), (8000, 0)]
    assert [r.rate for r in fixed] == [1, 1, 1, None, None, None]
    assert {r.joined_by for r in rows} == {"name"}


def test_a_verdict_that_never_occurred_is_still_counted(tmp_path: Path) -> None:
    rows = read_rows(run(tmp_path, [A, R, N], [R, R, R])["outcomes"], OutcomeRow)
    verdicts = {r.value: r.count for r in rows if (r.model, r.kind) == ("none", "verdict")}
    assert verdicts == {"accepted": 1, "rejected": 1, "cheating": 0, "vacuous": 0, "not_scored": 1}


@pytest.mark.parametrize("table", ["conditional", "strata", "outcomes", "benchmark"])
def test_every_table_is_shown_in_both_forms(table: str, tmp_path: Path) -> None:
    shown = TABLES[table]
    rows = read_rows(run(tmp_path, [A, R, N], [R, A, R])[table], shown.kind)
    assert shown.as_markdown(rows).startswith(shown.caption)
    text = shown.as_latex(rows)
    assert text.count(r" \\") == len(rows) + 1
    assert text.startswith(r"\begin{tabular}{l")


def test_latex_is_safe_whatever_a_cell_holds() -> None:
    line = latex(["a"], [["50 % & $x_1$ #{~^} \\ ± <"]]).splitlines()[4]
    assert line == (r"50 \% \& \$x\_1\$ \#\{\textasciitilde{}\textasciicircum{}\} \textbackslash{} $\pm$ $<$ \\")
