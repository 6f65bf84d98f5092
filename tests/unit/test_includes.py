"""A program stands alone: `include` as code is found, and never in comments, strings or names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veriloop.dafny.includes import include_line


@pytest.mark.parametrize(
    "program",
    [
        'include "/etc/passwd"',
        '// note\n\n  include    "x.dfy"',
        '/* a /* nested */ comment */ include "x.dfy"',
        'const s := "text"; include "x.dfy"',
        'const c := \'"\'; include "x.dfy"',
        'const v := @"a ""quoted"" \\"; include "x.dfy"',
        'method M() {}include"x.dfy"',
    ],
)
def test_an_include_is_found(program: str) -> None:
    assert include_line(program) is not None


@pytest.mark.parametrize(
    "program",
    [
        '// include "x.dfy"',
        '/* include "x.dfy" /* include */ include */ method M() {}',
        'const s := "include";',
        'const v := @"a "" include ";',
        "predicate includes(x: int)",
        "var include' := 1; var my_include := 2; var include? := 3;",
        "/* never closed include",
    ],
)
def test_the_word_elsewhere_is_not_an_include(program: str) -> None:
    assert include_line(program) is None


def test_the_line_is_told() -> None:
    assert include_line('// one\n// two\ninclude "x"\n') == 3


@given(st.text(alphabet="/*\"'@\\ \ninclude"))
def test_any_text_is_scanned_to_its_end(text: str) -> None:
    line = include_line(text)
    assert line is None or 1 <= line <= text.count("\n") + 1
