"""Counterexamples and single assertions from the real verifier."""

import pytest
from test_verifier import HARD
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.explain import DafnyExplainer
from veriloop.outcomes import Outcome

WRONG = """method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
{
  if a > b { m := a; } else { m := a; }
  assert m == a;
}
"""


@pytest.fixture
def standard(any_verifier: ColdVerifier) -> ColdVerifier:
    if any_verifier.toolchain.command_line != "verify":
        pytest.skip("the old command line tells neither")
    return any_verifier


def explainer(cold: ColdVerifier, *wanted: str) -> DafnyExplainer:
    return DafnyExplainer(cold.toolchain, cold.limits, wanted)


def test_a_refuted_program_gets_a_counterexample_and_the_blame(standard: ColdVerifier) -> None:
    plain = standard.verify(WRONG)
    found = explainer(standard, "counterexamples", "assertions").explain(WRONG, plain)
    (error,) = found.diagnostics
    assert "assume" in error.counterexample
    assert "initial state" in error.counterexample
    assert error.model_copy(update={"counterexample": ""}) == plain.diagnostics[0]
    states = {(one.line, one.column): one.state for one in found.assertions}
    assert states[2, 22] == "invalid", "the second half of the postcondition"
    assert states[2, 12] == "valid"
    assert states[5, 2] == "valid"
    assert found.model_copy(update={"diagnostics": plain.diagnostics, "assertions": ()}) == plain


def test_nothing_is_run_for_what_verifies_or_was_not_asked_for(standard: ColdVerifier) -> None:
    verified = standard.verify(WRONG.replace("else { m := a; }", "else { m := b; }").replace("assert m == a;", ""))
    assert verified.outcome is Outcome.VERIFIED
    assert explainer(standard, "counterexamples", "assertions").explain(WRONG, verified) is verified
    refuted = standard.verify(WRONG)
    assert explainer(standard).explain(WRONG, refuted) == refuted


def test_an_assertion_that_exhausts_the_solver_is_told_apart(standard: ColdVerifier) -> None:
    limits = standard.limits.model_copy(update={"resource": 2_000_000})
    bounded = ColdVerifier(standard.toolchain, limits)
    found = explainer(bounded, "assertions").explain(HARD, bounded.verify(HARD))
    assert "out_of_resource" in {one.state for one in found.assertions}
