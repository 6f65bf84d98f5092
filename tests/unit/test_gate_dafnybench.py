"""The published rule with its faults: each fault that is named is held here, so that nobody mends it by accident."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.gate.dafnybench import Options, make

GIVEN = """predicate P(x: int) { x > 3 }
method M(x: int) returns (y: int)
  requires x > 0
  ensures y > x ==>
    P(y)
{
  y := x + 1;
}
"""
GATE = make(Options())


def kinds(candidate: str, program: str = GIVEN) -> list[str]:
    return [violation.kind for violation in GATE.check(program, candidate)]


def test_the_given_program_and_added_hints_pass() -> None:
    assert kinds(GIVEN) == []
    assert kinds(GIVEN.replace("  y := x", "  assert x > 0;\n  y := x")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("requires x > 0", "requires x > 1"), ("  requires x > 0\n", ""), ("{\n", "  ensures true\n{\n")],
)
def test_a_changed_contract_line_is_named_with_both_places(old: str, new: str) -> None:
    (violation,) = GATE.check(GIVEN, GIVEN.replace(old, new))
    assert violation.kind == "contract_changed"
    assert not violation.cheating
    assert violation.given_line or violation.candidate_line
    assert "leave requires and ensures" in violation.sentence


@pytest.mark.parametrize(("text", "kind"), [("{:verify false}", "verify_false"), ("assume false", "assume_false")])
def test_the_two_banned_spellings_are_cheating(text: str, kind: str) -> None:
    (violation,) = GATE.check(GIVEN, GIVEN.replace("  y := x", f"  {text};\n  y := x"))
    assert (violation.kind, violation.cheating, violation.candidate_line) == (kind, True, 7)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    P(y)", "    true"),
        ("{ x > 3 }", "{ true }"),
        ("y := x + 1", "y := x + 1; assume 1 == 2"),
        ("y := x + 1", "assume  false; y := x + 1"),
        ("method M", "method {: verify false} M"),
        ("method M", "method {:rlimit 1} M"),
        ("y := x + 1", "while true decreases * {}"),
        ("{\n  y := x + 1;\n}\n", ""),
        ("  requires x > 0", "  requires x > 0\n  /* */\n  /* */ requires false /*\n  */"),
    ],
    ids=["continuation", "predicate", "assume", "two blanks", "spelling", "rlimit", "endless", "no body", "comments"],
)
def test_fault_wrong_programs_pass(old: str, new: str) -> None:
    """FAULT of the published rule: the verifier then verifies something else, and the answer counts."""
    assert old in GIVEN
    candidate = GIVEN.replace(old, new)
    assert kinds(candidate) == []


@pytest.mark.parametrize(
    "candidate",
    [
        GIVEN.replace("y := x + 1;", "y := x + 1; // the contract ensures this"),
        "// never write assume false\n" + GIVEN,
        GIVEN + "lemma L(x: int)\n  ensures x == x\n{}\n",
        GIVEN.replace("  requires", "  requires\t"),
    ],
    ids=["trailing comment", "banned word in a comment", "helper lemma", "tab"],
)
def test_fault_honest_programs_are_refused(candidate: str) -> None:
    """FAULT of the published rule: comments, helpers and white space are not told apart from contracts."""
    assert kinds(candidate) != []


@given(st.text(), st.text())
def test_any_two_texts_are_compared(first: str, second: str) -> None:
    GATE.check(first, second)


@given(st.text())
def test_a_program_equals_itself_unless_it_holds_a_banned_text(program: str) -> None:
    assert kinds(program, program) == []
