"""Warm workers without a server: from messages to results, and from bytes to messages."""

import copy
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.config.toolchain import Limits
from veriloop.dafny.guard import Guard
from veriloop.dafny.process import Vitals
from veriloop.dafny.toolchain import Toolchain
from veriloop.dafny.warm import worker
from veriloop.dafny.warm.framing import FramingError, Message, TooLongError, Unframer, encode
from veriloop.dafny.warm.messages import LATE_SECONDS, SHARED_SECONDS, Counting, Reading, proofs
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.dafny.warm.vitals import STALL_SECONDS, Watch
from veriloop.dafny.warm.worker import is_version
from veriloop.errors import UserError
from veriloop.outcomes import Diagnostic, Outcome, Place, VerifierResult

URI = "file:///veriloop/7/program.dfy"
STALE, QUEUED, RUNNING, ERROR, CORRECT = 0, 1, 2, 4, 5


def place(line: int, column: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 1}}


def message(method: str, **params: object) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": {"uri": URI, "version": 1} | params}


def status(name: str) -> Message:
    return message("dafny/compilation/status", status=name, message=None)


def symbols(*states: int) -> Message:
    """The states of symbols, of which each has a line of its own."""
    named = [{"nameRange": place(line, 7), "status": state} for line, state in enumerate(states)]
    return message("dafny/textDocument/symbolStatus", namedVerifiables=named)


def said(text: str, severity: int = 1, source: str | None = "Verifier", **more: object) -> dict[str, Any]:
    found = {"range": place(0, 48), "severity": severity, "code": 0, "message": text, "relatedInformation": []}
    return found | ({} if source is None else {"source": source}) | more


def diagnostics(*found: dict[str, Any]) -> Message:
    return message("textDocument/publishDiagnostics", diagnostics=list(found))


def telemetry() -> Message:
    payload = {"time": 2.2, "activity": "ModuleResolution", "resource": "_module"}
    return {"jsonrpc": "2.0", "method": "telemetry/event", "params": {"payload": payload, "kind": 4}}


POSTCONDITION = said(
    "a postcondition could not be proved on this return path",
    relatedInformation=[
        {
            "location": {"uri": URI, "range": place(0, 44)},
            "message": "this is the postcondition that could not be proved",
        }
    ],
)
SYNTAX = said("closeparen expected", source="Parser", code="p_generic_syntax_error")
HINT = said("auto-accumulator tail recursive", severity=4, source="Resolver", code="")
AXIOM = said("This ensures clause is part of a bodyless method. Add the {:axiom} attribute", severity=2, code="")
LIMIT_HIT = said("Verification hit error limit so not all errors may be shown", severity=2, code="errorLimitHit")
INTERNAL = said("Dafny encountered an internal error.\nSystem.ArgumentException: Boogie", source=None)
del INTERNAL["code"], LIMIT_HIT["relatedInformation"]

START = [telemetry(), status("ResolutionStarted"), telemetry()]
RESOLVED = status("ResolutionSucceeded")

RECORDED: dict[str, tuple[list[Message], Outcome]] = {
    "verified": (
        [*START, symbols(STALE), RESOLVED, symbols(QUEUED), symbols(RUNNING), symbols(CORRECT)],
        Outcome.VERIFIED,
    ),
    "the last states before the status": (
        [*START, symbols(QUEUED), symbols(RUNNING), symbols(CORRECT), RESOLVED],
        Outcome.VERIFIED,
    ),
    "refuted": (
        [*START, symbols(QUEUED), RESOLVED, symbols(RUNNING), diagnostics(POSTCONDITION), symbols(ERROR)],
        Outcome.REFUTED,
    ),
    "one of two refuted": (
        [
            *START,
            symbols(STALE, STALE),
            RESOLVED,
            symbols(RUNNING, QUEUED),
            diagnostics(POSTCONDITION),
            symbols(ERROR, QUEUED),
            symbols(ERROR, RUNNING),
            symbols(ERROR, CORRECT),
        ],
        Outcome.REFUTED,
    ),
    "does not parse": ([telemetry(), diagnostics(SYNTAX), status("ParsingFailed")], Outcome.MALFORMED),
    "does not resolve": (
        [*START, diagnostics(said("RHS not assignable", source="Resolver")), status("ResolutionFailed")],
        Outcome.MALFORMED,
    ),
    "nothing to verify": ([*START, RESOLVED], Outcome.INCONCLUSIVE),
    "nothing to prove": ([*START, symbols(STALE), RESOLVED, symbols(QUEUED), symbols(CORRECT)], Outcome.INCONCLUSIVE),
    "a body is missing": (
        [*START, diagnostics(AXIOM), symbols(STALE), RESOLVED, symbols(QUEUED), symbols(CORRECT)],
        Outcome.INCONCLUSIVE,
    ),
    "out of resource": (
        [
            *START,
            symbols(QUEUED),
            RESOLVED,
            symbols(RUNNING),
            diagnostics(said("Verification out of resource (Polynomials)")),
            symbols(ERROR),
        ],
        Outcome.OUT_OF_RESOURCE,
    ),
    "an error and out of resource": (
        [
            *START,
            symbols(QUEUED, QUEUED),
            RESOLVED,
            diagnostics(POSTCONDITION),
            symbols(ERROR, RUNNING),
            diagnostics(POSTCONDITION, said("Verification out of resource (N)")),
            symbols(ERROR, ERROR),
        ],
        Outcome.REFUTED,
    ),
    "an internal error": (
        [
            *START,
            diagnostics(HINT),
            symbols(QUEUED, STALE),
            RESOLVED,
            diagnostics(HINT, INTERNAL),
            status("InternalException"),
            diagnostics(HINT, INTERNAL, INTERNAL),
        ],
        Outcome.TOOL_FAULT,
    ),
    "an exception in one proof": (
        [*START, symbols(QUEUED), RESOLVED, diagnostics(INTERNAL), symbols(ERROR)],
        Outcome.TOOL_FAULT,
    ),
    "a failure without a message": ([*START, RESOLVED, symbols(RUNNING), symbols(ERROR)], Outcome.INCONCLUSIVE),
}
"""Recorded from Dafny 4.11.0, shortened; the last two and the one with two kinds of errors are made up."""


def read(messages: Iterable[Message], program: str = "method M() {}") -> Reading:
    reading = Reading(program, URI, 1)
    for each in messages:
        reading.take(each)
    return reading


def result(messages: Iterable[Message], minimum: int = 1) -> VerifierResult:
    return read(messages).result(minimum, "0" * 64)


@pytest.mark.parametrize("name", RECORDED)
def test_an_answer_has_its_outcome(name: str) -> None:
    messages, outcome = RECORDED[name]
    found = result(messages)
    assert (found.outcome, found.path) == (outcome, "warm")


@pytest.mark.parametrize("name", RECORDED)
def test_no_beginning_of_an_answer_is_complete(name: str) -> None:
    """Where it might be, it must be quiet for a while first."""
    messages, _ = RECORDED[name]
    needed = max(i for i, each in enumerate(messages) if each["method"] != "textDocument/publishDiagnostics")
    assert all(read(messages[:length]).rest() in (None, LATE_SECONDS) for length in range(needed))
    assert read(messages).rest() is not None


def test_only_what_may_lack_something_must_be_quiet() -> None:
    slow = {name for name, (messages, _) in RECORDED.items() if read(messages).rest() != 0.0}
    assert slow == {"nothing to verify", "a failure without a message"}


def test_a_symbol_that_two_things_share_may_not_be_in_its_last_state() -> None:
    """Of an iterator the server says that it is correct before it looks at its body."""
    early = [*START, symbols(STALE), RESOLVED, symbols(QUEUED), symbols(CORRECT)]
    reading = read(early, "iterator I() yields (y: int) ensures false { yield; }")
    assert reading.rest() == SHARED_SECONDS
    reading.take(symbols(QUEUED))
    assert reading.rest() is None
    for each in (symbols(RUNNING), diagnostics(POSTCONDITION), symbols(ERROR)):
        reading.take(each)
    assert reading.result(1, "0" * 64).outcome is Outcome.REFUTED


def test_an_error_that_a_later_list_lacks_still_counts() -> None:
    messages = [*START, RESOLVED, diagnostics(POSTCONDITION), symbols(ERROR), diagnostics(), symbols(CORRECT)]
    assert result(messages).outcome is Outcome.REFUTED


def test_a_message_is_the_record_of_the_cold_path() -> None:
    (found,) = result(RECORDED["refuted"][0]).diagnostics
    assert found == Diagnostic(
        severity="error",
        category="postcondition",
        message="a postcondition could not be proved on this return path",
        file="program.dfy",
        line=1,
        column=48,
        related=(Place(line=1, column=44, message="this is the postcondition that could not be proved"),),
    )


def test_what_only_an_editor_shows_is_no_record() -> None:
    messages = [*START, RESOLVED, diagnostics(HINT, AXIOM, POSTCONDITION, LIMIT_HIT), symbols(ERROR)]
    found = result(messages)
    assert [(d.severity, d.category) for d in found.diagnostics] == [("warning", "other"), ("error", "postcondition")]
    assert found.errors == 1


def test_words_of_the_program_are_no_message_of_the_server() -> None:
    """A program can choose the message of an assertion; that makes it no better."""
    error = said("the Verification out of resource (M)")
    messages = [*START, symbols(QUEUED), RESOLVED, diagnostics(error), symbols(ERROR)]
    assert result(messages).outcome is Outcome.REFUTED


def test_symbols_that_ran_are_counted_and_their_proofs_where_they_are_told() -> None:
    messages = [*START, RESOLVED, symbols(RUNNING, QUEUED, QUEUED), symbols(CORRECT, CORRECT, RUNNING)]
    reading = read([*messages, symbols(CORRECT, CORRECT, CORRECT)])
    assert reading.proved() == [(0, 7), (2, 7)]
    assert reading.result(1, "0" * 64).verified == 2
    reading.count(5)
    assert reading.result(5, "0" * 64).outcome is Outcome.VERIFIED
    few = reading.result(6, "0" * 64)
    assert (few.outcome, few.explanation) == (Outcome.INCONCLUSIVE, "5 verified items, at least 6 expected")


@pytest.mark.parametrize("name", [name for name, (_, outcome) in RECORDED.items() if outcome is not Outcome.VERIFIED])
def test_no_proofs_are_asked_for_where_something_is_against_the_program(name: str) -> None:
    assert read(RECORDED[name][0]).proved() == []


OF_TWO = """**Verification performance metrics for method `M`**:

- Total resource usage: 116K RU
- Most costly [assertion batches](https://dafny-lang.github.io/dafny/DafnyRef/DafnyRef#sec-assertion-batches):
  - #1/2 with 21 assertions at line 3,  107K RU
  - #2/2 with  3 assertions at line 4, 9.75K RU
```dafny
method M(a: seq<bv32>)
```"""


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (OF_TWO, 2),
        ("- Only one [assertion batch](https://dafny.org) containing 2 assertions.\n```dafny\nmethod M()\n```", 1),
        ("```dafny\n  - #1/9 with \n```", 1),
        ("", 1),
    ],
)
def test_the_proofs_of_a_symbol_are_read_from_what_an_editor_shows(words: str, count: int) -> None:
    assert proofs({"contents": {"kind": "markdown", "value": words}}) == count
    assert proofs(None) == 1


def test_counting_waits_for_every_answer_and_for_nothing_else() -> None:
    counting = Counting([2, 3])
    assert not counting.take({"id": 9, "result": None})
    assert not counting.take({"id": 2, "method": "workspace/configuration"})
    assert counting.take({"id": 3, "result": {"contents": {"value": OF_TWO}}})
    assert counting.rest() is None
    assert counting.take({"id": 2, "error": {"code": 1, "message": "no"}})
    assert (counting.rest(), counting.proofs) == (0.0, 3)
    assert Counting([]).rest() == 0.0


def elsewhere(each: Message, uri: str, version: int | None) -> Message:
    moved = copy.deepcopy(each)
    if "uri" in moved["params"]:
        moved["params"] |= {"uri": uri, "version": version}
    return moved


@given(data=st.data())
def test_messages_about_other_documents_and_versions_change_nothing(data: st.DataObject) -> None:
    """Two answers come in any interleaving: a document that was closed goes on for a while."""
    messages, outcome = RECORDED[data.draw(st.sampled_from(sorted(RECORDED)))]
    foreign, _ = RECORDED[data.draw(st.sampled_from(sorted(RECORDED)))]
    uri, version = data.draw(st.sampled_from([(URI.replace("7", "6"), 1), (URI, 2), (URI, None)]))
    mixed = [(each, True) for each in messages]
    for each in foreign:
        mixed.insert(data.draw(st.integers(0, len(mixed))), (elsewhere(each, uri, version), False))
    reading = Reading("", URI, 1)
    for each, _ in mixed:
        reading.take(each)
    assert reading.result(1, "0" * 64) == result(messages)
    assert reading.result(1, "0" * 64).outcome is outcome


@given(name=st.sampled_from(sorted(RECORDED)), data=st.data())
def test_the_status_may_come_at_any_time_after_the_start(name: str, data: st.DataObject) -> None:
    messages, outcome = RECORDED[name]
    if RESOLVED not in messages or outcome is Outcome.TOOL_FAULT:
        return
    others = [each for each in messages if each is not RESOLVED]
    others.insert(data.draw(st.integers(len(START), len(others))), RESOLVED)
    assert result(others).outcome is outcome


@pytest.mark.parametrize(
    "broken",
    [
        message("dafny/compilation/status"),
        message("dafny/textDocument/symbolStatus", namedVerifiables=[{"status": 5}]),
        symbols(17),
        message("textDocument/publishDiagnostics", diagnostics=[{"message": "no range"}]),
        message("textDocument/publishDiagnostics", diagnostics=None),
    ],
)
def test_a_message_that_is_not_understood_is_an_error(broken: Message) -> None:
    """The worker makes a fault of it."""
    with pytest.raises((KeyError, TypeError, ValueError, ExceptionGroup)):
        read([broken])


@given(
    messages=st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5),
    cuts=st.lists(st.integers(1, 40), min_size=1),
)
def test_a_stream_in_any_pieces_gives_its_messages(messages: list[Message], cuts: list[int]) -> None:
    stream = b"".join(encode(each) for each in messages)
    unframer, found = Unframer(10_000), []
    for size in cuts * (len(stream) + 1):
        piece, stream = stream[:size], stream[size:]
        found += unframer.feed(piece)
    assert [each for each, _ in found] == messages
    assert all(size == len(json.dumps(each)) for each, size in found)


@pytest.mark.parametrize(
    "stream",
    [
        b"Content-Type: x\r\n\r\n{}",
        b"Unhandled exception. " * 100,
        b"Content-Length: 3\r\n\r\n{1}",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 2\r\n\r\n\xff\xff",
    ],
)
def test_what_is_no_message_is_an_error(stream: bytes) -> None:
    with pytest.raises(FramingError):
        Unframer(1000).feed(stream)


def test_a_message_that_is_too_long_is_refused_by_its_header() -> None:
    with pytest.raises(TooLongError, match="1,001 bytes"):
        Unframer(1000).feed(b"Content-Length: 1001\r\nContent-Type: utf-8\r\n\r\n")


def test_a_header_may_have_other_fields() -> None:
    assert Unframer(1000).feed(b"Content-Type: utf-8\r\ncontent-length: 2\r\n\r\n{}") == [({}, 2)]


@pytest.mark.parametrize(
    ("said", "wanted", "same"),
    [
        ("4.11.0.0", "4.11.0+fcb2042d6d043a2634f0854338c08feeaaaf4ae2", True),
        ("4.11.0.0", "4.11.0", True),
        ("4.11.1.0", "4.11.0+fcb2042d", False),
        ("4.1.0.0", "4.11.0", False),
        ("", "4.11.0", False),
    ],
)
def test_the_version_of_a_server_is_compared_in_three_parts(said: str, wanted: str, same: bool) -> None:
    assert is_version(said, wanted) is same


def looks(*seen: tuple[float, float, bool]) -> list[bool]:
    """Whether a server is called stalled at each of some looks: seconds, CPU seconds, whether a solver is at work."""
    watch = Watch(0.0)
    return [watch.is_stalled(now, Vitals(100.0, used, solving)) for now, used, solving in seen]


def test_a_server_is_stalled_when_neither_it_nor_a_solver_does_anything() -> None:
    late = STALL_SECONDS + 1
    assert looks((late, 0.01 * late, False)) == [True]
    assert looks((late, 0.01, True), (2 * late - 2, 0.02, False), (2 * late + 1, 0.3, False)) == [False, False, True]
    assert looks((1, 5.0, False), (late, 5.1, False), (late + 1, 5.2, False)) == [False, False, True]
    busy = [(float(second), second * 0.5, False) for second in range(100)]
    assert not any(looks(*busy))


def fake(script: str, **limits: float) -> WarmVerifier:
    """A pool whose servers are a script of Python."""
    bounds = {"resource": 1, "wall_seconds": 20, "memory_mb": 1000, "output_bytes": 100_000, "program_bytes": 100_000}
    toolchain = Toolchain(
        name="fake",
        version="4.11.0",
        solver="none",
        command_line="verify",
        command=(sys.executable, "-c", script),
        env={},
        solver_path="/none",
        origin="mirror",
        content_sha256="0",
        solver_sha256="0",
    )
    return WarmVerifier(toolchain, Limits.model_validate(bounds | limits))


def printed(*messages: Message) -> str:
    stream = b"".join(encode(each) for each in messages)
    return f"import sys, time; out = sys.stdout.buffer; out.write({stream!r}); out.flush()\n"


HELLO = printed({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"version": "4.11.0.0"}}})
FIRST = "file:///veriloop/1/program.dfy"
REFUSAL = printed(*(elsewhere(each, FIRST, 1) for each in (status("ParsingFailed"), diagnostics(SYNTAX))))
FAKES = {
    "ends": ("raise SystemExit(3)", Outcome.TOOL_FAULT, "exit code"),
    "says why it ends": ("raise SystemExit('no runtime')", Outcome.TOOL_FAULT, "no runtime"),
    "closes its output": ("import os, time; os.close(1); time.sleep(60)", Outcome.TOOL_FAULT, "closed its output"),
    "says nothing": ("import time; time.sleep(60)", Outcome.TOOL_FAULT, "no complete answer after 4 s"),
    "says no message": ("import time; print('x' * 2000, flush=True); time.sleep(60)", Outcome.TOOL_FAULT, "protocol"),
    "greets in another way": (printed({"id": 1, "result": None}) + "time.sleep(60)", Outcome.TOOL_FAULT, "understood"),
    "parameters of other kinds": (
        HELLO + printed({"method": "a"}, {"method": "b", "params": None}, {"method": "c", "params": [1]}),
        Outcome.TOOL_FAULT,
        "the server ended",
    ),
    "prints for ever": (
        HELLO + printed({"method": "x", "params": {}}) + "while True: out.write(b'Content-Length: 2\\r\\n\\r\\n{}')",
        Outcome.INCONCLUSIVE,
        "more than the output bound",
    ),
    "announces 200 MB": (
        HELLO + "out.write(b'Content-Length: 200000000\\r\\n\\r\\n'); out.flush(); time.sleep(60)",
        Outcome.INCONCLUSIVE,
        "200,000,000 bytes",
    ),
    "writes on and on to its standard error": (
        HELLO + "while True: sys.stderr.write('x' * 1000)",
        Outcome.TIMEOUT,
        "no complete answer after 1 s",
    ),
    # What came together with the greeting would be no answer to what is asked after it.
    "answers": (HELLO + "time.sleep(1)\n" + REFUSAL + "time.sleep(60)", Outcome.MALFORMED, ""),
}


@pytest.mark.parametrize("name", FAKES)
def test_a_server_that_does_what_it_likes_is_an_outcome_and_leaves_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, outcome, why = FAKES[name]
    # Time enough for an interpreter to start on a busy machine.
    monkeypatch.setattr(worker, "START_SECONDS", 4.0)
    mine = psutil.Process()
    before = mine.num_fds(), mine.children(recursive=True)
    # More than a pipe holds: none of them reads its standard input.
    program = "// filler\n" * 9000
    with fake(script, wall_seconds=1 if outcome is Outcome.TIMEOUT else 10) as verifier:
        found = verifier.verify(program)
    assert (found.outcome, found.path) == (outcome, "warm"), found
    assert why in found.explanation
    assert (mine.num_fds(), mine.children(recursive=True)) == before


def test_a_server_of_another_version_is_a_sentence_and_leaves_nothing() -> None:
    mine = psutil.Process()
    before = mine.num_fds(), mine.children(recursive=True)
    with fake(HELLO.replace("4.11.0.0", "4.12.0.0") + "time.sleep(60)") as verifier:
        with pytest.raises(UserError, match=r"reports version 4\.12\.0\.0, but the toolchain is 4\.11\.0; reinstall"):
            verifier.verify("method M() {}")
        assert (mine.num_fds(), mine.children(recursive=True)) == before


GUARDED = """
import subprocess, time
from veriloop.dafny.guard import Guard
guard = Guard()
child = subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True)
guard.watch(child.pid)
print(child.pid, guard._process.pid, flush=True)
time.sleep(60)
"""


def test_the_guard_ends_a_group_and_itself_when_its_starter_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", GUARDED], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        first, guard = (psutil.Process(int(pid)) for pid in starter.stdout.readline().split())
        while not first.children():
            time.sleep(0.01)
        watched = [first, *first.children(), guard]
        assert len(watched) == 3
        starter.kill()
    psutil.wait_procs(watched, timeout=10)
    assert [p for p in watched if p.is_running() and p.status() != psutil.STATUS_ZOMBIE] == []


def test_a_guard_that_is_dismissed_kills_nothing() -> None:
    guard = Guard()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
        guard.watch(child.pid)
        guard.dismiss()
        guard.dismiss()
        time.sleep(0.2)
        assert child.poll() is None
        child.kill()
