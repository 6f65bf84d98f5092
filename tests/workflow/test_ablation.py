"""`axdafny_ablation` on real Dafny: each arm differs from the control arm where, and only where, it must."""

from functools import partial
from pathlib import Path

import pytest
from running import run_snakemake
from veriloop.attempts import Attempt
from veriloop.benchmarks.mini import Loader, Options
from veriloop.config.compose import read_toolchain
from veriloop.config.schema import Experiment
from veriloop.dafny.provide import find_toolchain
from veriloop.loop.journal import read_journal
from veriloop.models import oracle_repair
from veriloop.outcomes import Outcome, Verdict
from veriloop.protocols import ProposerContext
from veriloop.seeding import generator

TASKS = {task.id: task for task in Loader(Options(tasks=None)).tasks()}
EVERY = set(TASKS)
HINT_FREE = {name for name, task in TASKS.items() if task.facts["hint_free"]}
Made = dict[str, list[Attempt]]


def made_by(folder: Path, arm: str) -> Made:
    """The attempts of an arm, by task."""
    made: Made = {}
    for path in sorted((folder / "results/run/axdafny_ablation/mini" / arm).rglob("*.jsonl")):
        for attempt in read_journal(path):
            made.setdefault(attempt.task, []).append(attempt)
    assert set(made) == EVERY
    return made


def solved(made: Made) -> set[str]:
    return {task for task, attempts in made.items() if any(one.verdict is Verdict.ACCEPTED for one in attempts)}


def same(made: Made, control: Made) -> set[str]:
    """The tasks of which both made the same answers, as far as both went."""
    return {
        task
        for task in EVERY
        if all(a.candidate == b.candidate for a, b in zip(made[task], control[task], strict=False))
    }


def puzzles(folder: Path) -> dict[str, oracle_repair.Puzzle]:
    """What the synthetic model knows of each task in this run."""
    experiment = Experiment.read(folder / "results/config/axdafny_ablation.yaml")
    rng = partial(generator, experiment.root_seed, "propose", "oracle_repair", 0)
    options = oracle_repair.Options.model_validate(experiment.models["oracle_repair"].options)
    chat = oracle_repair.OracleRepair(options, ProposerContext(rng=rng, tasks=TASKS))
    return {name: chat.puzzle(name) for name in TASKS}


def check(folder: Path) -> None:
    """Hold a finished run to what must be so.

    A hint that the proof does not need is never missed, so a part may matter on fewer tasks than it could; on each of
    the others nothing may differ.
    """
    known = puzzles(folder)
    control = made_by(folder, "axdafny")
    arm = partial(made_by, folder)
    cheats = {name for name, made in control.items() if "cheating" in {str(one.verdict) for one in made}}
    tried = {name for name, one in known.items() if one.cheat is not None}
    assert cheats <= tried
    assert cheats
    assert solved(control) >= EVERY - {n for n, p in known.items() if len(p.hints) > 18}

    no_memory, independent = arm("no_memory"), arm("independent")
    assert solved(no_memory) == solved(independent) == solved(arm("budget_1")) == HINT_FREE - tried
    assert {len(attempts) for attempts in independent.values()} == {20}
    assert solved(arm("only_failed")) == HINT_FREE

    for name, could in (
        ("attempt_only", {n for n, p in known.items() if not all(hint.in_previous for hint in p.hints)}),
        ("scratchpad_only", {n for n, p in known.items() if not all(hint.in_notes for hint in p.hints)}),
        ("no_counterexamples", {n for n, p in known.items() if any(hint.needs_example for hint in p.hints)}),
    ):
        made = arm(name)
        assert same(made, control) >= EVERY - could, name
        assert solved(made) < solved(control), name
        assert solved(control) - solved(made) <= could, name

    for name in ("raw_messages", "gate_dafnybench"):
        assert same(arm(name), control) == EVERY, name
        assert solved(arm(name)) == solved(control), name

    strict, unreviewed = arm("gate_strict"), arm("no_reviewer")
    assert same(strict, control) == EVERY
    assert solved(strict) == solved(control)
    assert {name for name, made in strict.items() if made[0].violations} == tried
    assert {name for name in tried if unreviewed[name][0].verdict is Verdict.ACCEPTED} == cheats
    assert same(unreviewed, control) == EVERY
    assert {name for name in EVERY if len(unreviewed[name]) != len(control[name])} == cheats

    for name, budget in (("budget_5", 5), ("budget_10", 10)):
        made = arm(name)
        assert same(made, control) == EVERY
        assert solved(made) == {n for n in solved(control) if len(control[n]) <= budget}
    assert all(
        one.result is None or one.result.outcome is not Outcome.TOOL_FAULT for m in control.values() for one in m
    )


@pytest.mark.long
def test_each_arm_differs_from_the_control_where_and_only_where_it_must(tmp_path: Path) -> None:
    if find_toolchain(read_toolchain("dafny-4.11.0", "test")) is None:
        pytest.skip("dafny-4.11.0 is not on this machine")
    done = run_snakemake(tmp_path, "--cores", "2", experiment="axdafny_ablation", overrides=[], timeout=7200)
    assert done.returncode == 0, done.stdout + done.stderr
    check(tmp_path)
