"""Breakdowns leave nothing out: every task is in one bin, and what could not be told apart is in no group."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from builders import score, task
from hypothesis import given
from hypothesis import strategies as st
from veriloop.arm_rows import CostRow, PassRow
from veriloop.config.compose import resolve_experiment
from veriloop.errors import UserError
from veriloop.outcomes import Verdict
from veriloop.report.details import TABLES
from veriloop.report.tables import latex
from veriloop.rows import (
    ConditionalRow,
    DisagreementRow,
    EndRow,
    FlagRow,
    OutcomeRow,
    Score,
    StratumRow,
    read_rows,
    write_rows,
)
from veriloop.stages.breakdown import breakdown
from veriloop.stages.groups import cut
from veriloop.stats.passes import pass_at_k
from veriloop.tasks import BenchmarkCard, write_records

A, R, N = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.NOT_SCORED


@given(st.lists(st.integers(0, 60), min_size=1, max_size=60))
def test_every_task_is_in_exactly_one_decile(sizes: list[int]) -> None:
    named = {str(i): float(size) for i, size in enumerate(sizes)}
    bins = list(cut([float(e) for e in np.percentile(sizes, range(0, 101, 10))], named))
    assert len(bins) == 10
    assert sorted(name for _, _, inside in bins for name in inside) == sorted(named)
    assert all(low <= named[name] <= high for low, high, inside in bins for name in inside)


def run(
    folder: Path,
    none: list[Verdict],
    model: list[Verdict],
    flags: Sequence[FlagRow] = (),
    overrides: Sequence[str] = (),
    changes: Sequence[dict[str, object]] = (),
    experiment: str = "mini_arms",
) -> dict[str, Path]:
    """Break down a benchmark of as many tasks, whose sizes are 0, 100, 200 and so on; the first is hint-free."""
    (folder / "config.yaml").write_text(resolve_experiment(experiment, list(overrides)).dump(), encoding="utf-8")
    tasks = [
        task(str(i), facts={"characters": 100 * i, "hint_characters": 10, "hint_free": i == 0})
        for i in range(len(none))
    ]
    write_records(folder / "tasks.jsonl", tasks)
    card = BenchmarkCard(name="b", version="1", n=len(tasks), source="live")
    (folder / "card.json").write_text(card.model_dump_json(), encoding="utf-8")
    for name, verdicts in (("none", none), ("m", model)):
        rows = [score(str(i), verdict, model=name) for i, verdict in enumerate(verdicts)]
        if name == "m" and changes:
            rows = [row.model_copy(update=dict(change)) for row, change in zip(rows, changes, strict=True)]
        write_rows(folder / f"score_{name}.csv", Score, rows)
    write_rows(folder / "flags.csv", FlagRow, flags)
    names = ("conditional", "strata", "outcomes", "ends", "benchmark", "cost", "disagreements", "passes")
    paths = {name: folder / f"{name}.csv" for name in names}
    scores = [folder / "score_none.csv", folder / "score_m.csv"]
    lists = ([folder / "tasks.jsonl"], [folder / "card.json"], folder / "flags.csv")
    breakdown(folder / "config.yaml", scores, *lists, **paths)
    return paths


def test_needs_hints_is_told_by_the_flag_and_by_the_run_of_the_given_programs(tmp_path: Path) -> None:
    """Tasks 0 and 1 verify as given, task 2 could not be checked, tasks 3 and 4 do not verify."""
    rows = read_rows(run(tmp_path, [A, A, N, R, R], [A, R, A, A, R])["conditional"], ConditionalRow)
    found = {(r.model, r.among): (r.n, r.accepted) for r in rows}
    assert found == {
        ("none", "needs_hints_by_flag"): (4, 1),
        ("none", "needs_hints_by_none"): (2, 0),
        ("m", "needs_hints_by_flag"): (4, 2),
        ("m", "needs_hints_by_none"): (2, 1),
    }


def fault(name: str, kind: str = "no_ensures") -> FlagRow:
    return FlagRow(benchmark="b", task=name, flag=kind, fault=True, detail="", found_by="text")


def test_rates_stand_with_and_without_the_tasks_that_have_a_fault(tmp_path: Path) -> None:
    rows = read_rows(run(tmp_path, [A, A, N, R, R], [A, R, A, A, R], [fault("1")])["conditional"], ConditionalRow)
    found = {r.model: (r.n, r.accepted) for r in rows if r.among == "without_flagged"}
    assert found == {"none": (4, 1), "m": (4, 3)}


def test_what_is_left_out_is_in_no_estimate(tmp_path: Path) -> None:
    flags = [fault("1"), fault("2", "duplicate")]
    paths = run(tmp_path, [A, A, N, R, R], [A, R, A, A, R], flags, ["leave_out=[no_ensures]"])
    rows = read_rows(paths["conditional"], ConditionalRow)
    assert {(r.model, r.among): r.n for r in rows} == {
        ("none", "needs_hints_by_flag"): 3,
        ("none", "needs_hints_by_none"): 2,
        ("none", "without_flagged"): 3,
        ("m", "needs_hints_by_flag"): 3,
        ("m", "needs_hints_by_none"): 2,
        ("m", "without_flagged"): 3,
    }
    assert {r.of for r in read_rows(paths["outcomes"], OutcomeRow)} == {4}


def test_leaving_out_every_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"leave_out=\['no_ensures'\]: leaves no task of benchmark b"):
        run(tmp_path, [A], [R], [fault("0")], ["leave_out=[no_ensures]"])


def test_each_score_ends_in_one_way_and_costs_are_sums(tmp_path: Path) -> None:
    paths = run(tmp_path, [A, R, N], [R, A, A])
    ends = {(r.model, r.end): r.count for r in read_rows(paths["ends"], EndRow)}
    assert ends == {
        ("none", "accepted"): 1,
        ("none", "rejected: refuted"): 1,
        ("none", "not_scored"): 1,
        ("m", "accepted"): 2,
        ("m", "rejected: refuted"): 1,
    }
    (_, cost) = read_rows(paths["cost"], CostRow)
    assert (cost.scores, cost.solved, cost.attempts, cost.checks, cost.checks_per_solved) == (3, 2, 3, 3, 1.5)
    assert cost.seconds_per_check == 1.5


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


def test_only_tasks_on_which_two_paths_contradict_each_other_are_in_their_table(tmp_path: Path) -> None:
    assert read_rows(run(tmp_path, [A, R], [R, A])["disagreements"], DisagreementRow) == []
    changes = [{}, {"disagreements": 2, "attempts": 5, "verdict": N}]
    (row,) = read_rows(run(tmp_path, [A, R], [R, A], changes=changes)["disagreements"], DisagreementRow)
    assert (row.model, row.task, row.disagreements, row.attempts, row.verdict) == ("m", "1", 2, 5, N)


@pytest.mark.parametrize("table", ["conditional", "strata", "outcomes", "benchmark", "cost", "disagreements"])
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


def test_what_language_models_cost_is_summed_and_divided_by_what_was_solved(tmp_path: Path) -> None:
    """By hand: 3 + 1 + 5 questions, 30 + 10 + 60 tokens, 0.3 + 0.1 + 0.2 dollars, solved at attempts 2 and 5."""
    changes = [
        {"questions": 3, "prompt_tokens": 20, "completion_tokens": 10, "dollars": 0.3, "solved_at": None, "repeats": 2},
        {"questions": 1, "prompt_tokens": 5, "completion_tokens": 5, "dollars": 0.1, "solved_at": 2},
        {"questions": 5, "prompt_tokens": 40, "completion_tokens": 20, "dollars": 0.2, "solved_at": 5},
    ]
    none, cost = read_rows(run(tmp_path, [A, R, N], [R, A, A], changes=changes)["cost"], CostRow)
    assert (cost.questions, cost.tokens, cost.tokens_per_solved, cost.repeats) == (9, 100, 50, 2)
    assert (cost.dollars, cost.dollars_per_solved, cost.attempts_to_success) == pytest.approx((0.6, 0.3, 3.5))
    assert (none.questions, none.dollars, none.dollars_per_solved) == (0, None, None)
    changes[1]["dollars"] = None
    _, cost = read_rows(run(tmp_path, [A, R, N], [R, A, A], changes=changes)["cost"], CostRow)
    assert (cost.dollars, cost.dollars_per_solved) == (None, None)


def test_pass_at_k_is_the_unbiased_estimate_and_only_for_independent_samples(tmp_path: Path) -> None:
    """By hand for n = 4 samples with c = 0, 1, 4 right ones: pass@2 is 0, 1 - C(3,2)/C(4,2) = 1/2, and 1."""
    right = (0, 1, 4, 2)
    changes = [{"arm": "independent", "attempts": 4, "samples": 4, "samples_accepted": c} for c in right]
    changes[3] |= {"samples": 3}
    paths = run(tmp_path, [R, R, R, R], [R, A, A, A], changes=changes, experiment="axdafny_ablation")
    rows = read_rows(paths["passes"], PassRow)
    assert [(r.model, r.k, r.samples, r.n, r.not_scored) for r in rows] == [("m", k, 4, 4, 1) for k in (1, 2, 3, 4)]
    assert [r.rate for r in rows] == pytest.approx(
        [(0 + 1 / 4 + 1) / 3, (0 + 1 / 2 + 1) / 3, (0 + 3 / 4 + 1) / 3, 2 / 3]
    )
    assert all(r.ci_low < r.rate < r.ci_high for r in rows)


@pytest.mark.parametrize("k", range(1, 8))
def test_pass_at_k_is_the_mean_over_all_choices_of_k_samples(k: int) -> None:
    for right in range(8):
        drawn = list(combinations([number < right for number in range(7)], k))
        assert pass_at_k(7, right, k) == pytest.approx(sum(map(any, drawn)) / len(drawn))


@pytest.mark.parametrize(("samples", "right", "k"), [(3, 4, 1), (3, 1, 4), (3, 1, 0), (3, -1, 1)])
def test_there_is_no_pass_at_k_of_more_than_was_drawn(samples: int, right: int, k: int) -> None:
    with pytest.raises(ValueError, match="there is no pass@"):
        pass_at_k(samples, right, k)
