"""What acceptance makes of the tools' reports: the minimum of verified items, findings, code, and probes."""

from collections import Counter

import pytest
from veriloop.acceptance import Acceptance
from veriloop.acceptance.assumptions import compare_findings, parse_report
from veriloop.acceptance.minimum import minimum_verified
from veriloop.acceptance.tool import Refused, Said, Tool, ToolFaultError
from veriloop.acceptance.translation import compare_code, normal_code
from veriloop.acceptance.vacuity import unsatisfied, with_probes
from veriloop.config.toolchain import Limits
from veriloop.dafny.toolchain import Toolchain

LIMITS = Limits(resource=1, wall_seconds=10, memory_mb=64, output_bytes=1024, program_bytes=1024)
TOOLCHAIN = Toolchain(
    name="dafny-x",
    version="x",
    solver="z3 x",
    command_line="verify",
    command=("/no/such/dafny",),
    env={},
    solver_path="/no/such/z3",
    origin="mirror",
    content_sha256="",
    solver_sha256="",
)

COUNTED = {
    "": 1,
    "method M( {": 1,
    "method M() {}": 1,
    "method M() {} method N() {} lemma L(x: int) requires x > 0 {}": 1,
    "function F(x: int): int { x } predicate P(x: int) { x > 0 } const c := 3 datatype D = A | B(x: int)": 1,
    "lemma A() ensures true {} lemma B() ensures true {} lemma {:axiom} C() ensures true": 2,
    "lemma A() ensures true {} lemma {:verify false} B() ensures true {} @Verify lemma C() ensures true {}": 1,
    "lemma {:only} A() ensures true {} lemma B() ensures true {}": 1,
    "method A() returns (x: int) { x := 1; } method B() returns (x: int) { x := 1; }": 2,
    "method A(s: seq<int>) returns (x: int) requires |s| > 0 && s[0] > 0 { x := 1; }": 2,
    "method A(s: multiset<int>) requires s[0] > 0 {} method B(s: seq<int>) requires s == [0] && [..] {}": 1,
    "method A(a: array<int>) requires a[..] == [] {} lemma L(s: map<int, int>) requires s[0 := 1] == s {}": 1,
    "lemma A(x: int) requires x % 2 == 0 {} lemma B(x: int) requires x / 2 == 0": 2,
    "method A() { while true {} } method B() { for i := 0 to 3 {} } method C() { if true { assert true; } }": 3,
    "method A() decreases * { while true decreases * {} } lemma B() ensures true {} lemma C() ensures true {}": 2,
    "function F(x: nat): nat { if x == 0 then 0 else F(x - 1) } lemma L(x: nat) { L(x); }": 2,
    "least predicate F(x: nat) { x == 0 || F(x - 1) } lemma L() ensures true {} lemma K() ensures true {}": 2,
    "codatatype S = C(t: S) function F(x: nat): S { C(F(x)) } lemma L() ensures true {} lemma K() ensures true {}": 2,
    "type A = x: int | x > 0 witness 1 type B = x: int | x > 0 witness * newtype C = x: int | x >= 0 type D = int": 2,
    "iterator I() {} iterator J() yields (x: int) { yield 1; }": 2,
    "module A { module B { lemma L() ensures true {} } class C { constructor () ensures true {} } }": 2,
    "function F(x: int): int { x } by method { return x; } function G(): (r: int) ensures r > 0 { 1 }": 2,
}


@pytest.mark.parametrize("given", COUNTED)
def test_only_what_has_something_to_prove_in_any_case_is_counted(given: str) -> None:
    assert minimum_verified(given) == COUNTED[given]


REPORT = """# Module `A`

## Top level

### Member `M`

* Definition has `assume` statement in body. MUST remove.

* Definition has `assume` statement in body. MUST remove.

## Type `D`

* Declaration is odd.

### Member `Z`

* No body.
# Default module

## Top level

### Member `M`

* No body.
"""


def test_each_finding_of_a_report_has_its_declaration() -> None:
    assert parse_report(REPORT) == Counter(
        {
            ("A.M", "Definition has `assume` statement in body. MUST remove."): 2,
            ("A.D", "Declaration is odd."): 1,
            ("A.D.Z", "No body."): 1,
            ("M", "No body."): 1,
        }
    )
    assert parse_report("") == Counter()


def test_a_finding_is_new_if_the_given_program_has_it_less_often() -> None:
    given = parse_report(REPORT)
    assert compare_findings(given, lambda: given) == Said("passed")
    assert compare_findings(given, Counter) == Said("passed")
    said = compare_findings(given, lambda: given + Counter({("M", "No body."): 1}))
    assert said == Said("failed", "New in M: No body.")
    assert compare_findings(given, lambda: Refused("line 1: odd")).state == "failed"


def test_where_the_given_program_cannot_be_told_about_the_candidate_is_not_asked_for() -> None:
    def fail() -> Refused:
        raise AssertionError

    for compare in (compare_findings, compare_code):
        assert compare(Refused("line 1: odd"), fail).state == "not_applicable"
        assert "line 1: odd" in compare(Refused("line 1: odd"), fail).explanation


CODE = """import sys
import module_ as module_

# Module: module_

class default__:
    def M(x):
        if not(x):
            raise _dafny.HaltException("program.dfy(3,2): " + s)
        print("program.dfy(3,2): ")
        return d_0_x_
"""


def code(old: str = "", new: str = "", **files: str) -> dict[str, list[str]]:
    return normal_code({"out/program-py/module_.py": CODE.replace(old, new), **files})


def test_places_imports_and_modules_without_code_are_set_aside() -> None:
    ghost = "import sys\n\n# Module: Ghosts\n"
    moved = code(
        'HaltException("program.dfy(3,2)', 'HaltException("program.dfy(33,2)', **{"out/program-py/G.py": ghost}
    )
    assert compare_code(code(), lambda: moved) == Said("passed")
    assert compare_code(code(), lambda: code("import sys\n", "import sys\nimport G as G\n")) == Said("passed")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("if not(x)", "if x", "`if not(x):` became `if x:`"),
        ("d_0_x_", "d_1_x_", "became `return d_1_x_`"),
        ("        return d_0_x_\n", "", "`return d_0_x_` became"),
        ('print("program.dfy(3,2): ")', 'print("program.dfy(4,2): ")', "became `print("),
    ],
)
def test_any_other_line_counts(old: str, new: str, says: str) -> None:
    said = compare_code(code(), lambda: code(old, new))
    assert said.state == "failed"
    assert says in said.explanation


def test_a_module_with_code_that_comes_or_goes_counts() -> None:
    more = code(**{"out/program-py/G.py": "class default__:\n    pass\n"})
    assert compare_code(code(), lambda: more) == Said("failed", "The code of G is new.")
    assert compare_code(more, code) == Said("failed", "The code of G is missing.")


def test_a_probe_stands_on_its_own_line_in_each_body_with_requirements() -> None:
    program = (
        "method M(x: int)\r\n  requires x > 0\r\n{ }\r\nlemma L() { }\n"
        "function F(x: int): int requires x > 0 { x }\nlemma {:verify false} N(x: int) requires x > 0 { }\n"
        "lemma B(x: int) requires x > 0\n"
    )
    probed, probes = with_probes(program)
    assert [(p.name, p.line, p.first) for p in probes] == [("M", 1, 1), ("F", 5, 7)]
    assert [probed.splitlines()[p.last - 1] for p in probes] == ["assert false;"] * 2
    assert probed.replace("\nassert false;\n", "") == program
    assert with_probes("method {:only} M(x: int) requires x > 0 { }")[1] == []


def test_a_probe_without_an_error_is_proved() -> None:
    _, probes = with_probes("lemma A(x: int)\n  requires x > x { }\nlemma B(x: int) requires x > 0 { }\n")
    first, second = probes
    assert unsatisfied(probes, {second.last}) == [first]
    assert unsatisfied(probes, {first.first, second.first}) == []


def test_a_tool_that_cannot_be_started_is_a_fault_and_is_asked_again() -> None:
    acceptance = Acceptance(TOOLCHAIN, LIMITS, ("assumptions", "translation", "vacuity"))
    for _ in range(2):
        checks = acceptance.check("method M() {}", "method M() { }", code_frozen=True)
        assert [(c.name, c.state) for c in checks] == [(n, "fault") for n in ("assumptions", "translation", "vacuity")]
        assert all("/no/such/dafny" in c.explanation for c in checks)


def test_no_tool_is_asked_where_the_answer_is_known() -> None:
    acceptance = Acceptance(TOOLCHAIN, LIMITS, ("assumptions", "translation"))
    same = acceptance.check("method M() {}", "method M() {}", code_frozen=True)
    assert [(c.name, c.state) for c in same] == [("assumptions", "passed"), ("translation", "passed")]
    (_, open_code) = acceptance.check("method M() {}", "method M() { }", code_frozen=False)
    assert (open_code.state, open_code.explanation) == ("not_applicable", "the task leaves the code open")


def test_the_old_command_line_cannot_tell() -> None:
    old = TOOLCHAIN.model_copy(update={"command_line": "legacy"})
    checks = Acceptance(old, LIMITS, ("assumptions", "translation", "vacuity")).check("a", "b", code_frozen=True)
    assert [c.state for c in checks] == ["not_applicable"] * 3
    assert "old command line" in checks[0].explanation


def test_the_minimum_is_asked_for_only_where_its_rules_are_known() -> None:
    given = "lemma A() ensures true {} lemma B() ensures true {}"
    old = TOOLCHAIN.model_copy(update={"command_line": "legacy"})
    assert Acceptance(TOOLCHAIN, LIMITS, ("minimum",)).minimum(given) == 2
    assert Acceptance(TOOLCHAIN, LIMITS, ("assumptions",)).minimum(given) == 1
    assert Acceptance(old, LIMITS, ("minimum",)).minimum(given) == 1
    assert Acceptance(TOOLCHAIN, LIMITS, ("minimum",)).check(given, "", code_frozen=True) == ()


def test_an_error_of_the_tools_own_is_not_the_programs() -> None:
    tool = Tool(TOOLCHAIN.model_copy(update={"command": ("/bin/false",)}), LIMITS)
    with pytest.raises(ToolFaultError, match="exit code 1"):
        tool.files(["audit"], "method M() {}", "x")


def test_a_given_program_that_crashes_a_tool_says_nothing_about_its_answers() -> None:
    broken = TOOLCHAIN.model_copy(update={"command": ("/bin/false",)})
    checks = Acceptance(broken, LIMITS, ("assumptions", "translation")).check("a", "b", code_frozen=True)
    assert [c.state for c in checks] == ["not_applicable"] * 2
