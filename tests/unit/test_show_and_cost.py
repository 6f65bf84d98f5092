"""What a person reads of a run, and what it can cost before it begins."""

from pathlib import Path

import pytest
from builders import result
from veriloop.attempts import Attempt, Review
from veriloop.cli import main
from veriloop.exchanges import Exchange
from veriloop.loop.journal import seal
from veriloop.outcomes import Diagnostic, Outcome, Verdict
from veriloop.stages.cost import cost_text
from veriloop.stages.plan import make_plan
from veriloop.stages.progress import Progress
from veriloop.tasks import Task, write_records

GIVEN = "method M()\n  ensures true\n{\n}\n"
ANSWER = "method M()\n  ensures true\n{\n  assert true;\n}\n"
TASK = Task(id="t", kind="fill_hints", given=GIVEN)


def exchange(**changes: object) -> Exchange:
    fields = {"purpose": "propose", "task": "t", "attempt": 1, "template_sha256": "abc" * 20, "model": "m-1"}
    fields |= {"request": {"messages": [{"role": "user", "content": "x" * 50}]}, "response": {}, "finish": "stop"}
    fields |= {"prompt_tokens": 12, "completion_tokens": 34, "dollars": 0.0125, "seconds": 2.5}
    return Exchange.model_validate(fields | changes)


def attempt(number: int, **changes: object) -> Attempt:
    fields = {"task": "t", "task_sha256": TASK.sha256(), "number": number, "source": "live", "proposer": "chat"}
    fields |= {"synthetic": False, "candidate": ANSWER, "verdict": Verdict.REJECTED, "exchanges": (exchange(),)}
    return Attempt.model_validate(fields | changes)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A sealed journal where a run leaves it, with its task list."""
    place = Diagnostic(severity="error", category="invariant", message="not kept", file="p", line=4, column=2)
    refused = Review(state="refused", reason="a predicate was made true")
    rows = [
        attempt(1, result=result(Outcome.REFUTED, diagnostics=(place,))),
        attempt(2, candidate=None, missing="truncated", reason="cut off", exchanges=(exchange(finish="length"),)),
        attempt(3, memory="\nYour notes:\n- try again\n", result=result(Outcome.VERIFIED), review=refused),
        attempt(4, repeats=1, result=result(Outcome.REFUTED, diagnostics=(place,))),
    ]
    write_records(tmp_path / "results/tasks/e/b/tasks.jsonl", [TASK])
    path = tmp_path / "results/run/e/b/a/m/seed_0/shard_0.jsonl"
    seal(path, rows)
    return path


def test_one_task_is_shown_with_questions_changes_findings_and_what_was_remembered(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(journal), "--task", "t"]) == 0
    told = capsys.readouterr().out
    for words in (
        "Attempt 1: rejected (refuted)",
        "propose: 50 characters, prompt file abcabcabcabc, m-1, 12 tokens asked, 34 answered, 0.0125 dollars, 2.5 s",
        "+  assert true;",
        "Loop invariants that may not hold:",
        "(4,2): error: not kept",
        "Attempt 2: rejected (truncated)",
        "no program: cut off",
        "- try again",
        "The reviewer refused it: a predicate was made true",
        "Attempt 4: rejected (refuted, the same as attempt 1)",
    ):
        assert words in told


def test_a_journal_is_shown_a_line_an_attempt_and_says_how_to_see_more(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(journal)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["t, attempt 1: rejected (refuted)", "t, attempt 2: rejected (truncated)"]
    assert told[-1].endswith("--task TASK")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nowhere.jsonl"], "there is no such journal"), (["JOURNAL", "--task", "u"], "has no attempt at u")],
)
def test_what_is_not_there_is_a_sentence(
    words: list[str], said: str, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", *(str(journal) if word == "JOURNAL" else word for word in words)]) == 1
    assert said in capsys.readouterr().err


def test_a_journal_that_lies_elsewhere_is_shown_with_its_programs(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "copy.jsonl"
    alone.write_bytes(journal.read_bytes())
    assert main(["show", str(alone), "--task", "t"]) == 0
    assert "    method M()\n      ensures true\n    {\n      assert true;\n" in capsys.readouterr().out


PRICED = [
    "model=[vllm]",
    "models.vllm.options.prices={input: 1.0, output: 10.0, source: made up, as_of: '2026-12-01'}",
    "models.vllm.options.sampling.max_tokens=1000",
    "benchmarks.mini.options.tasks=[linear_search]",
    "~arms",
    "control=null",
]


def cost_of(*overrides: str) -> list[str]:
    """The row of the only model: name, questions, tokens, dollars at most, dollars with usual answers."""
    text = cost_text(make_plan({"experiment": "axdafny_ablation", "overrides": [*PRICED, *overrides]}))
    return [cell.strip() for cell in text.splitlines()[4].strip("|").split("|")]


def test_the_most_that_an_experiment_can_cost_is_every_question_at_its_longest() -> None:
    """By hand, for one task, three samples without memory or reviewer: bytes of files and program, 1000 an answer."""
    plan = make_plan(
        {"experiment": "axdafny_ablation", "overrides": [*PRICED, "loop.memory=none", "loop.reviewer=null"]}
    )
    prompts = plan.experiment.arms["main"].loop.prompts
    (task,) = plan.loaders["mini"].tasks()
    prompt = len((prompts["system"] + prompts["propose"] + task.given).encode())
    name, questions, tokens, most, _ = cost_of("loop.memory=none", "loop.reviewer=null", "loop.max_attempts=3")
    assert (name, questions, tokens) == ("vllm", "3", f"{3 * (prompt + 1000):,}")
    assert most == f"{3 * (prompt * 1 + 1000 * 10) / 1e6:,.2f}"


def test_each_part_of_the_loop_and_each_seed_asks_its_own_questions() -> None:
    assert cost_of("loop.max_attempts=5")[1] == str(5 + 5 + 4)
    assert cost_of("loop.max_attempts=5", "loop.reviewer=null")[1] == str(5 + 4)
    assert cost_of("loop.max_attempts=5", "loop.memory=last_attempt")[1] == str(5 + 5)
    assert cost_of("loop.max_attempts=5", "loop.memory=last_attempt", "seeds=[0,1,2]")[1] == str(3 * 10)


def test_a_usual_answer_costs_less_than_the_most() -> None:
    row = cost_of("models.vllm.options.prices.input=1000", "models.vllm.options.prices.output=10000")
    assert float(row[4].replace(",", "")) < float(row[3].replace(",", "")) / 3


def test_an_experiment_without_endpoints_costs_nothing_and_a_missing_price_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["estimate-cost", "demo"]) == 0
    assert capsys.readouterr().out == "demo: asks no language model behind an endpoint\n"
    assert cost_of("models.vllm.options.prices=null")[3:] == ["no price", "no price"]
    assert main(["estimate-cost", "no_such"]) == 1
    assert "there is no config/experiment/no_such.yaml" in capsys.readouterr().err


def test_progress_counts_and_guesses_how_long_the_rest_takes(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    now = [0.0]
    progress = Progress("b.a.0-of-1", 4, clock=lambda: now[0])
    for seconds, rows in ((10.0, [attempt(1)]), (60.0, [attempt(1), attempt(2, verdict=Verdict.ACCEPTED)])):
        now[0] = seconds
        progress.done("t", rows)
    assert "1/4 tasks, 0 solved, about 30 s left; t: rejected after 1 attempts" in caplog.text
    assert capsys.readouterr().err == "b.a.0-of-1: 2/4 tasks, 1 solved, about 1 min 0 s left\n"
    progress.done("t", [])
    progress.done("t", [])
    assert "4/4 tasks, 1 solved; t: no attempt after 0 attempts" in caplog.text
