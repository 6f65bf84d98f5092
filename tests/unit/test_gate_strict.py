"""The strict gate: the given program plus whole hints, and nothing else, whatever it is."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veriloop.attempts import Violation
from veriloop.benchmarks.mini import Loader, Options
from veriloop.dafny.hints import split_hints
from veriloop.dafny.lexer import LAYOUT, tokens
from veriloop.dafny.statements import Node, walk
from veriloop.gate.strict import StrictGate
from veriloop.gate.strict.alignment import NEARBY, STEPS_PER_WORD, View, align
from veriloop.gate.strict.insertions import Insertion, Program

GATE = StrictGate()
GHOST = StrictGate("ghost")
TASKS = Loader(Options()).tasks()
GIVEN = """method M(n: nat) returns (i: nat)
  requires n > 0
  ensures i == n
{
  i := 0;
  while i < n
  {
    i := i + 1;
  }
}

lemma L() ensures true {}
"""


def kinds(candidate: str, program: str = GIVEN, gate: StrictGate = GATE) -> list[str]:
    return [violation.kind for violation in gate.check(program, candidate)]


def with_hint(hint: str, before: str = "    i := i + 1;") -> str:
    return GIVEN.replace(before, hint + "\n" + before, 1)


HONEST = {
    "nothing": GIVEN,
    "an assert": with_hint("assert i < n;"),
    "an assert with by": with_hint("assert i < n by { assert true; }"),
    "an assert with an empty by": with_hint("assert i < n by { }"),
    "an assert within an expression": GIVEN.replace("i := i + 1", "i := assert i < n; i + 1"),
    "an invariant": GIVEN.replace("while i < n\n", "while i < n\n    invariant i <= n\n"),
    "an invariant over lines": GIVEN.replace("while i < n\n", "while i < n\n    invariant i\n      <= n &&\n true\n"),
    "decreases of a loop": GIVEN.replace("while i < n\n", "while i < n\n    decreases n - i, {}\n"),
    "decreases of a member": GIVEN.replace("  ensures i == n\n", "  ensures i == n\n  decreases n\n"),
    "an allowed attribute": with_hint("assert {:split_here} forall k {:trigger k in {1}} :: k in {1} ==> k == 1;"),
    "a comment with banned words": with_hint("// assume false {:verify false} requires"),
    "another layout": GIVEN.replace("  ", "\t").replace("\n", "\r\n"),
    "a string that holds code": with_hint('assert "assume false;" != "";'),
    "a label's heap": with_hint("assert old@Before(i) == i;"),
    "a let within": with_hint("assert var k := i; k < n;"),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_only_adds_hints_is_accepted(name: str) -> None:
    assert GATE.check(GIVEN, HONEST[name]) == []


WRONG = {
    "an empty answer": ("", "deleted"),
    "prose": ("I would add an invariant.", "unreadable"),
    "the given twice": (GIVEN + GIVEN, "inserted"),
    "unbalanced": (GIVEN + "}", "unreadable"),
    "an open comment": (GIVEN.replace("lemma", "/* lemma"), "deleted"),
    "an open string": (GIVEN + 'const s := "', "unreadable"),
    "a NUL byte": (GIVEN.replace("i := 0", "i := 0\x00"), "unreadable"),
    "a weakened clause": (GIVEN.replace("ensures i == n", "ensures i <= n"), "changed"),
    "a clause taken out": (GIVEN.replace("  ensures i == n\n", ""), "deleted"),
    "a clause added": (GIVEN.replace("  ensures", "  requires n < 5\n  ensures"), "inserted"),
    "a changed statement": (GIVEN.replace("i + 1", "i + 2"), "changed"),
    "an assume": (with_hint("assume i < n;"), "inserted"),
    "an assume with two blanks": (with_hint("assume  {:axiom}  false;"), "inserted"),
    "an expect": (with_hint("expect i < n;"), "inserted"),
    "an assume within an assert": (with_hint("assert (assume false; true);"), "not_a_hint"),
    "an assume within by": (with_hint("assert false by { assume false; }"), "not_a_hint"),
    "a call within by": (with_hint("assert true by { L(); }"), "not_a_hint"),
    "an attribute that drops": (with_hint("assert {:only} true;"), "attribute"),
    "an attribute with blanks": (with_hint("assert {: only } true;"), "attribute"),
    "decreases star": (GIVEN.replace("while i < n\n", "while i < n decreases *\n"), "decreases_star"),
    "a member's attribute": (GIVEN.replace("method M", "method {:verify false} M"), "inserted"),
    "an at-attribute": ("@Verify(false)\n" + GIVEN, "inserted"),
    "a body taken out": (GIVEN.replace("ensures true {}", "ensures true"), "deleted"),
    "an include": ('include "x.dfy"\n' + GIVEN, "inserted"),
    "a new lemma": (GIVEN + "lemma K() ensures false\n", "inserted"),
    "an invariant elsewhere": (GIVEN.replace("  ensures i == n\n", "  ensures i == n\n  invariant true\n"), "inserted"),
    "an invariant of a loop without a body": (
        GIVEN.replace("while i < n\n", "while i < n\n    invariant false\n").replace("  {\n    i := i + 1;\n  }\n", ""),
        "inserted",
    ),
    "a hint that eats a statement": (with_hint("assert var k := 1;"), "deleted"),
    "other signs": (GIVEN.replace("n > 0", "n > 0 \u2227 true"), "inserted"),
    "clauses in another order": (
        GIVEN.replace("requires n > 0\n  ensures i == n", "ensures i == n\n  requires n > 0"),
        "moved",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_with_its_kind(name: str) -> None:
    candidate, kind = WRONG[name]
    assert kind in kinds(candidate)


@pytest.mark.parametrize(
    "attribute",
    ["trigger {i}", "split_here", "focus", "fuel F, 2, 3", "induction false", "autotriggers false", "nowarn"],
)
def test_attributes_that_only_steer_a_proof_are_allowed(attribute: str) -> None:
    assert kinds(with_hint(f"assert {{:{attribute}}} i < n;")) == []


def test_nothing_may_be_added_within_an_attribute() -> None:
    program = GIVEN.replace("lemma L()", "lemma {:induction 1} L()")
    assert kinds(program.replace("induction 1", "induction assert true; 1"), program) == ["inserted"]


def test_a_for_loop_may_have_invariants_and_needs_a_body() -> None:
    program = with_hint("for k := 0 to n { }")
    assert kinds(program.replace("to n {", "to n invariant k <= n {"), program) == []
    assert "no_body" in kinds(GIVEN + "lemma K() ensures false { for k := 0 to 3 invariant false }", gate=GHOST)


def test_a_hint_may_be_added_to_a_given_calc() -> None:
    program = with_hint("calc { i; == i + 0; }")
    assert kinds(program.replace("i; ==", "i; { assert true; } =="), program) == []
    assert kinds(program.replace("i; ==", "i; { L(); } =="), program) == ["not_a_hint"]
    assert kinds(program.replace("i; ==", "i; { L(); } =="), program, GHOST) == []
    assert kinds(program.replace("i; ==", "i; { assume false; } =="), program, GHOST) == ["not_a_hint"] * 2


def test_an_invariant_of_a_given_loop_without_a_body_would_be_assumed() -> None:
    program = GIVEN.replace("  {\n    i := i + 1;\n  }\n", "")
    assert kinds(program, program) == []
    assert kinds(program.replace("while i < n\n", "while i < n\n    invariant false\n"), program) == ["inserted"]


LEMMA = "lemma K(x: nat) ensures x < x + 1 {}\n"


def test_what_only_spells_differently_is_named_so_and_refused() -> None:
    guard = GIVEN.replace("while i < n", "while (i < n)")
    assert kinds(guard) == ["respelled"]
    assert kinds(GIVEN.replace("n > 0\n", "n > 0;\n")) == ["respelled"]
    assert kinds(GIVEN.replace("ensures i == n\n", "ensures i == n;\n")) == ["respelled"]
    assert kinds(GIVEN.replace("n > 0", "n > 0x0")) == ["respelled"]
    real = GIVEN.replace("n > 0", "1.5 > (if n > 0 then 0.5 else 1.0)")
    assert kinds(real.replace("if n > 0 then", "if (n > 0) then"), real) == ["respelled"]
    assert kinds(real.replace("1.5", "1.50"), real) == ["changed"]
    assert kinds(guard.replace("    i := i + 1;", "    assert i < n;\n    i := i + 1;")) == ["respelled"]
    program = GIVEN.replace("n > 0", "n > 0 && n != 1_0")
    assert kinds(program.replace("&&", "\u2227").replace("!=", "\u2260"), program) == ["respelled"]
    assert kinds(program.replace("1_0", "10"), program) == ["respelled"]
    assert kinds(GIVEN.replace("while i < n", "while (i <= n)")) == ["deleted"]


def test_semicolons_and_parentheses_that_mean_something_are_no_spelling() -> None:
    calls = GIVEN + "function F(n: int): int { L(); n }"
    assert kinds(calls.replace("L(); n", "L() n"), calls) == ["deleted"]
    clause = GIVEN.replace("n > 0", "(n > 0)")
    assert kinds(GIVEN, clause) == ["deleted"]
    guard = GIVEN.replace("while i < n", "while (i < n) && true")
    assert kinds(guard.replace("(i < n)", "i < n"), guard) == ["deleted"]
    for last in ("const x: int := 1;", "const x: int := if (true)"):
        assert kinds("method M() {}\n" + last, last) == ["inserted"]


def test_a_walk_among_hints_that_are_alike_is_bounded() -> None:
    class Counting(dict[int, tuple[int, Insertion]]):
        asked = 0

        def __contains__(self, place: object) -> bool:
            self.asked += 1
            return super().__contains__(place)

    hints = 300
    code = View(["assert"] * hints + ["x"], range(hints + 1))
    answer = View(["assert"] * 2 * hints + ["y"], range(2 * hints + 1))
    insertions = Counting(
        {at: (at + 1, Insertion("assert", at, at + 1, Node("assert", "", at, at + 1))) for at in range(2 * hints)}
    )
    assert align(code, answer, insertions)[0] is None
    assert insertions.asked <= STEPS_PER_WORD * (len(answer.words) + NEARBY)


def test_what_only_moves_is_named_so_with_hints_beside_it() -> None:
    lemma = "lemma L() ensures true {}\n"
    moved = lemma + with_hint("assert i < n;").replace(lemma, "")
    (found,) = GATE.check(GIVEN, moved)
    assert found.kind == "moved"
    assert "another order" in found.sentence
    assert kinds(moved.replace("assert", "assume")) != ["moved"]


PROOFS = {
    "a calc": "calc == { i + 1; { assert true; L(); } 1 + i; }",
    "a forall": "forall k | 0 <= k ensures k < k + 1 { L(); }",
    "a ghost variable": "ghost var old_i := i;",
    "a ghost variable with types": "ghost var some: map<bool, nat>, other: (bool, nat) := map[], (true, 1);",
    "two ghost variables": "ghost var one, other := 1, 2;",
    "a ghost variable by choice": "ghost var some: nat :| some > i;",
    "a reveal": "reveal F();",
    "a call": "L();",
    "a call of a new lemma": "K(i);",
    "a call within by": "assert i < i + 1 by { K(i); if true { L(); } }",
    "a calc within by": "assert i < i + 1 by { calc { 1; 2 - 1; } }",
    "a reveal within by": "assert i < i + 1 by { reveal F(); }",
    "a ghost variable within by": "assert i < i + 1 by { ghost var some := 1; assert some == 1; }",
    "a forall within by": "assert i < i + 1 by { forall k: int ensures k == k {} }",
    "a match within by": "assert i < i + 1 by { match i { case 0 => L(); case _ => } }",
}


@pytest.mark.parametrize("words", ["assume false;", "expect false;", "hide F();", "reveal F();", "calc { 1; 1; }"])
def test_statements_within_expressions_are_held_to_the_level(words: str) -> None:
    candidate = with_hint(f"assert ({words} true);")
    assert kinds(candidate) == ["not_a_hint"]
    assert kinds(candidate, gate=GHOST) == ([] if words.startswith(("reveal", "calc")) else ["not_a_hint"])


@pytest.mark.parametrize("name", PROOFS)
def test_level_ghost_accepts_a_proof_and_level_hints_does_not(name: str) -> None:
    candidate = with_hint(PROOFS[name]) + LEMMA
    assert kinds(candidate, gate=GHOST) == []
    assert kinds(candidate) != []


@pytest.mark.parametrize("name", HONEST)
def test_level_ghost_accepts_what_level_hints_does(name: str) -> None:
    assert kinds(HONEST[name], gate=GHOST) == []


NEW = {
    "a lemma": ("lemma K(x: nat) decreases x { if x > 0 { K(x - 1); } var y := x; while y > 0 { y := y - 1; } }", []),
    "a lemma with a contract": ("lemma K(x: int) requires x > 0 ensures x > -1 {}", []),
    "a lemma with a loop of cases": ("lemma K() { while { case false => } }", []),
    "an axiom by another spelling": ("@Axiom lemma K() ensures false {}", ["attribute"]),
    "a lemma with jumps": ("lemma K() { while true { if 1 > 0 { break; } else { continue; } } return; }", []),
    "a ghost function": ("ghost function K(x: int): int { x + 1 }", []),
    "a ghost function with a contract": (
        "ghost function K(x: int): int requires x > 0 ensures K(x) > 1 { x + 1 }",
        [],
    ),
    "a ghost predicate": ("least ghost predicate K(x: int) { x > 0 }", []),
    "a lemma without a body": ("lemma K() ensures false", ["no_body"]),
    "an axiom": ("lemma {:axiom} K() ensures false", ["attribute", "no_body"]),
    "an axiom with a body": ("lemma {:axiom} K() ensures false {}", ["attribute"]),
    "a lemma that is not verified": ("lemma {:verify false} K() ensures false {}", ["attribute"]),
    "a lemma that allocates": ("lemma K() { var c := new C; }", ["not_a_hint"]),
    "a lemma that prints": ("lemma K() { print 1; }", ["not_a_hint"]),
    "a lemma that modifies": ("lemma K() { modify this; }", ["not_a_hint"]),
    "a lemma with an assume": ("lemma K() ensures false { assume false; }", ["not_a_hint"] * 2),
    "a lemma with a loop without body": ("lemma K() ensures false { while true invariant false }", ["no_body"]),
    "a lemma with a forall without body": ("lemma K() { forall x: int ensures false; }", ["no_body"]),
    "a lemma with a loop that never ends": (
        "lemma K() ensures false { while true decreases * {} }",
        ["decreases_star"],
    ),
    "a lemma with decreases star": ("lemma K() ensures false decreases * { K(); }", ["decreases_star"]),
    "a compiled function": ("function K(x: int): int { x + 1 }", ["not_ghost"]),
    "a function without a body": ("ghost function K(): int ensures false", ["no_body"]),
    "a function by method": ("ghost function K(): int { 1 } by method { return 1; }", ["not_a_hint", "no_body"]),
    "a name that is taken": ("lemma L() {}", ["inserted"]),
    "a method": ("method K() {}", ["inserted"]),
    "a class": ("class K {}", ["inserted"]),
    "an import": ("import K", ["inserted"]),
}


@pytest.mark.parametrize("name", NEW)
def test_level_ghost_accepts_new_ghost_declarations_that_are_whole(name: str) -> None:
    declaration, expected = NEW[name]
    assert kinds(GIVEN + declaration + "\n", gate=GHOST) == expected
    assert kinds(GIVEN + declaration + "\n") == ["inserted"]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("forall k | 0 <= k ensures false;", "no_body"),
        ("ghost var fresh: int;", "not_a_hint"),
        ("ghost var n := 1;", "shadows"),
        ("ghost var fresh, i := 1, 2;", "shadows"),
        ("ghost var fresh: map<int, int>, i: int := map[], 2;", "shadows"),
        ("ghost var (fresh, i) := (1, 2);", "shadows"),
        ("ghost var (fresh: nat, i: nat) := (1, 2);", "shadows"),
        ("ghost var (fresh: nat), i := 1, 2;", "shadows"),
        ("ghost var fresh: (bool, nat), i := (true, 1), 2;", "shadows"),
        ("var fresh := 1;", "inserted"),
        ("i := 3;", "inserted"),
        ("M(3);", "inserted"),
        ("assert true by { i := 3; }", "not_a_hint"),
        ("assert true by { var fresh := 3; }", "not_a_hint"),
        ("ghost const fresh := 3;", "not_a_hint"),
        ("assert true by { while true invariant false }", "not_a_hint"),
        ("forall k ensures true { M(1); }", "not_a_hint"),
        ("calc { 1; { assume false; } 2; }", "not_a_hint"),
        ("calc { 1; { i := 1; } 2; }", "not_a_hint"),
        ("ghost var fresh :| assume false;", "not_a_hint"),
        ("reveal {:only} L();", "attribute"),
        ("return;", "inserted"),
        ("print i;", "inserted"),
    ],
)
def test_level_ghost_refuses_what_could_change_or_assume_anything(statement: str, kind: str) -> None:
    assert kind in kinds(with_hint(statement), gate=GHOST)


def test_names_of_every_spelling_shadow_and_a_wildcard_does_not() -> None:
    program = GIVEN.replace("i := 0;", "var ?odd, x' := 0, 0; var (_, _) := (1, 2); i := 0;")
    line = "    i := i + 1;"
    for pattern, expected in (("?odd", ["shadows"]), ("x'", ["shadows"]), ("(_, fresh?)", [])):
        candidate = program.replace(line, f"    ghost var {pattern} := (1, 2);\n{line}")
        assert kinds(candidate, program, GHOST) == expected, pattern


def test_a_lemma_may_be_called_within_a_function() -> None:
    program = GIVEN + "function F(x: int): int { if x > 0 then match x { case 1 => 1 case _ => x } else 0 }\n"
    assert kinds(program.replace("{ if", "{ L(); L(); if"), program, GHOST) == []
    for old in ("{ if", "then match", "=> 1", "=> x", "else 0"):
        first, second = old.split()
        called = program.replace(old, f"{first} L(); {second}")
        assert kinds(called, program, GHOST) == []
        assert kinds(called, program) != []
        assert kinds(called.replace("L();", "N();"), program, GHOST) != []
    assert kinds(program.replace("x > 0", "L(); x > 0"), program, GHOST) != []
    assert kinds(program.replace("else 0", "else L() + 0"), program, GHOST) != []
    assert kinds(program.replace("else 0", "else L; 0"), program, GHOST) != []
    assert kinds(program.replace("else 0", "else L(assume false; 1); 0"), program, GHOST) == ["not_a_hint"]


@pytest.mark.parametrize("space", ["", "  ", "\t", "\u00a0", "\u2003", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize(("before", "after"), [("/*", "*/"), ("//", ""), ("", "")])
def test_code_cannot_be_taken_out_by_the_preprocessor(space: str, line_end: str, before: str, after: str) -> None:
    """Dafny drops what stands between #if and #endif, even where these are in comments; so the answer is refused."""
    opening = f"{before}{line_end}{space}#if X{line_end}{after}"
    closing = f"{before}{line_end}{space}#endif{line_end}{after}"
    statement = "    i := i + 1;\n"
    assert kinds(GIVEN.replace(statement, f"{opening}\n{statement}{closing}\n")) == ["unreadable"]


def test_two_hints_cannot_take_out_what_is_between_them() -> None:
    first, second = "assert true\n#if X\n then true else true;", "assert true\n#endif\n;"
    assert kinds(with_hint(first).replace("i + 1;", "i + 1; " + second)) == ["unreadable"]


def test_a_violation_names_both_places() -> None:
    (found,) = GATE.check(GIVEN, with_hint("assert i < n;").replace("ensures i == n", "ensures i <= n"))
    assert (found.given_line, found.candidate_line) == (3, 3)
    assert "'==' of the given program became '<='" in found.sentence


def test_a_given_that_is_broken_is_the_benchmarks_fault() -> None:
    broken = GIVEN.replace("while i < n\n", "while i < n\n    i <= n\n")
    assert kinds(GIVEN, broken) == ["given_unreadable"]


def pieces(program: str) -> list[str]:
    return [token.text for token in tokens(program)]


def places(program: str) -> list[int]:
    """The indices of tokens that mean something."""
    return [i for i, token in enumerate(tokens(program)) if token.kind not in LAYOUT]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_every_ground_truth_of_mini_is_its_given_program_plus_hints(task) -> None:
    assert GATE.check(task.given, task.ground_truth) == []


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(TASKS), st.data())
def test_any_of_a_ground_truths_hints_may_be_there_or_not(task, data: st.DataObject) -> None:
    parts = split_hints(task.given, task.ground_truth)
    kept = [text for is_hint, text in parts if not is_hint or data.draw(st.booleans())]
    assert GATE.check(task.given, "".join(kept)) == []


def meaning(program: str) -> list[str]:
    """The tokens that mean something."""
    return [token.text for token in tokens(program) if token.kind not in LAYOUT]


HINT = "assert true; assert 1 < 2 by { assert true; } "


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(TASKS), st.data())
def test_a_hint_may_stand_before_any_statement_and_in_any_loop(task, data: st.DataObject) -> None:
    program = Program(task.ground_truth)
    found = list(walk(program.nodes))
    places = [(part.start, HINT) for node in found if node.kind == "block" for part in node.parts]
    for loop in (node for node in found if node.kind in {"while", "for"}):
        # Before the braces of the body, which come last.
        places.append((loop.parts[-1].start, " invariant true "))
    at, hint = data.draw(st.sampled_from(places)) if places else (0, "")
    start = program.code.tokens[at].start
    candidate = task.ground_truth[:start] + hint + task.ground_truth[start:]
    assert GATE.check(task.given, candidate) == []
    assert GHOST.check(task.given, candidate) == []


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(TASKS), st.data())
def test_moving_any_token_is_refused(task, data: st.DataObject) -> None:
    words, where = pieces(task.given), places(task.given)
    at, to = data.draw(st.sampled_from(where)), data.draw(st.sampled_from(where))
    rest = [*words[:at], " ", *words[at + 1 :]]
    moved = [*rest[:to], f" {words[at]} ", *rest[to:]]
    same = meaning("".join(moved)) == meaning(task.given)
    assert same == (GATE.check(task.given, "".join(moved)) == [])


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(TASKS), st.data())
def test_taking_out_or_replacing_any_token_is_refused(task, data: st.DataObject) -> None:
    words, where = pieces(task.given), places(task.given)
    at = data.draw(st.sampled_from(where))
    other = data.draw(
        st.sampled_from(["", "x", "(", "}", "assume", "1", ";", words[data.draw(st.sampled_from(where))]])
    )
    changed = "".join([*words[:at], f" {other} " if other != words[at] else "", *words[at + 1 :]])
    assert GATE.check(task.given, changed) != []


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(TASKS), st.data())
def test_adding_any_token_that_is_no_hint_is_refused(task, data: st.DataObject) -> None:
    words, where = pieces(task.given), places(task.given)
    at = data.draw(st.sampled_from(where))
    other = data.draw(st.sampled_from(["x", "(", "}", "assume", "1", ";", "assert", "invariant", words[where[0]]]))
    assert GATE.check(task.given, "".join([*words[:at], f" {other} ", *words[at:]])) != []


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(TASKS), st.lists(st.tuples(st.integers(0, 10_000), st.text(max_size=6)), max_size=6))
def test_random_splices_never_crash_it(task, splices: Sequence[tuple[int, str]]) -> None:
    text = task.ground_truth
    for at, word in splices:
        text = text[: at % len(text)] + word + text[at % len(text) :]
    assert all(isinstance(violation, Violation) for violation in GATE.check(task.given, text))


def test_many_nested_parentheses_and_long_programs_end() -> None:
    assert kinds("(" * 100_000) == ["unreadable"]
    assert kinds(with_hint("assert " + "(" * 100_000 + "true" + ")" * 100_000 + ";")) == []
    alike = with_hint("    assert i < n;\n" * 3000)
    assert kinds(alike.replace("i + 1", "i + 2"), alike) == ["changed"]
    assert kinds(alike.replace("i := i + 1", "assert i < n; i := i + 1"), alike) == []
    long = GIVEN + "".join(f"method M{i}(x: int) {{ assert x == x; }}\n" for i in range(20_000))
    assert kinds(long, long) == []
