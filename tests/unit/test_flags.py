"""What is wrong with tasks is found in their text and by the runs that need no model, and counted."""

from pathlib import Path

import pytest
from builders import score, task
from hypothesis import given
from hypothesis import strategies as st
from veriloop.benchmarks.dafnybench import Loader, Options
from veriloop.benchmarks.dafnybench.extract import extract_flags
from veriloop.benchmarks.dafnybench.facts import read_flags
from veriloop.config.compose import resolve_experiment
from veriloop.dafny.lexer import without_comments
from veriloop.errors import UserError
from veriloop.outcomes import Verdict
from veriloop.rows import CurationRow, FlagRow, Score, read_rows, write_rows
from veriloop.stages.flag import KINDS, flag, text_flags
from veriloop.stages.plan import Plan
from veriloop.tasks import write_records

A, R, N = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.NOT_SCORED

GOOD = "method M(x: int) returns (y: int)\n  ensures y == x\n{\n  y := x;\n}\n"


@pytest.mark.parametrize(
    ("program", "left"),
    [
        ("a // b\nc", "a  \nc"),
        ("a /* b */ c", "a   c"),
        ("a /* b /* c */ d */ e", "a   e"),
        ("a /* b", "a  "),
        ('s := "/* no */ // no"; // yes', 's := "/* no */ // no";  '),
        ('s := @"a "" // no"; x', 's := @"a "" // no"; x'),
        ("c := '\"'; // yes", "c := '\"';  "),
        ("x' := y'; // yes", "x' := y';  "),
    ],
)
def test_comments_go_and_nothing_else(program: str, left: str) -> None:
    assert without_comments(program) == left


@given(st.text(alphabet="ab/*\"'\n@\\ ", max_size=40))
def test_taking_comments_out_ends_and_adds_nothing(program: str) -> None:
    left = without_comments(program)
    assert len(left) <= len(program) + program.count("/")


def names(*programs: str) -> list[list[str]]:
    tasks = [task(str(i), given=program) for i, program in enumerate(programs)]
    return [[f.name for f in flags] for flags in text_flags(tasks)]


def test_a_copy_of_an_earlier_task_is_flagged_whatever_its_comments_and_blanks() -> None:
    copy = "// another\n" + GOOD.replace("  ", "\t")
    assert names(GOOD, copy, GOOD.replace("y := x", "y := 0 + x")) == [[], ["duplicate"], []]


@pytest.mark.parametrize(
    ("program", "flags"),
    [
        (GOOD, []),
        ("method M() {}\n", ["no_ensures"]),
        ("method M() { // ensures true\n}\n", ["no_ensures"]),
        (GOOD + "function abs(x: int): int { x }\n", ["name_clash"]),
        (GOOD + "function method {:inline} abs(x: int): int { x }\n", ["name_clash"]),
        (GOOD + "// function abs\nmethod absolute() {}\n", []),
        (GOOD + "// never write assume false\n", ["banned_text"]),
        (GOOD + "lemma {:verify false} L() {}\n", ["banned_text"]),
    ],
)
def test_a_program_has_the_flags_that_it_deserves(program: str, flags: list[str]) -> None:
    assert names(program) == [flags]


def run(folder: Path, none: list[Verdict], truth: list[Verdict], outcomes: list[str]) -> tuple[list, list]:
    experiment = resolve_experiment("mini_arms", ["model=[none,ground_truth]"])
    (folder / "config.yaml").write_text(experiment.dump(), encoding="utf-8")
    write_records(folder / "tasks.jsonl", [task(str(i), given=GOOD + f"// {i}\n") for i in range(len(none))])
    for model, verdicts in (("none", none), ("ground_truth", truth)):
        rows = [
            score(str(i), verdict, benchmark="mini", model=model, last_outcome=outcome, detail="why")
            for i, (verdict, outcome) in enumerate(zip(verdicts, outcomes, strict=True))
        ]
        write_rows(folder / f"{model}.csv", Score, rows)
    paths = {"flags": folder / "flags.csv", "curation": folder / "curation.csv"}
    scores = [folder / "none.csv", folder / "ground_truth.csv"]
    flag(folder / "config.yaml", scores, [folder / "tasks.jsonl"], None, **paths)
    return read_rows(paths["flags"], FlagRow), read_rows(paths["curation"], CurationRow)


def test_the_runs_without_a_model_tell_the_rest_and_faults_of_the_tool_tell_nothing(tmp_path: Path) -> None:
    outcomes = ["malformed", "refuted", "gate", "tool_fault", "verified"]
    flags, counts = run(tmp_path, [R, R, R, N, A], [R, R, R, N, A], outcomes)
    live = {(f.task, f.flag): f.detail for f in flags if f.flag != "duplicate"}
    assert live == {
        ("0", "does_not_parse"): "malformed: why",
        ("4", "hint_free"): "",
        ("0", "ground_truth_fails"): "malformed: why",
        ("1", "ground_truth_fails"): "refuted: why",
        ("2", "ground_truth_refused"): "gate: why",
    }
    found = {c.flag: c.count for c in counts}
    assert found["duplicate"] == 4
    assert (found["does_not_parse"], found["ground_truth_fails"], found["no_ensures"]) == (1, 2, 0)
    assert {c.of for c in counts} == {5}
    assert {c.flag for c in counts} == set(KINDS)


def test_dafnybench_has_the_faults_that_are_known_of_it(dafnybench: Path) -> None:
    """9 groups of 20 files, so 11 surplus; 9 tasks with their own abs; 8 with banned text; 45 prove no contract.

    38 programs do not hold the word ensures at all; 7 more have it in comments only, one in a comment that never ends.
    """
    found = [f.name for flags in text_flags(Loader(Options(content="programs")).tasks()) for f in flags]
    counts = {name: found.count(name) for name in set(found)}
    assert counts == {"duplicate": 11, "name_clash": 9, "banned_text": 8, "no_ensures": 45}


def test_the_committed_flags_are_those_of_the_text_and_of_the_committed_baseline(dafnybench: Path) -> None:
    tasks = Loader(Options(content="programs")).tasks()
    committed = read_flags()
    for task_, found in zip(tasks, text_flags(tasks), strict=True):
        assert tuple(f for f in committed.get(task_.id, ()) if f.found_by == "text") == found, task_.id
    baseline = extract_flags(Path(__file__).parents[2] / "docs/results/dafnybench_baseline/flags.csv")
    assert baseline == [[t, f.name, f.detail, f.found_by] for t, flags in committed.items() for f in flags]


def test_a_flag_that_there_is_not_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UserError, match="duplicates is no flag; did you mean duplicate"):
        Plan(resolve_experiment("demo", ["leave_out=[duplicates]"]))
