"""DafnyBench's published numbers, to the digit, from the released facts through the project's own stages."""

import csv
from pathlib import Path

import pytest
from veriloop.benchmarks.dafnybench import Loader, Options
from veriloop.benchmarks.dafnybench.extract import extract_facts, small_sample, stratum
from veriloop.benchmarks.dafnybench.facts import FOLDER, MODELS, read_facts
from veriloop.config.compose import resolve_experiment
from veriloop.report.composition import STYLES
from veriloop.report.tables import percent, rates_markdown
from veriloop.rows import AttemptRow, ConditionalRow, CountRow, EndRow, OutcomeRow, RateRow, StratumRow, read_rows
from veriloop.stages.breakdown import breakdown
from veriloop.stages.curate import curate
from veriloop.stages.estimate import estimate
from veriloop.stages.flag import flag
from veriloop.stages.plan import Plan
from veriloop.stages.published import published
from veriloop.stages.score import score

TABLE_3 = {
    "claude-3-opus": ("67.8 ± 1.7", 530),
    "gpt-4-turbo": ("59.8 ± 1.8", 468),
    "gpt-4o": ("59.3 ± 1.8", 464),
    "gpt-3.5-turbo": ("44.0 ± 1.8", 344),
    "codellama-7b": ("28.0 ± 1.6", 219),
    "none": ("26.6 ± 1.6", 208),
}


@pytest.fixture(scope="module")
def estimates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RateRow], list[AttemptRow]]:
    folder: Path = tmp_path_factory.mktemp("recorded")
    plan = Plan(resolve_experiment("dafnybench_recorded", []))
    config = folder / "config.yaml"
    config.write_text(plan.experiment.dump(), encoding="utf-8")
    tasks, card = folder / "tasks.jsonl", folder / "card.json"
    curate(config, "dafnybench_recorded", tasks, folder / "answers.jsonl", card)
    scores = []
    for cell in plan.cells:
        journal, scored = folder / f"{cell.model}.jsonl", folder / f"{cell.model}.csv"
        published(tasks, cell.model, journal)
        names = {"benchmark": cell.benchmark, "arm": cell.arm, "model": cell.model}
        score(tasks=tasks, journals=[journal], seeds=[0], output=scored, **names)
        scores.append(scored)
    paths = {name: folder / f"{name}.estimate.csv" for name in ("rates", "by_seed", "by_attempt")}
    flags = folder / "flags.csv"
    flag(config, scores, [tasks], None, flags=flags, curation=folder / "curation.csv")
    estimate(config, scores, [card], flags, **paths)
    details = {
        name: folder / f"{name}.csv"
        for name in ("conditional", "strata", "outcomes", "ends", "benchmark", "cost", "disagreements", "passes")
    }
    breakdown(config, scores, [tasks], [card], flags, **details)
    return folder, read_rows(paths["rates"], RateRow), read_rows(paths["by_attempt"], AttemptRow)


def test_the_rates_are_those_of_table_3(estimates) -> None:
    _, rows, _ = estimates
    assert {r.model: (percent(r.rate, r.se), r.accepted) for r in rows} == TABLE_3
    assert {(r.n, r.not_scored) for r in rows} == {(782, 0)}


def test_what_a_release_does_not_say_is_an_end_too_and_is_drawn(estimates) -> None:
    folder, _, _ = estimates
    rows = [r for r in read_rows(folder / "ends.csv", EndRow) if r.model == "gpt-4o"]
    assert {r.end: r.count for r in rows} == {"accepted": 464, "rejected: not said how": 318}
    assert {r.end for r in rows} <= set(STYLES)


def test_what_the_paper_prints_stands_beside_it_and_26_9_is_marked(estimates) -> None:
    _, rows, _ = estimates
    printed = {r.model: r.paper_percent for r in rows}
    assert printed == {m: float(text.split()[0]) for m, (text, _) in TABLE_3.items()} | {"none": 26.9}
    (none,) = (r for r in rows if r.model == "none")
    assert "208 of 782 is 26.6" in none.note
    text = rates_markdown(rows, "No verifier was run.", 0.95)
    assert "26.9 (not reproduced)" in text
    assert text.count("not reproduced)") >= 1


def test_success_by_attempt_is_the_published_curve(estimates) -> None:
    """Attempts 1 to 10 of claude-3-opus and gpt-4o, in percent of 782 tasks."""
    _, _, rows = estimates
    curves = {m: [f"{100 * r.rate:.1f}" for r in rows if r.model == m and r.attempt >= 1] for m in MODELS}
    assert curves["claude-3-opus"] == ["53.8", "58.6", "62.5", "63.9", "65.0", "65.3", "65.7", "66.9", "67.6", "67.8"]
    assert curves["gpt-4o"] == ["50.9", "55.2", "56.6", "57.3", "58.2", "58.7", "58.8", "59.1", "59.3", "59.3"]


def test_the_rates_among_needs_hints_tasks_are_the_known_ones(estimates) -> None:
    """By either way to tell: the published flag, and the published run of the given programs."""
    rows = read_rows(estimates[0] / "conditional.csv", ConditionalRow)
    for way in ("flag", "none"):
        found = {r.model: (r.n, f"{100 * r.rate:.1f}") for r in rows if r.among == f"needs_hints_by_{way}"}
        assert [found[model] for model in MODELS] == [(574, rate) for rate in ["56.1", "45.3", "44.6", "23.7", "1.9"]]


def figure_4(estimates, model: str, measure: str, joined_by: str) -> list[str]:
    rows = read_rows(estimates[0] / "strata.csv", StratumRow)
    wanted = (model, measure, joined_by, "deciles")
    chosen = [r for r in rows if (r.model, r.measure, r.joined_by, r.bins) == wanted and r.n]
    assert sum(r.n for r in chosen) == 782
    return [f"{100 * r.rate:.0f}" for r in chosen]


def test_figure_4_by_position_is_the_published_one_and_by_name_the_right_one(estimates) -> None:
    """The release's rows of results and of metadata are other tasks on 102 of 782 rows."""
    by_hints = {way: figure_4(estimates, "gpt-4o", "hint_characters", way) for way in ("position", "name")}
    assert by_hints["position"] == ["90", "69", "71", "72", "71", "59", "27", "33", "11"]
    assert by_hints["name"] == ["92", "68", "72", "73", "69", "60", "26", "31", "10"]
    assert figure_4(estimates, "codellama-7b", "hint_characters", "position")[0] == "69"
    assert figure_4(estimates, "codellama-7b", "hint_characters", "name")[0] == "83"
    assert figure_4(estimates, "gpt-4o", "characters", "name") == [
        "97",
        "89",
        "79",
        "82",
        "62",
        "46",
        "49",
        "41",
        "27",
        "22",
    ]
    assert sum(fact.name != read_facts()[fact.result_row].name for fact in read_facts()) == 102


def test_the_hint_deciles_begin_with_an_empty_bin(estimates) -> None:
    rows = read_rows(estimates[0] / "strata.csv", StratumRow)
    wanted = ("none", "hint_characters", "name", "deciles")
    first, second, third, *_ = [r for r in rows if (r.model, r.measure, r.joined_by, r.bins) == wanted]
    assert (first.low, first.high, first.n, first.rate) == (0, 0, 0, None)
    assert (second.low, second.high, third.high) == (0, pytest.approx(38.2), 73)


def test_table_2_stands_beside_what_the_released_metadata_gives(estimates) -> None:
    rows = {r.measure: r for r in read_rows(estimates[0] / "benchmark.csv", CountRow)}
    released = {m: (f"{r.mean:.2f}", r.maximum) for m, r in rows.items() if r.paper_mean}
    printed = {m: (f"{r.paper_mean:.2f}", r.paper_maximum) for m, r in rows.items() if r.paper_mean}
    assert released == {"methods": ("2.04", 35), "functions": ("0.98", 42), "lemmas": ("1.31", 42)}
    assert printed == {"methods": ("2.12", 42), "functions": ("1.03", 42), "lemmas": ("1.40", 35)}


def test_every_score_is_counted_under_a_verdict_and_an_outcome(estimates) -> None:
    rows = read_rows(estimates[0] / "outcomes.csv", OutcomeRow)
    for model in ("none", *MODELS):
        for kind in ("verdict", "last outcome"):
            assert sum(r.count for r in rows if (r.model, r.kind) == (model, kind)) == 782


def test_the_facts_are_of_782_different_tasks() -> None:
    facts = read_facts()
    assert len({fact.name for fact in facts}) == len(facts) == 782
    assert sum(fact.hint_free for fact in facts) == 208


def test_the_small_sample_is_in_proportion_and_fixed() -> None:
    facts = read_facts()
    with (FOLDER / "samples" / "small.csv").open(encoding="utf-8", newline="") as file:
        committed = [(row["task"], row["stratum"]) for row in csv.DictReader(file)]
    assert committed == small_sample(facts)
    assert len(committed) == 60
    by_name = {fact.name: fact for fact in facts}
    assert all(stratum(by_name[name]) == each for name, each in committed)


def test_the_committed_facts_are_those_of_the_release(dafnybench: Path) -> None:
    assert extract_facts(dafnybench) == read_facts()


def test_the_programs_of_a_mirror_are_checked_by_hash(dafnybench: Path) -> None:
    loader = Loader(Options(content="programs", sample="small"))
    tasks = loader.tasks()
    assert len(tasks) == 60
    assert all(task.given and task.ground_truth for task in tasks)
    answers = {answer.task for answer in loader.answers("gpt-4o")}
    assert answers == {task.id for task in tasks}
