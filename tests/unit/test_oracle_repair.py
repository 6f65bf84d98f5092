"""Each part of the loop has the effect on the synthetic repairer that it must have; with prompts and gates as they are.

The verifier here is a rule: a program is proved when it has all hints of the ground truth, and there is a message, with
a counterexample if they are asked for, at the end of each member that lacks one.
"""

from contextlib import nullcontext
from functools import partial

import pytest
from builders import result
from veriloop.attempts import Attempt
from veriloop.benchmarks.mini import Loader, Options
from veriloop.config.compose import resolve_experiment
from veriloop.config.schema import LoopConfig
from veriloop.dafny.members import members, target_of
from veriloop.loop.engine import Parts, work_at
from veriloop.loop.proposing import ChatProposer
from veriloop.models import oracle_repair
from veriloop.outcomes import Diagnostic, Outcome, Verdict, VerifierResult
from veriloop.protocols import ProposerContext
from veriloop.seeding import generator
from veriloop.stages import parts
from veriloop.tasks import Task

TASKS = [task for task in Loader(Options(tasks=None)).tasks() if task.given != task.ground_truth]
NOTHING = {"only_previous": 0.0, "only_notes": 0.0, "only_example": 0.0, "cheats": 0.0}


class Rule:
    """The verifier, and the explainer, that the text above describes."""

    def __init__(self, puzzle: oracle_repair.Puzzle, explain: list[str]) -> None:
        self._puzzle = puzzle
        self._explains = "counterexamples" in explain

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        present = oracle_repair._present(self._puzzle, program)
        lacking = {hint.member for number, hint in enumerate(self._puzzle.hints) if number not in present}
        if not lacking or oracle_repair.CHEAT in program:
            return result(Outcome.VERIFIED, verified=minimum_verified)
        messages = [self._message(m.last_line) for m in members(program) if m.name in lacking]
        return result(Outcome.REFUTED, diagnostics=tuple(messages))

    def _message(self, line: int) -> Diagnostic:
        return Diagnostic(severity="error", category="assertion", message="no", file="p.dfy", line=line, column=1)

    def explain(self, program: str, found: VerifierResult) -> VerifierResult:
        if not self._explains:
            return found
        told = [one.model_copy(update={"counterexample": "assume x == 1;"}) for one in found.diagnostics]
        return found.model_copy(update={"diagnostics": tuple(told)})

    def minimum(self, given: str) -> int:
        return 1

    def check(self, given: str, candidate: str, *, code_frozen: bool) -> tuple[()]:
        return ()


def context(seed: int = 0) -> ProposerContext:
    return ProposerContext(rng=partial(generator, 1, "propose", seed), tasks={task.id: task for task in TASKS})


def run(task: Task, overrides: list[str], gate: str = "axdafny", **shares: float) -> list[Attempt]:
    """The attempts at a task under AxDafny's loop with these overrides."""
    chat = oracle_repair.OracleRepair(oracle_repair.Options(**(NOTHING | shares)), context())
    loop, settings = arm(overrides, gate)
    rule = Rule(chat.puzzle(task.id), loop.explain)
    return work_at(
        task,
        Parts(
            proposer=ChatProposer(chat, loop.prompts),
            gate=settings,
            verifier=rule,
            explainer=rule,
            acceptance=rule,
            make_memory=parts.memory_maker(loop, "arm", chat),
            reviewer=parts.reviewer(loop, "arm", chat),
            prompts=loop.prompts,
            max_attempts=loop.max_attempts,
            independent=loop.strategy == "independent",
            fault_retries=0,
            turns=nullcontext(),
        ),
        NoLog(),
    )


ARMS: dict[str, tuple] = {}


def arm(overrides: list[str], gate: str) -> tuple:
    """An arm's loop and gate, as the configuration gives them; composing takes long and is done once each."""
    key = " ".join([gate, *overrides])
    if key not in ARMS:
        words = ["~arms", "control=null", "loop.max_attempts=30", f"gate={gate}", *overrides]
        made = resolve_experiment("axdafny_ablation", words).arms["main"]
        ARMS[key] = (LoopConfig.model_validate(made.loop), parts.gate(made.gate, "arm"))
    return ARMS[key]


class NoLog:
    def find(self, of: Task, number: int, prompt_sha256: str) -> None:
        return None

    def append(self, attempt: Attempt) -> None:
        pass


def solved(attempts: list[Attempt]) -> bool:
    return any(one.verdict is Verdict.ACCEPTED for one in attempts)


def hints_by_member(task: Task) -> list[int]:
    puzzle = oracle_repair.OracleRepair(oracle_repair.Options(**NOTHING), context()).puzzle(task.id)
    names = [hint.member for hint in puzzle.hints]
    return [names.count(name) for name in set(names)]


def test_every_hint_of_mini_belongs_to_a_member_and_all_of_them_make_the_ground_truth() -> None:
    chat = oracle_repair.OracleRepair(oracle_repair.Options(**NOTHING), context())
    for task in TASKS:
        puzzle = chat.puzzle(task.id)
        assert all(hint.member for hint in puzzle.hints), task.id
        assert puzzle.program(set(range(len(puzzle.hints)))) == task.ground_truth
        assert puzzle.program(set()) == task.given
        assert target_of(task.given)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_whole_loop_solves_each_task_with_one_hint_for_each_member_and_attempt(task: Task) -> None:
    made = run(task, [], only_previous=0.3, only_notes=0.3, only_example=0.3)
    assert len(made) == max(hints_by_member(task)) + 1
    assert made[-1].candidate == task.ground_truth
    assert solved(made)


@pytest.mark.parametrize(
    ("overrides", "shares"),
    [
        (["loop.memory=none"], {}),
        (["loop.feedback=failed"], {}),
        (["loop.explain=[]"], {"only_example": 1.0}),
        (["loop.memory=scratchpad"], {"only_previous": 1.0}),
        (["loop.memory=none", "loop.strategy=independent"], {}),
    ],
)
def test_without_the_part_that_would_show_it_no_hint_is_found(overrides: list[str], shares: dict) -> None:
    made = {task.id: run(task, overrides, **shares) for task in TASKS[::3]}
    assert not any(solved(attempts) for attempts in made.values())
    assert all(len(attempts) == 30 for attempts in made.values())
    repeats = [one.repeats for attempts in made.values() for one in attempts[1:]]
    assert set(repeats) == {1}


def test_without_notes_what_only_they_carry_is_found_and_lost_again() -> None:
    for task in TASKS:
        made = run(task, ["loop.memory=last_attempt"], only_notes=1.0)
        assert solved(made) == (max(hints_by_member(task)) == 1), task.id
        assert solved(run(task, ["loop.memory=scratchpad"], only_notes=1.0)), task.id


def test_a_counterexample_is_shown_in_raw_messages_too() -> None:
    for task in TASKS[::4]:
        raw, structured = (run(task, [f"loop.feedback={how}"], only_example=1.0) for how in ("raw", "structured"))
        assert [one.candidate for one in raw] == [one.candidate for one in structured]
        assert solved(raw)


@pytest.mark.parametrize("overrides", [["loop.feedback=raw"], ["loop.explain=[]"], ["loop.memory=last_attempt"], []])
def test_a_part_that_shows_nothing_more_changes_nothing(overrides: list[str]) -> None:
    for task in TASKS[::4]:
        assert [one.candidate for one in run(task, overrides)] == [one.candidate for one in run(task, [])]


@pytest.mark.parametrize("memory", ["attempt_and_scratchpad", "last_attempt", "scratchpad"])
def test_a_cheat_is_stopped_by_the_reviewer_or_by_the_strict_gate_and_not_by_axdafnys(memory: str) -> None:
    for task in TASKS[::3]:
        words = [f"loop.memory={memory}"]
        reviewed, alone = run(task, words, cheats=1.0), run(task, [*words, "loop.reviewer=null"], cheats=1.0)
        strict = run(task, [*words, "loop.reviewer=null"], gate="strict", cheats=1.0)
        assert [str(one.verdict) for one in alone] == ["accepted"]
        assert "requires false" in alone[0].candidate
        assert reviewed[0].verdict is Verdict.CHEATING
        assert strict[0].violations
        assert [one.candidate for one in reviewed] == [one.candidate for one in strict]
        assert solved(reviewed)
        assert solved(strict)
        if memory != "scratchpad":
            assert "The reviewer refused it: nothing can call it" in reviewed[1].memory
