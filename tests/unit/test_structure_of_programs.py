"""The structure of a program is what stands in it, and what cannot be placed is said."""

import pytest
from veriloop.benchmarks.dafnybench import Loader, Options
from veriloop.benchmarks.mini import Loader as MiniLoader
from veriloop.benchmarks.mini import Options as MiniOptions
from veriloop.dafny.expressions import expression_end
from veriloop.dafny.scan import Code, MisfitError
from veriloop.dafny.statements import Node
from veriloop.dafny.structure import structure


def outline(nodes: list[Node]) -> list:
    """Kinds, names and parts, without places."""
    return [
        (f"{node.kind} {node.name}".strip(), outline(node.parts)) if node.parts else f"{node.kind} {node.name}".strip()
        for node in nodes
    ]


PROGRAMS = {
    "": [],
    "method M() {}": [("method M", ["block"])],
    "function f(x: int): int requires x > 0 decreases x { x }": [("function f", ["requires", "decreases", "body"])],
    "module A { import opened B = C.D  const c := 1 class E<T(==)> extends F { var x: set<int> } }": [
        ("module A", ["import B", "const c", ("class E", ["var x"])])
    ],
    "datatype D<T> = A | B(x: T, ghost y: map<int, T>) { predicate p() { true } }": [
        ("datatype D", [("predicate p", ["body"])])
    ],
    "type N = x: int | 0 <= x witness 1 newtype M = y | y == 2 type O<A>": ["type N", "newtype M", "type O"],
    "lemma L() ensures forall x: set<int> {:trigger f(x)} | x == {} :: |x| == 0 {}": [
        ("lemma L", ["ensures", "block"])
    ],
    "method M() { while i < |s| invariant s == {1} decreases * { i := 1; } }": [
        ("method M", [("block", [("while", ["invariant", "decreases", ("block", ["update"])])])])
    ],
    "method M() { if x in {1} { assert a by { L(); } } else if * { return; } else {} }": [
        (
            "method M",
            [("block", [("if", [("block", [("assert", [("block", ["update"])])]), ("block", ["return"]), "block"])])],
        )
    ],
    "method M() { match x { case A(y) => print y; case _ => } forall i | 0 <= i ensures P(i) {} calc == { 1; 1; } }": [
        ("method M", [("block", [("match", [("case", ["print"]), "case"]), ("forall", ["ensures", "block"]), "calc"])])
    ],
    "method M() { x := var y := 1; y + 1; ghost var z :| z > 0; label L: a, b := f(a), *; }": [
        ("method M", [("block", ["update", "ghost", "update"])])
    ],
    "class C { ghost var a: map<int, int>, b: int  var c: int }": [("class C", [("var a", ["var b"]), "var c"])],
    "method M() { x := 1; label L: }": [("method M", [("block", ["update", "label"])])],
    "least predicate P() { true } ghost least lemma {:axiom} L[nat](x: int)": [("predicate P", ["body"]), "lemma L"],
    "method least(least: int) requires least < 3 {}": [("method least", ["requires", "block"])],
    "function f(): int { 1 } by method { return 1; }": [("function f", ["body", ("block", ["return"])])],
    "twostate function g(x: int): int reads x`y, {z} ensures x as int < 3 && x > 2": [
        ("function g", ["reads", "ensures"])
    ],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_has_this_structure(program: str) -> None:
    code, nodes = structure(program)
    assert outline(nodes) == PROGRAMS[program]
    assert all(0 <= node.start < node.end <= len(code.tokens) for node in nodes)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("method M() {", "never closed"),
        ("method M() { ) }", "closes nothing"),
        ("prose, not a program", "begins no declaration"),
        ("method M() { x := 1 }", "semicolon is expected"),
        ("method M() { x := ; }", "operand is expected"),
        ("method M() { while x < n invariant }", "operand is expected"),
        ("method M() { calc (1); }", "calc without braces"),
        ("const c := calc (1) 2", "calc without braces"),
        ('const s := "open', "open string"),
        ("const c := 1 $", "unknown"),
    ],
)
def test_what_cannot_be_placed_is_said(program: str, words: str) -> None:
    with pytest.raises(MisfitError, match=words):
        structure(program)


@pytest.mark.parametrize(
    ("program", "stops_at"),
    [
        ("a + b; c", ";"),
        ("|s| > 0 {}", "{"),
        ("set x | x in s && |x| == 1 :: x; c", ";"),
        ("match x { case A => {1} } {}", "{"),
        ("match x case A => 1 case B => 2; c", ";"),
        ("var x := 1; x requires", "requires"),
        ("assert a by { L(); } b requires", "requires"),
        ("calc { 1; 2; } 3 requires", "requires"),
        ("x is C<int> {}", "{"),
        ("x as int < y {}", "{"),
        ("forall x :: |x| == 0 ==> x in {1} ensures", "ensures"),
        ("new Node<T>.Init(1); c", ";"),
        ("s.(x := {1}) {}", "{"),
        ("f ==#[k] g {}", "{"),
        ("|a| + |b[|c|]| {}", "{"),
        ("{1} + {} {}", "{"),
        ("x requires_ P", "requires_"),
    ],
)
def test_an_expression_ends_where_dafny_ends_it(program: str, stops_at: str) -> None:
    code = Code(program)
    at = expression_end(code, 0, frozenset({"ensures", "requires"}))
    assert code.text(at) == stops_at
    rest = program.rindex(stops_at)
    assert code.tokens[at].start == rest or stops_at == ";"


def test_all_ground_truths_can_be_placed(dafnybench: object) -> None:
    tasks = [*Loader(Options(content="programs")).tasks(), *MiniLoader(MiniOptions()).tasks()]
    for task in tasks:
        assert task.ground_truth is not None
        structure(task.ground_truth)
    assert len(tasks) > 800


@pytest.mark.parametrize("bracket", ["(", "[", "{", "{:"])
def test_deep_nesting_is_said_or_read_in_bounded_time(bracket: str) -> None:
    with pytest.raises(MisfitError, match="never closed"):
        structure("const c := " + bracket * 100_000)
    structure("const c := " + "(" * 100_000 + "1" + ")" * 100_000)


@pytest.mark.parametrize(
    "program",
    [
        "method M() " + "{" * 50_000 + "}" * 50_000,
        "module A {" * 50_000 + "}" * 50_000,
        "method M() { " + "if x { " * 5_000 + "}" * 5_001,
        "method M() { " + "match x { case A => " * 5_000 + "}" * 5_001,
    ],
)
def test_what_nobody_writes_is_not_followed(program: str) -> None:
    with pytest.raises(MisfitError, match="nested deeper than 100 levels"):
        structure(program)


def test_long_chains_are_no_nesting() -> None:
    structure("method M() { if x {} " + "else if y {} " * 20_000 + "}")
    structure("method M(f: int" + " -> int" * 20_000 + ") {}")
    structure("const c := " + "a + " * 20_000 + "a")
