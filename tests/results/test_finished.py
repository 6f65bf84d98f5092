"""What must hold of every finished experiment."""

import csv
import json
from pathlib import Path

import pytest


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def rates(experiment: str, results: Path) -> list[dict[str, str]]:
    return rows(results / "tables" / experiment / "rates.csv")


@pytest.fixture
def scores(experiment: str, results: Path) -> dict[tuple[str, ...], list[dict[str, str]]]:
    folder = results / "score" / experiment
    return {path.relative_to(folder).with_suffix("").parts: rows(path) for path in folder.rglob("*.csv")}


def test_every_row_counts_every_task_of_its_benchmark(experiment: str, results: Path, rates: list) -> None:
    """Nothing disappears: the denominator is the benchmark's own number of tasks."""
    for row in rates:
        card = json.loads((results / "tasks" / experiment / row["benchmark"] / "card.json").read_text())
        assert int(row["n"]) == card["n"], row


def test_every_score_file_has_each_task_once_for_each_seed(rates: list, scores: dict) -> None:
    for row in rates:
        found = scores[row["benchmark"], row["arm"], row["model"]]
        pairs = {(s["seed"], s["task"]) for s in found}
        assert len(pairs) == len(found) == int(row["n"]) * int(row["seeds"]), row


def test_rates_follow_from_the_scores(rates: list, scores: dict) -> None:
    """The table's numbers, computed again from the scores without the project's own code."""
    for row in rates:
        by_task: dict[str, list[bool]] = {}
        for score in scores[row["benchmark"], row["arm"], row["model"]]:
            values = by_task.setdefault(score["task"], [])
            if score["verdict"] != "not_scored":
                values.append(score["verdict"] == "accepted")
        means = [sum(v) / len(v) for v in by_task.values() if v]
        assert int(row["not_scored"]) == len(by_task) - len(means), row
        assert float(row["accepted"]) == pytest.approx(sum(means), abs=1e-6), row
        if means:
            assert float(row["rate"]) == pytest.approx(sum(means) / len(means), abs=1e-6), row


def test_intervals_hold_their_rate_and_stay_within_0_and_1(rates: list) -> None:
    for row in rates:
        if row["rate"]:
            assert 0 <= float(row["ci_low"]) <= float(row["rate"]) <= float(row["ci_high"]) <= 1, row
        assert float(row["bound_low"]) <= float(row["bound_high"]), row


def test_figures_are_there_and_have_content(experiment: str, results: Path) -> None:
    folder = results / "figures" / experiment
    assert (folder / "cumulative.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "cumulative.png").read_bytes().startswith(b"\x89PNG")
    assert rows(folder / "cumulative.csv")


def test_the_provenance_names_commit_config_and_seeds(experiment: str, results: Path) -> None:
    origin = json.loads((results / "tables" / experiment / "provenance.json").read_text())
    assert origin["experiment"] == experiment
    assert origin["config_hash"]
    assert origin["code"]["commit"]
    assert origin["seeds"]
