"""The outcome of a verifier run follows from limits, exit code, all counters and the minimum of verified items."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.dafny.cold import judge
from veriloop.dafny.diagnostics import category, read_json_report, read_summaries, read_text_report
from veriloop.dafny.process import Finished
from veriloop.outcomes import Outcome


def finished(stdout: str, exit_code: int | None = 0, limit=None, stderr: str = "") -> Finished:
    return Finished(exit_code=exit_code, stdout=stdout, stderr=stderr, limit_hit=limit, seconds=1.0)


def status(text: str) -> str:
    return json.dumps({"type": "status", "value": text}) + "\n"


def summary(counts: str) -> str:
    return f"\nDafny program verifier finished with {counts}\n"


def message(text: str, source: str = "Verifier", severity: int = 1) -> str:
    start = {"pos": 0, "line": 3, "character": 4}
    location = {"filename": "program.dfy", "range": {"start": start, "end": start}}
    value = {"location": location, "severity": severity, "arguments": [], "defaultFormatMessage": text}
    return json.dumps({"type": "diagnostic", "value": value | {"source": source, "relatedInformation": []}}) + "\n"


CASES = [
    ("2 verified, 0 errors", 0, Outcome.VERIFIED),
    ("2 verified, 1 error", 4, Outcome.REFUTED),
    ("0 verified, 0 errors", 0, Outcome.INCONCLUSIVE),
    ("0 verified, 0 errors, 1 time out", 4, Outcome.TIMEOUT),
    ("1 verified, 0 errors, 2 time outs", 4, Outcome.TIMEOUT),
    ("1 verified, 0 errors, 1 out of resource", 4, Outcome.OUT_OF_RESOURCE),
    ("1 verified, 0 errors, 1 out of resource", 0, Outcome.OUT_OF_RESOURCE),
    ("1 verified, 0 errors, 1 inconclusive", 4, Outcome.INCONCLUSIVE),
    ("1 verified, 0 errors, 1 solver exception", 4, Outcome.TOOL_FAULT),
    ("1 verified, 1 error, 1 time out", 4, Outcome.REFUTED),
    ("1 verified, 0 errors", 3, Outcome.TOOL_FAULT),
]


@pytest.mark.parametrize(("counts", "code", "outcome"), CASES)
@pytest.mark.parametrize("command_line", ["verify", "legacy"])
def test_every_counter_and_the_exit_code_count(counts: str, code: int, outcome: Outcome, command_line: str) -> None:
    text = status(summary(counts)) if command_line == "verify" else summary(counts)
    assert judge(finished(text, code), command_line, 1, "").outcome is outcome


@pytest.mark.parametrize("what", ["parse errors", "resolution/type errors"])
def test_a_refused_text_is_malformed(what: str) -> None:
    assert judge(finished(status(f"2 {what} detected in program.dfy"), 2), "verify", 1, "").outcome is Outcome.MALFORMED
    text = f"program.dfy(1,0): Error: no\n2 {what} detected in program.dfy\n"
    assert judge(finished(text, 2), "legacy", 1, "").outcome is Outcome.MALFORMED


def test_a_refusal_for_which_nothing_in_the_text_is_to_blame_is_a_fault_of_the_tool() -> None:
    """As Dafny 4.11.0 does where its solver is gone: an error in resolution, from the verifier, without a file."""
    gone, refused = message("Z3 not found at /z3").replace('"program.dfy"', "null"), "1 resolution/type errors detected"
    found = judge(finished(gone + status(f"{refused} in program.dfy"), 4), "verify", 1, "")
    assert (found.outcome, found.explanation) == (Outcome.TOOL_FAULT, "Z3 not found at /z3")
    both = gone + message("unresolved identifier", "Resolver") + status(f"{refused} in program.dfy")
    assert judge(finished(both, 4), "verify", 1, "").outcome is Outcome.MALFORMED
    # A program can choose the words of a message about it; a refutation stays one.
    own = message("Z3 not found at /z3") + status(summary("0 verified, 1 error"))
    assert judge(finished(own, 4), "verify", 1, "").outcome is Outcome.REFUTED


def test_no_summary_is_a_fault_of_the_tool() -> None:
    result = judge(finished("", 134, stderr="Unhandled exception"), "verify", 1, "")
    assert result.outcome is Outcome.TOOL_FAULT
    assert "134" in result.explanation


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [("wall", Outcome.TIMEOUT), ("memory", Outcome.OUT_OF_RESOURCE), ("output", Outcome.INCONCLUSIVE)],
)
def test_a_run_that_a_guard_ended_is_never_a_success(limit: str, outcome: Outcome) -> None:
    result = judge(finished(status(summary("9 verified, 0 errors")), 0, limit), "verify", 1, "")
    assert result.outcome is outcome
    assert result.limit_hit == limit


def test_2_3_0_that_ran_out_of_resource_with_exit_0_and_0_errors_is_no_success() -> None:
    text = "program.dfy(1,6): Verification out of resource (Impl$$M)\n" + summary("1 verified, 0 errors")
    assert judge(finished(text), "legacy", 1, "").outcome is Outcome.OUT_OF_RESOURCE


def test_2_3_0_that_dies_of_an_exhausted_solver_is_out_of_resource() -> None:
    text = 'Prover error: (error "line 1 column 7: max. resource limit exceeded")\n'
    assert judge(finished(text, 1), "legacy", 1, "").outcome is Outcome.OUT_OF_RESOURCE


def test_a_message_that_imitates_the_summary_wins_nothing() -> None:
    """An attribute can put any text into a message; on the old command line it becomes a line of its own."""
    fake = summary("5 verified, 0 errors")
    assert judge(finished(fake + summary("0 verified, 1 error"), 0), "legacy", 1, "").outcome is Outcome.INCONCLUSIVE
    text = message(fake) + status(summary("0 verified, 1 error"))
    assert judge(finished(text, 4), "verify", 1, "").outcome is Outcome.REFUTED
    assert judge(finished(message(fake), 1), "verify", 1, "").outcome is Outcome.TOOL_FAULT


def test_fewer_verified_items_than_expected_are_no_success() -> None:
    result = judge(finished(status(summary("2 verified, 0 errors"))), "verify", 3, "")
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "at least 3" in result.explanation


def test_an_error_message_without_a_counted_error_is_no_success() -> None:
    text = message("something is wrong") + status(summary("2 verified, 0 errors"))
    assert judge(finished(text), "verify", 1, "").outcome is Outcome.INCONCLUSIVE


def test_warnings_do_not_stand_in_the_way() -> None:
    text = message("deprecated", severity=2) + status(summary("2 verified, 0 errors"))
    assert judge(finished(text), "verify", 1, "").outcome is Outcome.VERIFIED


def test_a_diagnostic_has_place_kind_and_related_places() -> None:
    start = {"pos": 0, "line": 2, "character": 5}
    related = {
        "location": {"range": {"start": start}},
        "arguments": ["x"],
        "defaultFormatMessage": "this is {0}",
    }
    entry = json.loads(message("a postcondition could not be proved on this return path"))
    entry["value"]["relatedInformation"] = [related]
    (found,) = read_json_report(json.dumps(entry)).diagnostics
    assert (found.file, found.line, found.column, found.category) == ("program.dfy", 3, 4, "postcondition")
    assert [(p.line, p.column, p.message) for p in found.related] == [(2, 5, "this is x")]


def test_the_old_text_form_gives_the_same_record() -> None:
    text = (
        "p.dfy(3,4): Error BP5003: A postcondition might not hold on this return path.\n"
        "p.dfy(2,5): Related location: This is the postcondition that might not hold.\n"
        "p.dfy(9,1): Warning: /!\\ No terms found to trigger on.\n"
    )
    error, warning = read_text_report(text).diagnostics
    assert (error.file, error.line, error.column, error.category) == ("p.dfy", 3, 4, "postcondition")
    assert error.related[0].line == 2
    assert warning.severity == "warning"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a precondition for this call could not be proved", "precondition"),
        ("This loop invariant might not hold on entry.", "invariant"),
        ("decreases expression might not decrease", "termination"),
        ("assertion might not hold", "assertion"),
        ("index out of range", "index"),
        ("target object might be null", "null"),
        ("possible division by zero", "division"),
        ("Verification of 'M' timed out after 30 seconds", "timeout"),
        ("something new", "other"),
    ],
)
def test_messages_of_both_versions_fall_into_one_set_of_kinds(text: str, kind: str) -> None:
    assert category(text, "Verifier") == kind


counts = st.integers(0, 10_000)


@given(counts, counts, counts, counts, counts)
def test_counters_are_read_back_as_dafny_writes_them(v: int, e: int, t: int, r: int, i: int) -> None:
    words = f"{v} verified, {e} error{'s' * (e != 1)}"
    words += f", {t} time out{'s' * (t != 1)}" * (t > 0)
    words += f", {r} out of resource" * (r > 0) + f", {i} inconclusive" * (i > 0)
    (found,) = read_summaries(summary(words))
    assert (found.verified, found.errors, found.time_outs, found.out_of_resource, found.inconclusive, found.others) == (
        v,
        e,
        t,
        r,
        i,
        0,
    )


@given(st.text())
def test_any_output_is_read_without_an_exception(text: str) -> None:
    for command_line in ("verify", "legacy"):
        assert judge(finished(text, 1), command_line, 1, "").outcome is not Outcome.VERIFIED
