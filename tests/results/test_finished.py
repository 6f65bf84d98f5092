"""What must hold of every finished experiment."""

import csv
import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def rates(experiment: str, results: Path) -> list[dict[str, str]]:
    return rows(results / "tables" / experiment / "rates.csv")


@pytest.fixture
def left_out(experiment: str, results: Path) -> set[tuple[str, str]]:
    """The tasks that the experiment leaves out, by benchmark."""
    config = yaml.safe_load((results / "config" / f"{experiment}.yaml").read_text())
    flags = rows(results / "estimate" / experiment / "flags.csv")
    return {(row["benchmark"], row["task"]) for row in flags if row["flag"] in config["leave_out"]}


@pytest.fixture
def scores(experiment: str, results: Path) -> dict[tuple[str, ...], list[dict[str, str]]]:
    folder = results / "score" / experiment
    return {path.relative_to(folder).with_suffix("").parts: rows(path) for path in folder.rglob("*.csv")}


def test_every_row_counts_every_task_of_its_benchmark(experiment: str, results: Path, rates: list) -> None:
    """Nothing disappears: the denominator is the benchmark's own number of tasks."""
    for row in rates:
        card = json.loads((results / "tasks" / experiment / row["benchmark"] / "card.json").read_text())
        assert int(row["n"]) + int(row["left_out"]) == card["n"], row


def test_every_score_file_has_each_task_once_for_each_seed(rates: list, scores: dict) -> None:
    for row in rates:
        found = scores[row["benchmark"], row["arm"], row["model"]]
        pairs = {(s["seed"], s["task"]) for s in found}
        assert len(pairs) == len(found) == (int(row["n"]) + int(row["left_out"])) * int(row["seeds"]), row


def test_rates_follow_from_the_scores(rates: list, scores: dict, left_out: set) -> None:
    """The table's numbers, computed again from the scores without the project's own code."""
    for row in rates:
        by_task: dict[str, list[bool]] = {}
        for score in scores[row["benchmark"], row["arm"], row["model"]]:
            if (row["benchmark"], score["task"]) in left_out:
                continue
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


def test_every_figure_is_there_in_all_forms_and_has_data(experiment: str, results: Path) -> None:
    folder = results / "figures" / experiment
    figures = sorted(folder.glob("*.png"))
    assert len(figures) == 4
    for figure in figures:
        assert figure.read_bytes().startswith(b"\x89PNG"), figure
        assert figure.with_suffix(".pdf").read_bytes().startswith(b"%PDF"), figure
        assert rows(figure.with_suffix(".csv")) or figure.stem == "strata", figure


def test_no_score_disappears_from_the_counts_of_outcomes(experiment: str, results: Path) -> None:
    for table, kinds in (("outcomes", 2), ("ends", 1)):
        sums: dict[tuple[str, ...], int] = {}
        for row in rows(results / "estimate" / experiment / f"{table}.csv"):
            key = (row["benchmark"], row["arm"], row["model"], row["of"])
            sums[key] = sums.get(key, 0) + int(row["count"])
        assert all(total == kinds * int(key[-1]) for key, total in sums.items()), table


def test_every_table_has_its_provenance_by_the_schema(experiment: str, results: Path) -> None:
    """The file beside each table names experiment, commit and seeds, and the hash and columns of the very table."""
    schema = json.loads((REPOSITORY / "docs" / "provenance.schema.json").read_text())
    tables = sorted((results / "tables" / experiment).glob("*.csv"))
    assert len(tables) >= 10
    for table in tables:
        origin = json.loads(table.with_name(f"{table.stem}.provenance.json").read_text())
        jsonschema.validate(origin, schema)
        assert origin["experiment"] == experiment
        assert origin["table_sha256"] == hashlib.sha256(table.read_bytes()).hexdigest(), table
        with table.open(encoding="utf-8", newline="") as file:
            assert next(csv.reader(file)) == list(origin["columns"]), table


def test_the_page_stands_alone_and_its_links_lead_somewhere(experiment: str, results: Path) -> None:
    folder = results / "report" / experiment
    page = (folder / "index.html").read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert sources
    for source in sources:
        assert source.startswith("data:image/png;base64,") or (folder / unquote(source)).is_file(), source[:200]
