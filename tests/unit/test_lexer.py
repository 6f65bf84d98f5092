"""Every byte of a program belongs to a token, and the tokens are those of Dafny's own scanner."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.dafny.lexer import BROKEN, LAYOUT, tokens
from veriloop.tasks import read_program

WORDS = [
    "method",
    "x'",
    "'a'",
    "'",
    "0x_",
    "\\",
    "\x00",
    "\ufeff",
    "ü",
    "∀",
    "\r\n",
    " ",
    "?",
    "`",
    "@",
    "...",
    "1.5",
    "1..2",
]
OPENERS = ["1.5", "1..2", '"a\\"b"', '@"a""b"', '"', '@"', "//c\n", "/*", "*/", "{:", ":=", "!in"]
pieces = st.sampled_from([*WORDS, *OPENERS])


@given(st.lists(pieces, max_size=30).map("".join) | st.text(max_size=60))
def test_the_tokens_joined_are_the_program(program: str) -> None:
    found = list(tokens(program))
    assert "".join(token.text for token in found) == program
    assert all(token.text for token in found)
    assert [token.start for token in found] == [sum(len(t.text) for t in found[:i]) for i in range(len(found))]


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        ("x'|y?|_z|a'b", "name name name name"),
        ("'a'|'ab|'abc'|'", "char name name name"),
        (r"'\n'|'\''|'\u00e9'|'é'", "char char char char"),
        (r'"a\"b"|""', "string string"),
        ('@"a""b\n"|c', "string name"),
        ('"a // b"|// c', "string comment"),
        ("a|/*b/*c*/d*/|e", "name comment name"),
        ("// a|\r|b|// c|\r\n|d", "comment blank name comment blank name"),
        ("1|..|2| |1.5| |0xfF| |1_000", "number symbol number blank number blank number blank number"),
        ("x| |!in| |s| |!|inner", "name blank symbol blank name blank symbol name"),
        ("{:|a|}|<| |=| |<=", "symbol name symbol symbol blank symbol blank symbol"),
        ("a|<==>|b|==>|c|<==|d", "name symbol name symbol name symbol name"),
        ("@|Axiom| |x", "symbol name blank name"),
    ],
)
def test_a_program_has_these_tokens(program: str, kinds: str) -> None:
    """A bar stands between the tokens of the test; it is not part of the program."""
    expected = program.split("|")
    if kinds.startswith(("name name", "char", "string string")):
        expected = [piece for word in expected for piece in (word, " ")][:-1]
    found = [token for token in tokens("".join(expected)) if token.kind != "blank" or "blank" in kinds]
    assert [token.text for token in found] == [piece for piece in expected if piece != " " or "blank" in kinds]
    assert " ".join(token.kind for token in found) == kinds


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("a /* b", "open_comment"),
        ("/* /* */", "open_comment"),
        ('a "b\nc', "open_string"),
        ('@"a', "open_string"),
        ("a \x00", "unknown"),
        ("a \\ b", "unknown"),
        ("a $ b", "unknown"),
        ("é", "unknown"),
    ],
)
def test_what_dafny_cannot_read_is_named_and_nothing_after_it_is_lost(program: str, kind: str) -> None:
    found = list(tokens(program))
    assert kind in {token.kind for token in found}
    assert "".join(token.text for token in found) == program


def test_a_long_program_takes_no_recursion() -> None:
    assert len(list(tokens("(" * 100_000))) == 100_000
    assert len(list(tokens("/*" * 100_000))) == 1


def test_the_programs_of_dafnybench_have_no_broken_token_but_one_open_comment(dafnybench: Path) -> None:
    broken = {}
    for path in [*dafnybench.glob("ground_truth/*.dfy"), *dafnybench.glob("hints_removed/*.dfy")]:
        program = read_program(path)
        found = list(tokens(program))
        assert "".join(token.text for token in found) == program
        if bad := {token.kind for token in found if token.kind in BROKEN}:
            broken[path.stem.removesuffix("_no_hints")] = bad
    assert broken == {"type-definition_tmp_tmp71kdzz3p_final": {"open_comment"}}


def test_the_programs_of_vericoding_come_back_byte_for_byte(dafnybench: Path) -> None:
    path = dafnybench.parent / "vericoding" / "dafny_tasks.jsonl"
    if not path.is_file():
        pytest.skip("the data mirror has no vericoding tasks")
    with path.open(encoding="utf-8") as lines:
        texts = [value for line in lines for value in json.loads(line).values() if isinstance(value, str)]
    for text in texts:
        assert "".join(token.text for token in tokens(text)) == text
    assert len(texts) > 2000


def test_layout_is_what_the_verifier_does_not_see() -> None:
    assert [t.text for t in tokens("a /*b*/ c // d") if t.kind not in LAYOUT] == ["a", "c"]
