"""Nothing counts as verified that the trusted verifier has not verified."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.dafny.confirmed import ConfirmedVerifier
from veriloop.outcomes import FAULTS, Outcome, VerifierResult


@dataclass
class Says:
    """A verifier that says one thing."""

    outcome: Outcome
    path: str
    asked: list[tuple[str, int]] = field(default_factory=list)

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        self.asked.append((program, minimum_verified))
        return VerifierResult(outcome=self.outcome, path=self.path, output=f"by {self.path}", program_sha256="0")


@given(st.sampled_from(Outcome), st.sampled_from(Outcome))
def test_verified_is_what_the_trusted_one_verified(fast: Outcome, trusted: Outcome) -> None:
    first, second = Says(fast, "warm"), Says(trusted, "cold")
    found = ConfirmedVerifier(first, second).verify("p", 3)
    if found.outcome is Outcome.VERIFIED:
        assert (trusted, found.path, second.asked) == (Outcome.VERIFIED, "cold", [("p", 3)])
    assert first.asked == [("p", 0)]
    if fast in FAULTS | {Outcome.VERIFIED, Outcome.INCONCLUSIVE}:
        assert second.asked == [("p", 3)]
    else:
        assert (found.outcome, found.path, second.asked) == (fast, "warm", [])


@pytest.mark.parametrize("trusted", [Outcome.REFUTED, Outcome.MALFORMED, Outcome.TIMEOUT, Outcome.OUT_OF_RESOURCE])
def test_a_disagreement_is_a_fault_with_both_outputs(trusted: Outcome) -> None:
    found = ConfirmedVerifier(Says(Outcome.VERIFIED, "warm"), Says(trusted, "cold")).verify("p")
    assert (found.outcome, found.contradicted) == (Outcome.TOOL_FAULT, trusted)
    assert f"the warm path accepts what the cold path refuses ({trusted})" in found.explanation
    assert "by warm" in found.output
    assert "by cold" in found.output


def test_too_few_items_are_no_disagreement() -> None:
    found = ConfirmedVerifier(Says(Outcome.VERIFIED, "warm"), Says(Outcome.INCONCLUSIVE, "cold")).verify("p")
    assert (found.outcome, found.path) == (Outcome.INCONCLUSIVE, "cold")
