"""Warm workers on the real server: the outcomes of the cold path, and what is left after each kind of accident."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from test_verifier import HARD, PROGRAMS
from veriloop.config.compose import read_toolchain
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.provide import find_toolchain
from veriloop.dafny.warm import vitals
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.errors import UserError
from veriloop.outcomes import Outcome, VerifierResult

TRUE, FALSE = PROGRAMS["verified"][0], PROGRAMS["refuted"][0]

MANY = "".join(f"  if a == {i} {{ assert a > 9; }}\n" for i in range(8))
MORE = {
    "an unclosed comment": (f"{TRUE}\n/* never ends", Outcome.VERIFIED),
    "the body of an iterator": (
        "iterator I() yields (y: int)\n  ensures false\n{\n  y := 1;\n  yield;\n}\n",
        Outcome.REFUTED,
    ),
    "several proofs of one method": (
        "method M(a: array<int>)\n  requires a.Length > 1 && a[0] == 1\n{\n  print a[1];\n}\n",
        Outcome.VERIFIED,
    ),
    "more errors than are shown": (f"method M(a: int) {{\n{MANY}}}\n", Outcome.REFUTED),
}
ALL = PROGRAMS | MORE


@pytest.fixture(scope="module")
def cold() -> ColdVerifier:
    config = read_toolchain("dafny-4.11.0", "test")
    found = find_toolchain(config)
    if found is None:
        pytest.skip("dafny-4.11.0 is not on this machine")
    return ColdVerifier(found, config.limits)


@pytest.fixture(scope="module")
def warm(cold: ColdVerifier) -> Iterator[WarmVerifier]:
    with WarmVerifier(cold.toolchain, cold.limits) as verifier:
        yield verifier


def limited(cold: ColdVerifier, workers: int = 1, recycle_after: int = 500, **limits: float) -> WarmVerifier:
    bounds = cold.limits.model_copy(update=limits)
    return WarmVerifier(cold.toolchain, bounds, workers=workers, recycle_after=recycle_after)


@pytest.mark.parametrize("name", ALL)
def test_an_outcome_is_what_the_program_deserves(name: str, warm: WarmVerifier) -> None:
    program, outcome = ALL[name]
    result = warm.verify(program)
    assert (result.outcome, result.path) == (outcome, "warm"), result


@pytest.mark.parametrize("name", ["does not resolve", "only warnings", "a body is missing", "unicode", *MORE])
def test_the_result_is_that_of_the_cold_path(name: str, warm: WarmVerifier, cold: ColdVerifier) -> None:
    """Each message with its place, the number of errors, and that of verified items where there is no error."""
    result, expected = warm.verify(ALL[name][0]), cold.verify(ALL[name][0])
    assert result.diagnostics == expected.diagnostics
    assert (result.outcome, result.errors, result.limit_hit) == (expected.outcome, expected.errors, expected.limit_hit)
    assert result.verified == expected.verified or expected.errors
    assert result.program_sha256 == expected.program_sha256


def test_a_refutation_has_its_place_and_kind(warm: WarmVerifier) -> None:
    result = warm.verify("method M(x: int) returns (y: int)\n  ensures y > x\n{\n  y := x;\n}\n")
    (error,) = result.diagnostics
    assert (error.category, error.file, error.line, error.column) == ("postcondition", "program.dfy", 3, 0)
    assert [(place.line, place.column) for place in error.related] == [(2, 12)]


def test_fewer_verified_items_than_expected_are_no_success(warm: WarmVerifier) -> None:
    assert warm.verify(TRUE, minimum_verified=1).outcome is Outcome.VERIFIED
    assert warm.verify(TRUE, minimum_verified=2).outcome is Outcome.INCONCLUSIVE


def test_a_program_that_is_too_long_is_not_given_to_a_server(cold: ColdVerifier) -> None:
    with limited(cold) as verifier:
        result = verifier.verify("// filler\n" * 200_000)
        assert result.outcome is Outcome.MALFORMED
        assert "limits.program_bytes" in result.diagnostics[0].message
        assert servers(verifier) == []


def test_the_resource_limit_decides(cold: ColdVerifier) -> None:
    with limited(cold, resource=2_000_000) as verifier:
        result = verifier.verify(HARD)
        assert (result.outcome, result.limit_hit, result.out_of_resource) == (Outcome.OUT_OF_RESOURCE, "resource", 1)
        assert verifier.verify(TRUE).outcome is Outcome.VERIFIED


def test_the_wall_clock_guard_ends_the_server_and_the_next_program_gets_another(cold: ColdVerifier) -> None:
    with limited(cold, resource=2_000_000_000, wall_seconds=3) as verifier:
        result = verifier.verify(HARD)
        assert (result.outcome, result.limit_hit) == (Outcome.TIMEOUT, "wall")
        assert result.wall_seconds < 6, "it was asked once"
        assert servers(verifier) == []
        assert verifier.verify(FALSE).outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    ("guard", "bound", "outcome"),
    [("memory", {"memory_mb": 64}, Outcome.OUT_OF_RESOURCE), ("output", {"output_bytes": 1024}, Outcome.INCONCLUSIVE)],
)
def test_the_other_guards_are_outcomes(guard: str, bound: dict[str, int], outcome: Outcome, cold: ColdVerifier) -> None:
    with limited(cold, **bound) as verifier:
        result = verifier.verify(TRUE)
        assert (result.outcome, result.limit_hit) == (outcome, guard)


def test_programs_asked_at_once_get_each_their_own_answer(cold: ColdVerifier) -> None:
    programs = [TRUE, FALSE, "method M( {", TRUE, FALSE, "// nothing\n"]
    expected = ["verified", "refuted", "malformed", "verified", "refuted", "inconclusive"]
    with limited(cold, workers=2) as verifier, ThreadPoolExecutor(len(programs)) as threads:
        assert [result.outcome for result in threads.map(verifier.verify, programs)] == expected
        assert len(servers(verifier)) == 2


def test_servers_are_started_when_needed_and_replaced_after_their_checks(cold: ColdVerifier) -> None:
    seen, before = [], psutil.Process().num_fds()
    with limited(cold, workers=2, recycle_after=2) as verifier:
        assert servers(verifier) == []
        for _ in range(3):
            assert verifier.verify(TRUE).outcome is Outcome.VERIFIED
            seen.append(servers(verifier))
        assert [len(found) for found in seen] == [1, 0, 1]
        assert seen[0] != seen[2]
    assert psutil.Process().num_fds() == before


def test_a_server_that_grew_too_large_is_replaced_after_its_check(cold: ColdVerifier) -> None:
    with WarmVerifier(cold.toolchain, cold.limits, recycle_mb=1) as verifier:
        assert verifier.verify(TRUE).outcome is Outcome.VERIFIED
        assert servers(verifier) == []


ACCIDENTS: dict[str, Callable[[psutil.Process, psutil.Process], None]] = {
    "server killed": lambda server, solver: server.kill(),
    "solver killed": lambda server, solver: solver.kill(),
    "server frozen": lambda server, solver: server.suspend(),
}


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_after_an_accident_the_question_is_asked_again(
    accident: str, cold: ColdVerifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server without its solver and a frozen one are noticed long before the wall clock ends."""
    monkeypatch.setattr(vitals, "STALL_SECONDS", 2.0)
    with limited(cold, resource=15_000_000) as verifier, ThreadPoolExecutor(1) as thread:
        assert verifier.verify(TRUE).outcome is Outcome.VERIFIED
        (server,) = servers(verifier)
        answer = thread.submit(verifier.verify, HARD)
        solver = busy_solver(server, answer)
        ACCIDENTS[accident](server, solver)
        result = answer.result(timeout=60)
        assert (result.outcome, result.limit_hit) == (Outcome.OUT_OF_RESOURCE, "resource"), result
        assert servers(verifier) != [server]
        assert not server.is_running()
        assert verifier.verify(FALSE).outcome is Outcome.REFUTED


def test_a_question_that_always_loses_its_server_is_a_fault(cold: ColdVerifier) -> None:
    stop = threading.Event()
    with limited(cold) as verifier, ThreadPoolExecutor(1) as thread:

        def kill_all() -> None:
            while not stop.wait(0.05):
                for server in servers(verifier):
                    server.kill()

        killer = thread.submit(kill_all)
        result = verifier.verify(TRUE)
        stop.set()
        killer.result()
        assert result.outcome is Outcome.TOOL_FAULT
        assert "the server ended" in result.explanation


def test_closing_while_a_question_is_asked_ends_it_as_a_fault(cold: ColdVerifier) -> None:
    verifier = limited(cold, resource=2_000_000_000)
    with ThreadPoolExecutor(1) as thread:
        assert verifier.verify(TRUE).outcome is Outcome.VERIFIED
        (server,) = servers(verifier)
        answer = thread.submit(verifier.verify, HARD)
        solver = busy_solver(server, answer)
        verifier.close()
        assert answer.result(timeout=10).outcome is Outcome.INFRA_FAULT
    assert gone([server, solver])
    assert verifier.verify(TRUE).outcome is Outcome.INFRA_FAULT
    verifier.close()


SCRIPT = """
import sys
from pathlib import Path
from veriloop.config.toolchain import Limits
from veriloop.dafny.toolchain import Toolchain
from veriloop.dafny.warm.pool import WarmVerifier
toolchain, limits, program = (Path(name).read_text() for name in sys.argv[1:])
verifier = WarmVerifier(Toolchain.model_validate_json(toolchain), Limits.model_validate_json(limits))
verifier.verify("method M(x: int) { assert x > 0; }")
print(*(server._process.pid for server in verifier._live), flush=True)
if program:
    verifier.verify(program)
"""


@pytest.fixture
def started(cold: ColdVerifier, tmp_path: Path) -> Iterator[Callable[[str], tuple[subprocess.Popen, psutil.Process]]]:
    """Starts another interpreter that asks a first program and then another one; gives it and its server."""
    made = []

    def start(program: str) -> tuple[subprocess.Popen, psutil.Process]:
        limits = cold.limits.model_copy(update={"resource": 2_000_000_000})
        texts = {"toolchain": cold.toolchain.model_dump_json(), "limits": limits.model_dump_json(), "program": program}
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", SCRIPT, *(str(tmp_path / name) for name in texts)]
        made.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert made[-1].stdout is not None
        return made[-1], psutil.Process(int(made[-1].stdout.readline()))

    yield start
    for process in made:
        process.kill()
        process.communicate()


def test_nothing_is_left_10_seconds_after_a_kill_in_the_middle_of_a_proof(started) -> None:
    """A solver that is at work notices neither the end of its server nor that of its standard input."""
    process, server = started(HARD)
    solver = busy_solver(server)
    os.kill(process.pid, signal.SIGKILL)
    assert gone([server, solver])


def test_the_end_of_the_interpreter_closes_what_was_not_closed(started) -> None:
    process, server = started("")
    assert process.wait(timeout=20) == 0
    assert gone([server])


def test_a_toolchain_that_vanished_is_a_fault_of_the_machine(cold: ColdVerifier) -> None:
    missing = cold.toolchain.model_copy(update={"command": ("/no/such/dafny",)})
    with WarmVerifier(missing, cold.limits) as verifier:
        result = verifier.verify(TRUE)
        assert result.outcome is Outcome.INFRA_FAULT
        assert "/no/such/dafny" in result.explanation


def test_a_solver_that_vanished_is_no_fault_of_the_program(cold: ColdVerifier) -> None:
    """Dafny calls it an error in resolution."""
    missing = cold.toolchain.model_copy(update={"solver_path": "/no/such/z3-4.12.1"})
    with WarmVerifier(missing, cold.limits) as verifier:
        for result in (verifier.verify(TRUE), ColdVerifier(missing, cold.limits).verify(TRUE)):
            assert result.outcome is Outcome.TOOL_FAULT
            assert "Z3 not found at /no/such/z3-4.12.1" in result.explanation
        assert ColdVerifier(missing, cold.limits).verify("method M( {").outcome is Outcome.MALFORMED
        assert verifier.verify("method M( {").outcome is Outcome.MALFORMED


def test_a_server_of_another_version_is_a_sentence(cold: ColdVerifier) -> None:
    other = cold.toolchain.model_copy(update={"version": "4.10.0+abc"})
    with WarmVerifier(other, cold.limits) as verifier:
        with pytest.raises(UserError, match=r"reports version 4\.11\.0\.0, but the toolchain is 4.10.0.abc; reinstall"):
            verifier.verify(TRUE)
        assert servers(verifier) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"command_line": "legacy"}, "has no language server"),
        ({"workers": 0}, "workers is 0, but must be at least 1"),
        ({"recycle_after": -1}, "recycle_after is -1"),
    ],
)
def test_what_cannot_work_is_said_at_once(change: dict[str, object], says: str, cold: ColdVerifier) -> None:
    toolchain = cold.toolchain.model_copy(update={k: v for k, v in change.items() if k == "command_line"})
    numbers = {k: v for k, v in change.items() if k != "command_line"}
    with pytest.raises(UserError, match=says):
        WarmVerifier(toolchain, cold.limits, **numbers)


def servers(verifier: WarmVerifier) -> list[psutil.Process]:
    """The servers of a pool that are alive now."""
    found = []
    for server in list(verifier._live):
        try:
            found.append(psutil.Process(server._process.pid))
        except psutil.NoSuchProcess:
            continue
    return found


def busy_solver(server: psutil.Process, answer: Future[VerifierResult] | None = None) -> psutil.Process:
    """Wait until a solver of the server is in the middle of its work."""
    used: dict[int, float] = {}
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert answer is None or not answer.done(), answer.result()
        for child in server.children(recursive=True):
            seconds = child.cpu_times().user
            if seconds > used.setdefault(child.pid, seconds) + 0.2:
                return child
        time.sleep(0.02)
    raise AssertionError("no solver was at work")


def gone(processes: list[psutil.Process]) -> bool:
    """Whether all are gone within 10 seconds; a dead one that nobody waited for does not count."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes):
            return True
        time.sleep(0.1)
    return False
