"""What Dafny says about a refuted program beyond its messages, read from outputs as it writes them."""

import json

import pytest
from veriloop.dafny.explain import read_assertions, with_counterexamples
from veriloop.outcomes import Diagnostic

FAILED = Diagnostic(
    severity="error", category="postcondition", message="a postcondition", file="p.dfy", line=3, column=0
)
OTHER = FAILED.model_copy(update={"line": 10})


def said(message: str, line: int) -> str:
    start = {"line": line, "character": 0}
    value = {"location": {"filename": "p.dfy", "range": {"start": start}}, "severity": 1, "source": "Verifier"}
    return json.dumps({"type": "diagnostic", "value": value | {"defaultFormatMessage": message}})


EXAMPLE = (
    "a postcondition\nRelated counterexample:\n"
    "WARNING: the following counterexample may be inconsistent or invalid. See dafny.org/dafny/DafnyRef/DafnyRef\n"
    "p.dfy(3,0): initial state:\nassume 0 == a && 1 == b;\n"
)


def test_a_counterexample_goes_to_the_message_that_it_is_of() -> None:
    first, second = with_counterexamples((FAILED, OTHER), f"{said(EXAMPLE, 10)}\n{said('a postcondition', 3)}\n")
    assert (first, first.counterexample) == (FAILED, "")
    assert second.counterexample == "p.dfy(3,0): initial state:\nassume 0 == a && 1 == b;"


@pytest.mark.parametrize("output", ["", "no JSON", said(EXAMPLE, 99), said("another message", 3)])
def test_without_one_the_messages_stay_as_they_are(output: str) -> None:
    assert with_counterexamples((FAILED, OTHER), output) == (FAILED, OTHER)


def batch(outcome: str, *lines: int) -> dict[str, object]:
    places = [{"filename": "p.dfy", "line": line, "col": 3, "description": f"holds {line}"} for line in lines]
    return {"vcNum": 1, "outcome": outcome, "resourceCount": 10 * lines[0], "assertions": places}


def test_assertions_are_read_with_their_places_states_and_costs() -> None:
    results = [
        {"name": "M", "vcResults": [batch("Valid", 5), batch("Invalid", 2)]},
        {"name": "N", "vcResults": [batch("OutOfResource", 7), batch("TimeOut", 8), batch("Undetermined", 9)]},
    ]
    found = read_assertions(json.dumps({"verificationResults": results}))
    assert [(a.line, a.column, a.state, a.resource) for a in found] == [
        (2, 2, "invalid", 20),
        (5, 2, "valid", 50),
        (7, 2, "out_of_resource", 70),
        (8, 2, "timeout", 80),
        (9, 2, "undetermined", 90),
    ]
    assert found[0].description == "holds 2"


@pytest.mark.parametrize("log", ["", "{", "[]", "{}", '{"verificationResults": [{}]}', '{"verificationResults": 3}'])
def test_a_log_that_is_none_gives_no_assertions(log: str) -> None:
    assert read_assertions(log) == ()
