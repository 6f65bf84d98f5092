"""Paired comparisons against closed forms and known values."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders import score
from hypothesis import given, settings
from hypothesis import strategies as st
from veriloop.arm_rows import ControlRow
from veriloop.config.compose import resolve_experiment
from veriloop.outcomes import Verdict
from veriloop.report.details import TABLES
from veriloop.rows import ComparisonRow, FlagRow, Score, read_rows, write_rows
from veriloop.seeding import generator
from veriloop.stages.compare import compare
from veriloop.stats.paired import holm, mcnemar, paired_difference
from veriloop.stats.rates import wilson

A, R, N = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.NOT_SCORED
unit = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40)


def difference(first: list[float], second: list[float]):
    return paired_difference(np.array(first), np.array(second), 0.95, 500, generator(1, "test"))


@settings(max_examples=40, deadline=None)
@given(unit)
def test_the_difference_is_that_of_the_means_and_lies_in_its_interval(pairs: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = difference(first, second)
    assert found.difference == pytest.approx(np.mean(first) - np.mean(second))
    assert found.ci_low - 1e-12 <= found.difference <= found.ci_high + 1e-12
    assert found.ci_method == ("score" if len({a - b for a, b in pairs}) == 1 else "bca")


@pytest.mark.parametrize("equal", [0.0, 1.0, -1.0, 0.5])
def test_pairs_that_never_differ_have_the_score_interval(equal: float) -> None:
    """At 1, where one always succeeds and the other never does, it is Wilson's for a rate of 1."""
    found = difference([max(equal, 0.0)] * 32, [max(-equal, 0.0)] * 32)
    half = 1.959964**2 / (32 + 1.959964**2)
    assert (found.ci_low, found.ci_high) == pytest.approx((max(-1, equal - half), min(1, equal + half)), abs=1e-6)
    if equal == 1:
        assert found.ci_low == pytest.approx(wilson(1.0, 32, 0.95)[0])


def test_there_is_no_difference_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one task"):
        difference([], [])
    with pytest.raises(ValueError, match="both values"):
        difference([1.0], [1.0, 0.0])


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (5, 0, 2 / 2**5), (0, 5, 2 / 2**5), (1, 1, 1.0), (10, 2, 2 * (1 + 12 + 66) / 2**12)],
)
def test_mcnemar_is_the_binomial_tail(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p)


def test_holm_is_the_known_example() -> None:
    """Four tests: 0.005 and 0.01 stay below 0.05, 0.03 and 0.04 do not."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, adjusted, strict=True))
    ranked = [q for _, q in sorted(zip(values, adjusted, strict=True))]
    assert ranked == sorted(ranked)


def run(
    folder: Path,
    cells: dict[tuple[str, str], list[list[Verdict]]],
    experiment: str = "demo",
    changes: Callable[[str, int], dict[str, object]] = lambda arm, task: {},
) -> list[ComparisonRow]:
    """Compare cells of (arm, model), each a list of seeds of verdicts by task."""
    (folder / "config.yaml").write_text(resolve_experiment(experiment, []).dump(), encoding="utf-8")
    paths = []
    for number, ((arm, model), seeds) in enumerate(cells.items()):
        rows = [
            score(str(i), verdict, seed, arm=arm, model=model, **changes(arm, i))
            for seed, verdicts in enumerate(seeds)
            for i, verdict in enumerate(verdicts)
        ]
        paths.append(folder / f"{number}.csv")
        write_rows(paths[-1], Score, rows)
    write_rows(folder / "flags.csv", FlagRow, [])
    written = {name: folder / f"{name}.csv" for name in ("comparison", "against_control")}
    compare(folder / "config.yaml", paths, folder / "flags.csv", **written)
    return read_rows(folder / "comparison.csv", ComparisonRow)


def test_models_are_compared_within_an_arm_and_arms_within_a_model(tmp_path: Path) -> None:
    cells = {(arm, model): [[A, R]] for arm in ("x", "y") for model in ("m", "none")}
    rows = run(tmp_path, cells)
    assert [(r.between, r.within, r.first, r.second) for r in rows] == [
        ("models", "x", "m", "none"),
        ("arms", "m", "x", "y"),
        ("arms", "none", "x", "y"),
        ("models", "y", "m", "none"),
    ]
    assert {r.family for r in rows} == {4}


def test_a_task_that_one_side_has_not_scored_is_unpaired_of_the_pair(tmp_path: Path) -> None:
    (row,) = run(tmp_path, {("x", "m"): [[A, A, A, R, N]], ("x", "none"): [[A, R, R, R, R]]})
    assert (row.n, row.unpaired, row.only_first, row.only_second) == (4, 1, 2, 0)
    assert row.difference == pytest.approx(0.5)
    assert row.p == row.p_holm == pytest.approx(0.5)
    text = TABLES["comparison"].as_markdown([row])
    assert "50.0" in text
    assert "0.500" in text


def test_over_several_seeds_there_is_a_difference_and_no_mcnemar(tmp_path: Path) -> None:
    (row,) = run(tmp_path, {("x", "m"): [[A, A], [R, A]], ("x", "none"): [[R, R], [R, R]]})
    assert row.difference == pytest.approx(0.75)
    assert (row.p, row.p_holm, row.only_first) == (None, None, None)


def test_nothing_scored_in_both_is_said(tmp_path: Path) -> None:
    (row,) = run(tmp_path, {("x", "m"): [[N]], ("x", "none"): [[A]]})
    assert (row.n, row.unpaired, row.difference, row.ci_method) == (0, 1, None, "no task scored in both")
    TABLES["comparison"].as_markdown([row])


def test_each_arm_stands_beside_the_control_with_difference_interval_effort_and_cost(tmp_path: Path) -> None:
    """Arm first minus control; costs and attempts by hand: 3 solved at 1, 2, 6 for 6 x 0.5 dollars, and so on."""
    solved_at = {"axdafny": [1, 2, 6, 4, 1], "no_memory": [3, 0, 0, 0, 1], "budget_5": [1, 2, 0, 4, 1]}

    def changes(arm: str, number: int) -> dict[str, object]:
        return {"solved_at": solved_at[arm][number] or None, "questions": 2, "dollars": 0.5}

    cells = {(arm, "m"): [[A if at else R for at in wanted]] for arm, wanted in solved_at.items()}
    run(tmp_path, cells, "axdafny_ablation", changes)
    rows = {row.arm: row for row in read_rows(tmp_path / "against_control.csv", ControlRow)}
    assert list(rows) == ["no_memory", "budget_5"]
    row = rows["no_memory"]
    assert (row.control, row.overrides, row.n, row.unpaired) == ("axdafny", "loop.memory=none", 5, 0)
    assert (row.rate, row.control_rate, row.difference) == pytest.approx((0.4, 1.0, -0.6))
    assert row.ci_low < -0.6 < row.ci_high <= 0
    assert (row.only_arm, row.only_control, row.family) == (0, 3, 2)
    assert (row.p, row.p_holm) == pytest.approx((0.25, 0.5))
    assert (row.attempts_to_success, row.control_attempts_to_success) == pytest.approx((2.0, 14 / 5))
    assert (row.dollars_per_solved, row.control_dollars_per_solved) == pytest.approx((2.5 / 2, 2.5 / 5))
    text = TABLES["against_control"].as_markdown(list(rows.values()))
    assert "| -60.0" in text
    assert "1.2500" in text


def test_without_a_control_there_is_nothing_beside_it(tmp_path: Path) -> None:
    run(tmp_path, {("x", "m"): [[A]], ("y", "m"): [[R]]})
    assert read_rows(tmp_path / "against_control.csv", ControlRow) == []
