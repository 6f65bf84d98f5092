"""The gate for synthesis: bodies may be written, and nothing else may differ but complete helpers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veriloop.attempts import Violation
from veriloop.gate.contract import ContractGate

GATE = ContractGate()
MAY_STAY = ContractGate(must_write=False)
GIVEN = """module Lists {
  datatype Colour = Red | Blue
  const most: int := 10

  predicate Sorted(s: seq<int>)
  {
    forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j]
  }

  trait Shape {
    method Area() returns (a: int)
  }

  method {:axiom} Clock() returns (t: int)

  function Best(s: seq<int>): int
    requires |s| > 0
    ensures Best(s) in s

  method Sort(s: seq<int>) returns (r: seq<int>)
    requires |s| < most
    ensures Sorted(r)
    ensures multiset(r) == multiset(s)

  lemma Same(s: seq<int>)
    ensures s == s
  {
  }
}
"""
BEST = "    ensures Best(s) in s\n  {\n    s[0]\n  }\n"
SORT = """    ensures multiset(r) == multiset(s)
  {
    r := s;
    var k := 0;
    while k < |s|
      invariant r == s
    {
      print k;
      k := k + 1;
    }
  }
"""
DONE = GIVEN.replace("    ensures Best(s) in s\n", BEST).replace("    ensures multiset(r) == multiset(s)\n", SORT)


def kinds(candidate: str, program: str = GIVEN, gate: ContractGate = GATE) -> list[str]:
    return [violation.kind for violation in gate.check(program, candidate)]


def changed(old: str, new: str, program: str = DONE) -> str:
    assert old in program
    return program.replace(old, new, 1)


def test_written_bodies_are_accepted_and_missing_ones_are_not() -> None:
    assert kinds(DONE) == []
    assert kinds(GIVEN) == ["no_body", "no_body"]
    assert kinds(GIVEN, gate=MAY_STAY) == []
    assert not any(violation.cheating for violation in GATE.check(GIVEN, GIVEN))


FROZEN = {
    "a requires": ("|s| < most", "|s| < 5"),
    "an ensures less": ("    ensures Sorted(r)\n", ""),
    "a predicate": ("s[i] <= s[j]", "true"),
    "a constant": (":= 10", ":= 1"),
    "a datatype": ("Red | Blue", "Red"),
    "a type": ("s: seq<int>) returns", "s: seq<nat>) returns"),
    "a parameter": ("Sort(s: seq<int>)", "Sort(s: seq<int>, k: nat)"),
    "a frame": ("ensures Sorted(r)", "modifies {} ensures Sorted(r)"),
    "an attribute": ("method Sort", "method {:verify false} Sort"),
    "an at-attribute": ("  method Sort", "  @Verify(false) method Sort"),
    "ghost": ("method Sort", "ghost method Sort"),
    "a name": ("method Sort", "method Sort2"),
    "a module": ("module Lists", "abstract module Lists"),
    "a declaration less": ("  const most: int := 10\n", ""),
    "a kind": ("lemma Same", "method Same"),
    "an import": ("  const most", "  import opened Others\n  const most"),
}


@pytest.mark.parametrize("name", FROZEN)
def test_everything_outside_of_bodies_is_frozen(name: str) -> None:
    (found,) = GATE.check(GIVEN, changed(*FROZEN[name]))
    assert found.kind in {"changed", "deleted", "inserted"}
    assert found.given_line is not None
    assert found.candidate_line is not None


BODIES = {
    "an assume": ("r := s;", "r := s; assume false;", ["not_a_hint"]),
    "an assume within an expression": ("r := s;", "r := assume false; s;", ["not_a_hint"]),
    "an assumed choice": ("var k := 0;", "var k :| assume k < k; k := 0;", ["not_a_hint"]),
    "an expect": ("r := s;", "r := s; expect Sorted(r);", ["not_a_hint"]),
    "an axiom in a lemma": (
        "ensures s == s\n  {\n",
        "ensures s == s\n  {\n assume {:axiom} false;",
        ["not_a_hint"] * 1,
    ),
    "a loop without a body": ("r := s;", "r := s; while true invariant false", ["no_body"]),
    "a forall without a body": ("r := s;", "r := s; forall x: int ensures false;", ["no_body"]),
    "an endless loop": ("invariant r == s", "invariant r == s decreases *", ["decreases_star"]),
    "an attribute that drops": ("r := s;", "r := s; assert {:only} true;", ["attribute"]),
    "a body taken out": ("    ensures s == s\n  {\n  }\n", "    ensures s == s\n", ["no_body"]),
    "an assume in the function": ("    s[0]\n", "    assume false; s[0]\n", ["not_a_hint"]),
    "decreases, a lemma and an assert": ("r := s;", "r := s; Same(s); assert |r| == |s| by { Same(r); }", []),
    "a member's decreases": ("ensures Sorted(r)", "ensures Sorted(r) decreases s", []),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_written_body_assumes_nothing(name: str) -> None:
    old, new, expected = BODIES[name]
    # `assume {:axiom}` is found as the word, and as the attribute.
    found = [kind for kind in kinds(changed(old, new)) if "axiom" not in new or kind != "attribute"]
    assert found == expected


HELPERS = {
    "a method": ("method Swap(s: seq<int>) returns (r: seq<int>) { r := s; while |r| > 0 { r := r[1..]; } }", []),
    "a lemma": ("lemma Helps(n: nat) ensures n + 0 == n { if n > 0 { Helps(n - 1); } }", []),
    "a function": ("function Twice(n: int): int { 2 * n }", []),
    "a predicate": ("predicate Holds(n: int) { n > 2 }", []),
    "a function by method": ("function Two(): int { 2 } by method { return 2; }", []),
    "a constant": ("const few: int := 3", []),
    "a datatype": ("datatype Tree = Leaf | Node(left: Tree, right: Tree) { function Size(): nat { 1 } }", []),
    "a subset type": ("type Small = x: int | 0 <= x < 5 witness 0", []),
    "a newtype": ("newtype Byte = x: int | 0 <= x < 256", []),
    "a method without a body": ("method Swap() ensures false", ["no_body"]),
    "a lemma without a body": ("lemma Helps() ensures false", ["no_body"]),
    "a function without a body": ("function Twice(n: int): int ensures false", ["no_body"]),
    "a constant without a value": ("const few: int", ["no_body"]),
    "a type without a definition": ("type Small(0)", ["no_body"]),
    "a datatype with an open member": (
        "datatype Tree = Leaf { lemma Wrong() ensures false }",
        ["no_body"],
    ),
    "a datatype with a field": ("datatype Tree = Leaf { var v: int }", ["inserted"]),
    "an extern": ("method {:extern} Swap() ensures false", ["attribute", "no_body"]),
    "a lemma that assumes": ("lemma Helps() ensures false { assume false; }", ["not_a_hint"]),
    "a lemma that does not end": ("lemma Helps() ensures false decreases * { Helps(); }", ["decreases_star"]),
    "a name that is taken": ("predicate Sorted(k: int) { true }", ["inserted"]),
    "a constructor that is taken": ("datatype Tree = Leaf | Red", ["inserted"]),
    "a first constructor that is taken": ("datatype Tree = Blue | Leaf", ["inserted"]),
    "a ghost constructor that is taken": ("datatype Tree = Leaf | ghost {:tailrecursion} Red", ["inserted"]),
    "a class": ("class Box { var v: int }", ["inserted"]),
    "a trait": ("trait Thing { lemma Wrong() ensures false }", ["inserted"]),
    "a module": ("module Other {}", ["inserted"]),
}


@pytest.mark.parametrize("name", HELPERS)
def test_helpers_are_new_and_complete(name: str) -> None:
    helper, expected = HELPERS[name]
    found = kinds(changed("  method Sort", f"  {helper}\n  method Sort"))
    # A place where something was added may also be told as a change.
    assert found == expected or (expected == ["inserted"] and found in (["changed"], ["deleted"]))


@pytest.mark.parametrize(
    "around",
    [
        "@",
        "module C { @ }",
        "class C { @ }",
        "trait C { @ }",
        "datatype C = A { @ }",
        "codatatype C = A { @ }",
        "type C { @ }",
        "newtype C = x: int | true { @ }",
    ],
)
def test_a_member_of_anything_may_have_another_body(around: str) -> None:
    program = around.replace("@", "method M(x: int) requires x > 0 { }")
    assert kinds(changed("{ }", "{ var y := x; assert y > 0; }", program), program) == []
    assert kinds(changed("{ }", "{ assume false; }", program), program) == ["not_a_hint"]
    assert kinds(changed("x > 0 { }", "x > 0", program), program) == ["no_body"]
    assert kinds(changed("x > 0", "x > 1", program), program) == ["changed"]


def test_a_missing_body_is_told_with_the_members_name() -> None:
    program = "class C { constructor () { } method Run() { } }"
    first, second = GATE.check(program, program.replace("{ }", ""))
    assert first.sentence.startswith("constructor lost its body")
    assert second.sentence.startswith("Run lost its body")


def test_an_iterator_may_have_another_body() -> None:
    program = "iterator It() yields (x: int) { }"
    assert kinds(changed("{ }", "{ x := 1; yield; }", program), program) == []
    assert kinds(changed("{ }", "{ expect false; }", program), program) == ["not_a_hint"]
    assert kinds(changed(" { }", "", program), program) == ["no_body"]


def test_what_the_given_body_has_already_may_stay() -> None:
    program = changed("r := s;", "r := s; assume |r| == 3; while true invariant true")
    assert kinds(program, program) == []
    more = changed("var k := 0;", "var k := 0; assert k == 0;", program)
    assert kinds(more, program) == []
    assert kinds(changed("assume |r| == 3", "assume false", program), program) == ["not_a_hint"]
    assert kinds(changed("r := s;", "r := s; assume |r| == 3;", program), program) == ["not_a_hint"]


def test_a_refined_module_and_a_trait_may_leave_members_open() -> None:
    program = (
        "method {:extern} E()\nabstract module A { method M() }\nmodule B refines A { method N() }\n"
        "trait T { method O() }\nmethod P()\n"
    )
    assert kinds(program, program) == ["no_body"]
    assert kinds("abstract module A { class C { method M() } }", "abstract module A { class C { method M() } }") == []


def test_only_a_member_that_is_assumed_on_purpose_may_stay_without_a_body() -> None:
    for program, expected in (
        ("method {:axiom} M()", []),
        ("method {:timeLimit 2} M()", ["no_body"]),
        ("method M(axiom: int)", ["no_body"]),
    ):
        assert kinds(program, program) == expected, program


def test_a_broken_given_and_a_broken_answer_are_told_apart() -> None:
    assert kinds(DONE, "method M( {") == ["given_unreadable"]
    assert kinds("method M( {") == ["unreadable"]
    assert kinds(DONE + DONE) == ["inserted"]
    assert kinds("") != []


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.text(max_size=6)), max_size=6))
def test_random_splices_never_crash_it(splices: list[tuple[int, str]]) -> None:
    text = DONE
    for at, word in splices:
        text = text[: at % len(text)] + word + text[at % len(text) :]
    assert all(isinstance(violation, Violation) for violation in GATE.check(GIVEN, text))


def test_many_forbidden_words_end_in_bounded_time() -> None:
    many = changed("r := s;", "r := s; " + "assume false; " * 20_000)
    assert len(kinds(many)) == 20_000
