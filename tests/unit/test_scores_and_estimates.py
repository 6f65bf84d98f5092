"""Denominators come from the task list; faults are never a model's failures; a task's value is its mean over seeds."""

import csv
from pathlib import Path

import pytest
from builders import attempt, result, score, task
from veriloop.config.compose import resolve_experiment
from veriloop.loop.journal import seal
from veriloop.outcomes import Outcome, Verdict
from veriloop.rows import AttemptRow, FlagRow, RateRow, Score, SeedRow, read_rows, write_rows
from veriloop.stages.cells import bounds
from veriloop.stages.estimate import estimate
from veriloop.stages.score import Written, score_task
from veriloop.stages.score import score as score_stage
from veriloop.tasks import BenchmarkCard, write_records

A, R, N, C = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.NOT_SCORED, Verdict.CHEATING


@pytest.mark.parametrize(
    ("rows", "verdict", "solved_at"),
    [
        ([(1, R), (2, A)], A, 2),
        ([(0, A)], A, 0),
        ([(1, N), (2, A)], A, 2),
        ([(1, R), (2, R)], R, None),
        ([(1, R), (2, C)], C, None),
        ([(1, C), (2, R)], R, None),
        ([(1, R), (2, N)], N, None),
        ([(1, N), (2, R)], N, None),
        ([], N, None),
    ],
)
def test_what_a_task_comes_to(rows: list, verdict: Verdict, solved_at: int | None) -> None:
    attempts = [attempt(number, each) for number, each in rows]
    found = score_task(task(), Written(0, [], attempts), benchmark="b", arm="a", model="m", seed=0)
    assert (found.verdict, found.solved_at, found.attempts) == (verdict, solved_at, len(rows))


def test_attempts_on_which_two_paths_contradict_each_other_are_counted() -> None:
    results = [result(Outcome.TOOL_FAULT, contradicted=Outcome.REFUTED), result(Outcome.TOOL_FAULT), None]
    attempts = [attempt(number, N, result=one) for number, one in enumerate(results, start=1)]
    found = score_task(task(), Written(0, [1, 2, 3], attempts), benchmark="b", arm="a", model="m", seed=0)
    assert (found.disagreements, found.attempts) == (1, 3)


def test_a_task_without_a_row_is_still_a_row_of_the_scores(tmp_path: Path) -> None:
    tasks = [task("one"), task("two"), task("three")]
    write_records(tmp_path / "tasks.jsonl", tasks)
    rows = [attempt(1, A, task="one", task_sha256=tasks[0].sha256(), result=result(Outcome.VERIFIED))]
    seal(tmp_path / "0.jsonl", rows)
    seal(tmp_path / "1.jsonl", [])
    score_stage(
        tasks=tmp_path / "tasks.jsonl",
        journals=[tmp_path / "0.jsonl", tmp_path / "1.jsonl"],
        benchmark="b",
        arm="a",
        model="m",
        seeds=[0],
        output=tmp_path / "scores.csv",
    )
    found = read_rows(tmp_path / "scores.csv", Score)
    assert [(s.task, s.verdict, s.last_outcome) for s in found] == [
        ("one", A, "verified"),
        ("two", N, "none"),
        ("three", N, "none"),
    ]


def run_estimate(tmp_path: Path, cell: list[Score]) -> tuple[RateRow, list[SeedRow], list[AttemptRow]]:
    config = tmp_path / "config.yaml"
    config.write_text(resolve_experiment("demo", ["statistics.resamples=200"]).dump(), encoding="utf-8")
    write_rows(tmp_path / "cell.csv", Score, cell)
    card = BenchmarkCard(name="b", version="1", n=1, source="live")
    (tmp_path / "card.json").write_text(card.model_dump_json(), encoding="utf-8")
    paths = {name: tmp_path / f"{name}.csv" for name in ("rates", "by_seed", "by_attempt")}
    write_rows(tmp_path / "flags.csv", FlagRow, [])
    estimate(config, [tmp_path / "cell.csv"], [tmp_path / "card.json"], tmp_path / "flags.csv", **paths)
    (rate,) = read_rows(paths["rates"], RateRow)
    return rate, read_rows(paths["by_seed"], SeedRow), read_rows(paths["by_attempt"], AttemptRow)


def test_what_was_not_scored_leaves_the_denominator_and_is_shown(tmp_path: Path) -> None:
    rate, _, _ = run_estimate(tmp_path, [score("1", A), score("2", R), score("3", C), score("4", N)])
    assert (rate.n, rate.accepted, rate.not_scored) == (4, 1, 1)
    assert rate.rate == pytest.approx(1 / 3, abs=1e-6)
    assert (rate.bound_low, rate.bound_high) == (0.25, 0.5)


def test_a_tasks_value_is_its_mean_over_scored_seeds(tmp_path: Path) -> None:
    """n counts tasks, not attempts: 2 tasks of 3 seeds are n = 2."""
    cell = [score("1", v, s) for s, v in enumerate((A, A, R))] + [score("2", v, s) for s, v in enumerate((A, N, R))]
    rate, seeds, _ = run_estimate(tmp_path, cell)
    assert (rate.n, rate.seeds, rate.not_scored) == (2, 3, 0)
    assert rate.accepted == pytest.approx(2 / 3 + 1 / 2, abs=1e-6)
    assert rate.rate == pytest.approx((2 / 3 + 1 / 2) / 2, abs=1e-6)
    assert bounds(cell) == pytest.approx(((2 / 3 + 1 / 3) / 2, (2 / 3 + 2 / 3) / 2))
    assert [(s.seed, s.n, s.not_scored, s.rate) for s in seeds] == [(0, 2, 0, 1), (1, 2, 1, 1), (2, 2, 0, 0)]


def test_where_nothing_was_scored_there_is_no_rate_and_no_zero(tmp_path: Path) -> None:
    rate, seeds, steps = run_estimate(tmp_path, [score("1", N), score("2", N)])
    assert (rate.rate, rate.ci_low, rate.ci_method) == (None, None, "none scored")
    assert (rate.bound_low, rate.bound_high) == (0, 1)
    assert seeds[0].rate is None
    assert steps[0].rate is None


def test_cumulative_success_counts_a_task_from_its_attempt_on(tmp_path: Path) -> None:
    cell = [
        score("1", A, solved_at=1, last_attempt=1),
        score("2", A, solved_at=3, last_attempt=3, attempts=3),
        score("3", R, last_attempt=4, attempts=4),
        score("4", N),
    ]
    _, _, steps = run_estimate(tmp_path, cell)
    assert [(s.attempt, s.rate) for s in steps] == [
        (1, pytest.approx(1 / 3, abs=1e-6)),
        (2, pytest.approx(1 / 3, abs=1e-6)),
        (3, pytest.approx(2 / 3, abs=1e-6)),
        (4, pytest.approx(2 / 3, abs=1e-6)),
    ]
    assert {(s.n, s.not_scored) for s in steps} == {(4, 1)}


def test_the_table_begins_with_the_columns_that_people_rely_on(tmp_path: Path) -> None:
    run_estimate(tmp_path, [score("1", A), score("2", R)])
    with (tmp_path / "rates.csv").open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    numbers = ["n", "accepted", "not_scored", "rate", "se", "ci_low", "ci_high", "ci_method"]
    assert header[:11] == ["benchmark", "arm", "model", *numbers]


def test_the_same_scores_give_the_same_bytes(tmp_path: Path) -> None:
    cell = [score(str(i), A if i % 3 else R) for i in range(20)]
    first = run_estimate(tmp_path, cell), (tmp_path / "rates.csv").read_bytes()
    assert first == (run_estimate(tmp_path, cell), (tmp_path / "rates.csv").read_bytes())
