"""Acceptance on real Dafny: what each check finds, and that proofs alone are never refused."""

import pytest
from veriloop.acceptance import Acceptance
from veriloop.acceptance.minimum import minimum_verified
from veriloop.attempts import Check
from veriloop.config.toolchain import CheckName
from veriloop.dafny.cold import ColdVerifier
from veriloop.outcomes import Outcome

GIVEN = """method Count(n: nat) returns (i: nat)
  requires n > 3
  ensures i == n
{
  i := 0;
  while i < n
    invariant i <= n
  {
    i := i + 1;
  }
  assume {:axiom} i > 1;
  expect i > 2;
}
"""
GHOST = (
    "module Notes {\n  lemma Note() ensures true {}\n}\n"
    "lemma Helper(x: int) ensures x * x >= 0 {}\nghost function Twice(x: int): int { x + x }\n"
    + GIVEN.replace(
        "  i := 0;\n",
        "  ghost var g := 0;\n  ghost var k :| k in {1, 2};\n  Helper(k);\n  calc { 1; 2 - 1; }\n"
        "  forall x: int ensures x == x {}\n  i := 0;\n",
    ).replace("invariant i <= n\n", "invariant i <= n\n    invariant g == 0\n    decreases n - i\n")
)
CANDIDATES: dict[str, tuple[CheckName, str, str, str]] = {
    "ghost code": ("assumptions", GHOST, "passed", ""),
    "ghost code leaves no trace": ("translation", GHOST, "passed", ""),
    "an assume": (
        "assumptions",
        GIVEN.replace("i := 0;", "i := 0; assume {:axiom} i > 3;"),
        "failed",
        "New in Count",
    ),
    "an axiom": ("assumptions", GIVEN + "lemma False() ensures false\n", "failed", "New in False: Ghost declaration"),
    "another body": ("translation", GIVEN.replace("i := i + 1", "i := 1 + i"), "failed", "The code of module_"),
    "code that is no code": ("translation", GIVEN + "method M() { var x := y; }\n", "failed", "unresolved"),
    "requirements that can be met": ("vacuity", GIVEN, "passed", ""),
    "requirements that cannot be met": (
        "vacuity",
        GIVEN.replace("n > 3", "n > 3 && n < 2") + "function F(x: int): int requires x > x { 1 }\n",
        "failed",
        "requirements of F",
    ),
}


@pytest.fixture(scope="module")
def verifier(any_verifier: ColdVerifier) -> ColdVerifier:
    if any_verifier.toolchain.command_line != "verify":
        pytest.skip("no toolchain with the new command line on this machine")
    return any_verifier


@pytest.fixture(scope="module")
def acceptances(verifier: ColdVerifier) -> dict[CheckName, Acceptance]:
    names: tuple[CheckName, ...] = ("assumptions", "translation", "vacuity")
    return {name: Acceptance(verifier.toolchain, verifier.limits, (name,)) for name in names}


@pytest.mark.parametrize("name", CANDIDATES)
def test_a_check_says_what_the_candidate_deserves(name: str, acceptances: dict[CheckName, Acceptance]) -> None:
    check, candidate, state, words = CANDIDATES[name]
    (found,) = acceptances[check].check(GIVEN, candidate, code_frozen=True)
    assert (found.name, found.state) == (check, state), found
    assert words in found.explanation


def test_an_empty_postcondition_is_found_even_without_requirements(acceptances: dict[CheckName, Acceptance]) -> None:
    program = "lemma {:axiom} No() ensures false\nlemma L(x: int)\n  ensures x == 3\n{\n  No();\n}\n"
    (found,) = acceptances["vacuity"].check(program, program, code_frozen=True)
    assert found == Check(
        name="vacuity",
        state="failed",
        explanation="Line 3: the postcondition is proved from contradictory assumptions.",
    )


def test_a_proof_by_contradiction_is_not_vacuous(acceptances: dict[CheckName, Acceptance]) -> None:
    program = "lemma L(x: int) requires x > 0 ensures x > -1 { if x <= -1 { assert x > 0; assert false; } }\n"
    (found,) = acceptances["vacuity"].check(program, program, code_frozen=True)
    assert found.state == "passed"


@pytest.mark.parametrize(
    ("check", "given", "says"),
    [
        ("assumptions", "method M( {", "cannot be audited: line 1"),
        ("translation", "function F(x: int): int\n", "no body"),
    ],
)
def test_a_given_program_that_the_tool_refuses_is_not_the_candidates_fault(
    check: CheckName, given: str, says: str, acceptances: dict[CheckName, Acceptance]
) -> None:
    (found,) = acceptances[check].check(given, GIVEN, code_frozen=True)
    assert found.state == "not_applicable"
    assert says in found.explanation


def test_dafny_counts_what_the_minimum_says(verifier: ColdVerifier) -> None:
    """Here each item is sure, so that the two are equal; elsewhere Dafny counts more."""
    program = """
type Small = x: int | x < 9 witness 3
iterator It() {}
codatatype Stream = Cons(head: int, tail: Stream)
function Up(n: int): Stream { Cons(n, Up(n + 1)) }
least predicate Even(n: int) { n == 0 || Even(n - 2) }
function Plain(x: int): int { x }
function Proved(x: int): (r: int) ensures r == x { x }
lemma {:verify false} Not() ensures false {}
lemma True() ensures true {}
method Empty() {}
method Forever() decreases * { while true decreases * {} }
method Loop() { for i := 0 to 3 {} }
method Index(s: seq<int>) returns (x: int) requires |s| > 0 && s[0] > 1 { x := 1; }
module M { abstract module N { class C { constructor () ensures true {} } } }
"""
    result = verifier.verify(program)
    assert (result.outcome, result.verified) == (Outcome.VERIFIED, minimum_verified(program)), result
