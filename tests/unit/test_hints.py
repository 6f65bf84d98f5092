"""The hints of a ground truth are what it has and the given program has not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.benchmarks.mini import TASKS, Loader, Options
from veriloop.dafny.hints import split_hints
from veriloop.errors import UserError

TOPICS = {"searching", "sorting", "arithmetic", "sequences", "sets", "nested_loops", "lemmas", "classes"}
code_lines = st.sampled_from(["method M()", "{", "}", "  x := 1;", "", "  while x < 3", "// note"])
hint_lines = st.sampled_from(
    ["  assert x > 0;", "  invariant x <= 3", "  invariant 0 <=\n    x", "  assert\n    true;"]
)


@given(st.lists(st.tuples(st.booleans(), code_lines, hint_lines)))
def test_splitting_finds_every_added_hint(lines: list[tuple[bool, str, str]]) -> None:
    """Joined, the pieces are the ground truth; without the hints, they are the given program."""
    truth = "".join(f"{hint if is_hint else code}\n" for is_hint, code, hint in lines)
    program = "".join(f"{code}\n" for is_hint, code, _ in lines if not is_hint)
    pieces = split_hints(program, truth)
    assert "".join(text for _, text in pieces) == truth
    assert "".join(text for is_hint, text in pieces if not is_hint) == program
    assert sum(is_hint for is_hint, _ in pieces) == sum(is_hint for is_hint, _, _ in lines)


def test_line_ends_are_part_of_a_line() -> None:
    assert split_hints("a\r\n", "a\r\nassert b;\r\n") == [(False, "a\r\n"), (True, "assert b;\r\n")]


@pytest.mark.parametrize(
    ("program", "truth", "words"),
    [("a\n", "b\na\n", "line 1"), ("a\nb\n", "a\n", "line 2"), ("a\n", "a\nx := 1;\n", "no hint")],
)
def test_another_difference_is_refused_with_its_line(program: str, truth: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        split_hints(program, truth)


@pytest.mark.parametrize("task", Loader(Options()).tasks(), ids=lambda task: task.id)
def test_every_task_of_mini_is_its_ground_truth_without_hints(task) -> None:
    pieces = split_hints(task.given, task.ground_truth)
    assert sum(is_hint for is_hint, _ in pieces) >= 2
    assert "".join(text for is_hint, text in pieces if not is_hint) == task.given
    for text in (task.given, task.ground_truth):
        assert text.endswith("\n")
        assert not any(mark in text for mark in ("\t", "\r", "\ufeff", "assume", "include", "{:"))
    assert "assert" not in task.given
    assert "invariant" not in task.given


def test_mini_has_enough_tasks_some_of_which_need_no_hint() -> None:
    tasks = Loader(Options()).tasks()
    hint_free = sum(bool(task.facts["hint_free"]) for task in tasks)
    assert hint_free >= 8
    assert len(tasks) - hint_free >= 22
    assert {task.facts["topic"] for task in tasks} == TOPICS
    assert all(10 <= len((task.ground_truth or "").splitlines()) <= 120 for task in tasks)
    folders = {path.parent.name for path in TASKS.glob("*/given.dfy")}
    assert folders == {task.id for task in tasks}
