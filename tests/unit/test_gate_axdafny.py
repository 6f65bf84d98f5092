"""AxDafny's published checks as a gate: what they refuse, and what they let pass."""

import pytest
from veriloop.gate.axdafny import AxDafnyGate, clauses

GATE = AxDafnyGate()
GIVEN = """method M(n: nat) returns (i: nat)
  requires n > 0
  ensures i == n &&
    n > 0
  decreases n
{
  i := n;
}
"""


def test_a_clause_is_its_text_without_blanks_up_to_the_next_part() -> None:
    assert clauses(GIVEN) == [(2, "requiresn>0"), (3, "ensuresi==n&&n>0")]
    assert clauses("method M() ensures true\n  ensures x { }") == [(2, "ensuresx")]


@pytest.mark.parametrize(
    ("candidate", "kinds"),
    [
        (GIVEN, []),
        (GIVEN.replace("  requires", "  requires n < 9\n  requires"), []),
        (GIVEN.replace("i := n;", "i := n; assert true;"), []),
        (GIVEN.replace("requires n > 0\n", "requires n >= 0\n"), ["contract_changed"]),
        (GIVEN.replace("    n > 0\n", "    n > 0 || true\n"), ["contract_changed"]),
        (GIVEN.replace("i := n;", "assume false;"), ["assume"]),
        (GIVEN + "// never assume anything\n", ["assume"]),
        (
            GIVEN + "lemma {:axiom} L()\nmethod {:extern} K()\nlemma {:verify  false} N()\n",
            ["axiom", "extern", "verify_false"],
        ),
    ],
)
def test_it_refuses_what_the_paper_says(candidate: str, kinds: list[str]) -> None:
    assert [violation.kind for violation in GATE.check(GIVEN, candidate)] == kinds


@pytest.mark.parametrize(
    "candidate",
    [
        GIVEN.replace("i := n;", "while true decreases * {}"),
        GIVEN + "lemma {: axiom} L() ensures false\n",
        GIVEN + "lemma {:verify\nfalse} L() ensures false {}\n",
        GIVEN.replace("{\n  i := n;\n}\n", ""),
    ],
)
def test_it_lets_these_ways_around_pass(candidate: str) -> None:
    """Known faults of a text search, kept as they are for comparison."""
    assert GATE.check(GIVEN, candidate) == []


def test_it_takes_time_linear_in_the_program() -> None:
    long = GIVEN + " \n\t" * 500_000 + "requires x\n" * 20_000
    assert GATE.check(GIVEN, long) == []
