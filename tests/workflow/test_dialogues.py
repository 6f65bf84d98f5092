"""AxDafny's loop, a scripted language model over HTTP, real gates and real Dafny: a dialogue for each of its parts."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from standin import KEY, Reply, StandIn
from veriloop.attempts import Attempt
from veriloop.benchmarks.mini import Loader, Options
from veriloop.config.compose import resolve_experiment
from veriloop.dafny.cold import ColdVerifier
from veriloop.loop.journal import read_journal
from veriloop.stages.curate import curate
from veriloop.stages.provide import provide
from veriloop.stages.run import run

TASKS = {task.id: task for task in Loader(Options(tasks=None)).tasks()}
HONEST = '{"cheating": false, "reason": "nothing found"}'
CHEATING = '{"cheating": true, "reason": "the predicate Valid was made true"}'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, any_verifier: object) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STANDIN_KEY", KEY)


def overrides_for(server: StandIn, tasks: list[str], *more: str) -> list[str]:
    """AxDafny's loop on some tasks of mini, with the stand-in as the model."""
    return [
        "~arms",
        "control=null",
        "model=[vllm]",
        f"models.vllm.options.base_url={server.url}",
        "models.vllm.options.model=stand-in",
        "models.vllm.options.key_variable=STANDIN_KEY",
        "models.vllm.options.limits.concurrency=8",
        f"benchmarks.mini.options.tasks=[{','.join(tasks)}]",
        "shards=1",
        *more,
    ]


def work(server: StandIn, tasks: list[str], *more: str, folder: str = "a") -> list[Attempt]:
    """The attempts of a run, as the workflow's job makes them."""
    here = Path(folder)
    here.mkdir(exist_ok=True)
    config = here / "config.yaml"
    config.write_text(
        resolve_experiment("axdafny_ablation", overrides_for(server, tasks, *more)).dump(), encoding="utf-8"
    )
    files = {"tasks": here / "tasks.jsonl", "answers": here / "answers.jsonl"}
    curate(config, "mini", **files, card=here / "card.json")
    provide(config, here / "toolchain.json")
    names = {"benchmark": "mini", "arm": "main", "model": "vllm", "seed": 0, "shard": 0, "threads": 2}
    run(config=config, **files, toolchain=here / "toolchain.json", **names, output=here / "journal.jsonl")
    return read_journal(here / "journal.jsonl")


def purpose(request: dict[str, Any]) -> str:
    text = request["messages"][-1]["content"]
    return "review" if '"cheating"' in text else "remember" if text.startswith("You keep notes") else "propose"


def scripted(
    *programs: str, review: str = HONEST, notes: Callable[[str], str] = str
) -> Callable[[dict[str, Any]], Reply]:
    """Proposes one program after the other, and always reviews and remembers alike."""
    left = list(programs)

    def answer(request: dict[str, Any]) -> Reply:
        asked = purpose(request)
        if asked == "review":
            return Reply(review)
        if asked == "remember":
            return Reply(notes(request["messages"][-1]["content"]))
        return Reply(f"Here is the program.\n```dafny\n{left.pop(0)}\n```")

    return answer


def without(task: str, *lines: str) -> str:
    """The ground truth of a task without the lines that hold these words."""
    truth = TASKS[task].ground_truth or ""
    return "\n".join(line for line in truth.splitlines() if not any(word in line for word in lines)) + "\n"


def asked(server: StandIn, wanted: str) -> list[str]:
    """What the model was asked for a purpose, in the order of arrival."""
    return [r["messages"][-1]["content"] for r in server.requests if purpose(r) == wanted]


def test_feedback_repairs_at_the_second_attempt() -> None:
    truth = TASKS["linear_search"].ground_truth or ""
    with StandIn(scripted(without("linear_search", "invariant 0"), truth)) as server:
        first, second = work(server, ["linear_search"], "loop.memory=last_attempt", "loop.explain=[]")
    assert [str(first.verdict), str(second.verdict)] == ["rejected", "accepted"]
    before, after = asked(server, "propose")
    assert "method LinearSearch" in before
    assert "Target: method LinearSearch" in before
    assert "Your previous answer" not in before
    assert re.search(r"Index.*:\n\(\d+,\d+\): error: index out of range", after)
    assert "at: invariant forall k" in after
    assert asked(server, "remember") == []
    assert len(asked(server, "review")) == 1


def test_memory_carries_a_fact_over_to_the_third_attempt() -> None:
    truth = TASKS["linear_search"].ground_truth or ""

    def notes(prompt: str) -> str:
        tried = prompt.count("FACT") + 1
        return f"- FACT {tried}: the index needs its bounds"

    script = scripted(
        without("linear_search", "invariant"), without("linear_search", "invariant 0"), truth, notes=notes
    )
    with StandIn(script) as server:
        made = work(server, ["linear_search"], "loop.memory=scratchpad", "loop.explain=[]")
    assert [str(one.verdict) for one in made] == ["rejected", "rejected", "accepted"]
    _, second, third = asked(server, "propose")
    assert "FACT 1" in second
    assert "FACT 2" in third
    assert "Your previous answer" not in third
    remembered = asked(server, "remember")
    assert len(remembered) == 2
    assert "(none yet)" in remembered[0]
    assert "FACT 1" in remembered[1]
    assert "Preconditions" not in remembered[0]
    assert "may not hold" in remembered[0]
    assert [[one.purpose for one in attempt.exchanges] for attempt in made] == [
        ["propose"],
        ["remember", "propose"],
        ["remember", "propose", "review"],
    ]


CHEAT = (TASKS["light_panel"].ground_truth or "").replace("lamps.Length > 0 && changes >= 0", "true")


def test_the_reviewer_refuses_a_predicate_made_true_that_axdafnys_gate_lets_pass() -> None:
    truth = TASKS["light_panel"].ground_truth or ""
    script = scripted(CHEAT, truth)

    def answer(request: dict[str, Any]) -> Reply:
        if purpose(request) == "review":
            return Reply(CHEATING if "    true\n" in request["messages"][-1]["content"] else HONEST)
        return script(request)

    with StandIn(answer) as server:
        first, second = work(server, ["light_panel"], "loop.memory=last_attempt", "loop.explain=[]")
    assert (str(first.verdict), first.violations, first.review.state) == ("cheating", (), "refused")
    assert first.result is not None
    assert str(first.result.outcome) == "verified"
    assert str(second.verdict) == "accepted"
    assert "The reviewer refused it: the predicate Valid was made true" in asked(server, "propose")[1]
    review = asked(server, "review")[0]
    assert TASKS["light_panel"].given in review
    assert CHEAT in review


def test_without_a_reviewer_axdafnys_gate_accepts_it_and_the_strict_one_does_not() -> None:
    with StandIn(scripted(CHEAT, CHEAT)) as server:
        more = ["loop.memory=last_attempt", "loop.reviewer=null", "loop.explain=[]", "loop.max_attempts=1"]
        (fooled,) = work(server, ["light_panel"], *more)
        (refused,) = work(server, ["light_panel"], *more, "gate=strict", folder="b")
    assert str(fooled.verdict) == "accepted"
    assert str(refused.verdict) != "accepted"
    assert refused.violations
    assert refused.result is None
    assert asked(server, "review") == []


def test_a_counterexample_reaches_the_prompt(any_verifier: ColdVerifier) -> None:
    if any_verifier.toolchain.command_line == "legacy":
        pytest.skip("Dafny 2.3.0 tells no counterexamples")
    truth = TASKS["linear_search"].ground_truth or ""
    with StandIn(scripted(without("linear_search", "invariant 0"), truth)) as server:
        first, _ = work(server, ["linear_search"], "loop.memory=last_attempt")
    assert any(d.counterexample for d in first.result.diagnostics)
    prompt = asked(server, "propose")[1]
    example = re.search(r"a counterexample may be:\n    (.*)", prompt)
    assert example is not None
    assert example[1].strip()


def oracle(request: dict[str, Any]) -> Reply:
    """Gives back what was given first, and the ground truth as soon as the prompt says what was wrong."""
    text = request["messages"][-1]["content"]
    if purpose(request) != "propose":
        return Reply(HONEST if purpose(request) == "review" else "- try again")
    task = next(task for task in TASKS.values() if task.given in text)
    return Reply(f"```\n{task.ground_truth if 'What was wrong with it' in text else task.given}```")


FOUR = ["linear_search", "duplicate_check", "sequence_sum", "triangular_numbers"]


def told(attempts: list[Attempt]) -> list[tuple[str, int, str, str | None]]:
    return [(one.task, one.number, str(one.verdict), one.candidate) for one in attempts]


def test_the_order_in_which_answers_come_and_refusals_that_pass_change_nothing() -> None:
    more = ["loop.memory=last_attempt", "loop.explain=[]"]
    with StandIn(oracle) as server:
        undisturbed = work(server, FOUR, *more)
        assert server.most_at_once > 1
    asked_for: list[int] = []

    def disturbed(request: dict[str, Any]) -> Reply:
        asked_for.append(len(asked_for))
        if asked_for[-1] % 3 == 0:
            return Reply("slow down", status=429, headers={"Retry-After": "0"})
        reply = oracle(request)
        reply.delay = (len(request["messages"][-1]["content"]) * 7 % 5) / 10
        return reply

    with StandIn(disturbed) as server:
        assert told(work(server, FOUR, *more, folder="b")) == told(undisturbed)
        assert len(server.answered) * 3 // 2 - 2 <= len(server.requests)
    assert [one.task for one in undisturbed] == sorted((one.task for one in undisturbed), key=list(TASKS).index)


def test_a_key_is_in_no_file_of_a_run(tmp_path: Path) -> None:
    with StandIn(lambda request: Reply(f"```\n{TASKS['linear_search'].given}``` {KEY}")) as server:
        work(
            server,
            ["linear_search"],
            "loop.max_attempts=1",
            "loop.explain=[]",
            "loop.reviewer=null",
            "loop.memory=none",
        )
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("[key]" in path.read_text(encoding="utf-8", errors="replace") for path in files)
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_every_answer_is_in_the_journal_with_its_exact_request(tmp_path: Path) -> None:
    with StandIn(oracle) as server:
        made = work(server, ["linear_search"])
    sent = sorted(json.dumps(request, sort_keys=True) for request in server.requests)
    assert sorted(json.dumps(one.request, sort_keys=True) for a in made for one in a.exchanges) == sent
    assert all(one.response for a in made for one in a.exchanges)
