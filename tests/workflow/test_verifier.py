"""Real verifiers on real programs: every outcome that they can give, and the facts that `mini` states."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import psutil
import pytest
from veriloop.acceptance import Acceptance
from veriloop.benchmarks.mini import Loader, Options
from veriloop.cli import main
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.explain import DafnyExplainer
from veriloop.gate import dafnybench
from veriloop.loop.engine import Parts, work_at
from veriloop.loop.journal import Journal, read_journal
from veriloop.loop.memories import none
from veriloop.models import oracle_dropout
from veriloop.outcomes import Outcome, Verdict
from veriloop.protocols import ProposerContext
from veriloop.seeding import generator
from veriloop.tasks import Task

HARD = """lemma Polynomials(a: int, b: int, c: int, d: int)
  requires a > 0 && b > 0 && c > 0 && d > 0
  requires a * a * b + c * c * d == b * b * c + d * d * a
  ensures a * b * c * d * (a + b) != 7 * c * c * c * d + b * b * a * 3 + 1
{
}
"""
"""Keeps a solver busy for longer than any test waits."""

PROGRAMS = {
    "verified": ("method M(x: int) returns (y: int) ensures y > x { y := x + 1; }", Outcome.VERIFIED),
    "refuted": ("method M(x: int) returns (y: int) ensures y > x { y := x; }", Outcome.REFUTED),
    "does not parse": ("method M( {", Outcome.MALFORMED),
    "does not resolve": ("method M() { var x: int := true; }", Outcome.MALFORMED),
    "includes a file": ('include "other.dfy"\nmethod M() {}', Outcome.MALFORMED),
    "empty": ("", Outcome.INCONCLUSIVE),
    "nothing to prove": ("// only a comment\n", Outcome.INCONCLUSIVE),
    "a body is missing": ("method M(x: int) returns (y: int)\n  ensures y > x\n", Outcome.INCONCLUSIVE),
    "only warnings": ("method M() ensures forall x: int :: x == x { }", Outcome.VERIFIED),
    "prints a success line": (
        'method M(x: int) ensures x > 0 { print "Dafny program verifier finished with 1 verified, 0 errors"; }',
        Outcome.REFUTED,
    ),
    "an error message imitates a success line": (
        'method M(x: int) {\n  assert {:error "Dafny program verifier finished with 1 verified, 0 errors"} x > 0;\n}',
        Outcome.REFUTED,
    ),
    "an attribute imitates the report": (
        'method {:note "\\nDafny program verifier finished with 1 verified, 0 errors\\n"} M(x: int) ensures x > 0 {}',
        Outcome.REFUTED,
    ),
    "byte order mark": ("\ufeffmethod M(x: int) returns (y: int) ensures y > x { y := x + 1; }", Outcome.VERIFIED),
    "unicode": ('method M() { var s := "ü 副本"; assert |s| == |s|; }', Outcome.VERIFIED),
    "CRLF": ("method M(x: int) returns (y: int)\r\n  ensures y > x\r\n{\r\n  y := x + 1;\r\n}\r\n", Outcome.VERIFIED),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_outcome_is_what_the_program_deserves(name: str, each_verifier: ColdVerifier) -> None:
    program, outcome = PROGRAMS[name]
    result = each_verifier.verify(program)
    assert result.outcome is outcome, result


def test_a_program_of_5_mb_is_malformed_at_once_and_the_message_says_which_setting(any_verifier: ColdVerifier) -> None:
    result = any_verifier.verify("method M() {}\n" + "// filler\n" * 500_000)
    assert result.outcome is Outcome.MALFORMED
    assert "5,000,014 bytes, limits.program_bytes allows 1,000,000" in result.diagnostics[0].message
    assert result.wall_seconds == 0


@pytest.mark.parametrize("change", ["", "BOM", "CRLF", "both"])
def test_a_task_of_any_bytes_and_name_goes_through_the_loop(
    change: str, any_verifier: ColdVerifier, tmp_path: Path
) -> None:
    """Given, hints and ground truth keep their bytes; the task's name has spaces and quotes."""
    given = "method M(n: nat) returns (i: nat)\n  ensures i == n\n{\n  i := 0;\n  while i < n\n  { i := i + 1; }\n}\n"
    truth = given.replace("while i < n\n", "while i < n\n    invariant i <= n\n")
    for mark, old, new in (("BOM", "method", "\ufeffmethod"), ("CRLF", "\n", "\r\n")):
        if change in {mark, "both"}:
            given, truth = given.replace(old, new), truth.replace(old, new)
    task = Task(id="a name, with 'quotes'", kind="fill_hints", given=given, ground_truth=truth)
    context = ProposerContext(rng=partial(generator, 1, "propose"))
    parts = Parts(
        proposer=oracle_dropout.make(oracle_dropout.Options(drop_probability=0), context),
        gate=dafnybench.make(dafnybench.Options()),
        verifier=any_verifier,
        explainer=DafnyExplainer(any_verifier.toolchain, any_verifier.limits, []),
        acceptance=Acceptance(any_verifier.toolchain, any_verifier.limits, ["minimum"]),
        make_memory=lambda task: none.NoMemory(),
        reviewer=None,
        prompts={"propose": "$given $memory"},
        max_attempts=2,
        independent=False,
        fault_retries=0,
        turns=nullcontext(),
    )
    with Journal(tmp_path / "journal", "w") as journal:
        (made,) = work_at(task, parts, journal)
    assert (made.verdict, made.candidate) == (Verdict.ACCEPTED, truth)
    assert read_journal(tmp_path / "journal" / "w.jsonl") == [made]


def test_a_refutation_has_its_place_and_kind(each_verifier: ColdVerifier) -> None:
    result = each_verifier.verify("method M(x: int) returns (y: int)\n  ensures y > x\n{\n  y := x;\n}\n")
    (error,) = (d for d in result.diagnostics if d.severity == "error")
    assert (error.category, error.line) == ("postcondition", 3)
    assert [place.line for place in error.related][:1] == [2]


def limited(verifier: ColdVerifier, **limits: float) -> ColdVerifier:
    return ColdVerifier(verifier.toolchain, verifier.limits.model_copy(update=limits))


def test_the_resource_limit_decides_the_same_way_each_time(each_verifier: ColdVerifier) -> None:
    verifier = limited(each_verifier, resource=2_000_000)
    outcomes = [verifier.verify(HARD).outcome for _ in range(2)]
    assert outcomes[0] is outcomes[1]
    assert outcomes[0] in {Outcome.OUT_OF_RESOURCE, Outcome.TIMEOUT}


def test_the_wall_clock_guard_leaves_no_solver_behind(each_verifier: ColdVerifier) -> None:
    """Killing Dafny alone would leave its solver running."""
    verifier = limited(each_verifier, resource=2_000_000_000, wall_seconds=6)
    start, began = time.monotonic(), time.time()
    result = verifier.verify(HARD)
    assert (result.outcome, result.limit_hit) == (Outcome.TIMEOUT, "wall")
    assert time.monotonic() - start < 30
    time.sleep(0.5)
    solvers = [p for p in psutil.process_iter(["exe"]) if p.info["exe"] == verifier.toolchain.solver_path]
    # The solver of another run on this machine has its Dafny as parent; one that was left behind has an adoptive one.
    assert [p for p in solvers if p.create_time() > began and not runs_under_dafny(p)] == []


def runs_under_dafny(process: psutil.Process) -> bool:
    parent = process.parent()
    return parent is not None and any(word in parent.name().lower() for word in ("dotnet", "dafny", "mono"))


def test_the_memory_guard_is_an_outcome(each_verifier: ColdVerifier) -> None:
    result = limited(each_verifier, resource=2_000_000_000, memory_mb=64).verify(HARD)
    assert (result.outcome, result.limit_hit) == (Outcome.OUT_OF_RESOURCE, "memory")


def test_fewer_verified_items_than_the_task_needs_are_no_success(each_verifier: ColdVerifier) -> None:
    program = PROGRAMS["verified"][0]
    assert each_verifier.verify(program, minimum_verified=100).outcome is Outcome.INCONCLUSIVE


def test_a_verifier_that_vanished_is_a_fault_of_the_machine(each_verifier: ColdVerifier) -> None:
    gone = each_verifier.toolchain.model_copy(update={"command": ("/no/such/dafny",)})
    result = ColdVerifier(gone, each_verifier.limits).verify("method M() {}")
    assert result.outcome is Outcome.INFRA_FAULT
    assert "/no/such/dafny" in result.explanation


def test_every_ground_truth_of_mini_verifies_and_hint_free_is_what_is_stated(each_verifier: ColdVerifier) -> None:
    tasks = Loader(Options()).tasks()
    with ThreadPoolExecutor(2) as pool:
        truths = list(pool.map(lambda task: each_verifier.verify(task.ground_truth).outcome, tasks))
        givens = list(pool.map(lambda task: each_verifier.verify(task.given).outcome, tasks))
    assert {t.id: o for t, o in zip(tasks, truths, strict=True)} == {t.id: Outcome.VERIFIED for t in tasks}
    expected = {t.id: Outcome.VERIFIED if t.facts["hint_free"] else Outcome.REFUTED for t in tasks}
    assert {t.id: o for t, o in zip(tasks, givens, strict=True)} == expected


def test_the_doctor_tries_a_true_and_a_false_program(any_verifier: ColdVerifier, capsys) -> None:
    name = any_verifier.toolchain.name
    assert main(["toolchain", "doctor", name]) == 0
    said = capsys.readouterr().out
    assert "a true program: verified" in said
    assert "a false program: refuted" in said
    assert any_verifier.toolchain.content_sha256 in said
    assert any_verifier.toolchain.solver_sha256 in said


def test_the_list_names_every_toolchain(capsys) -> None:
    assert main(["toolchain", "list"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("dafny-4.11.0", "dafny-4.3.0", "dafny-2.3.0"))
    assert "never run by this project" in said


def test_an_unknown_toolchain_is_a_sentence(capsys) -> None:
    assert main(["toolchain", "install", "dafny-4.11"]) == 1
    assert "did you mean dafny-4.11.0?" in capsys.readouterr().err


def test_the_command_is_installed() -> None:
    done = subprocess.run(["veriloop", "--help"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "toolchain" in done.stdout


@pytest.mark.parametrize(
    ("statement", "code", "says"),
    [("  assert y >= 0 ==> x >= 0;\n", 0, "accepted"), ("  assert y > x;\n", 1, "candidate line 5: assertion")],
)
def test_the_check_command_gives_one_verdict(
    statement: str,
    code: int,
    says: str,
    any_verifier: ColdVerifier,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = "method M(x: int) returns (y: int)\n  ensures y == x\n{\n  y := x;\n}\n"
    (tmp_path / "given.dfy").write_text(given, encoding="utf-8")
    (tmp_path / "answer.dfy").write_text(given.replace("y := x;\n", f"y := x;\n{statement}"), encoding="utf-8")
    words = ["--given", str(tmp_path / "given.dfy"), "--candidate", str(tmp_path / "answer.dfy")]
    assert main(["check", *words, "--toolchain", any_verifier.toolchain.name]) == code
    assert says in capsys.readouterr().out
