"""The program in an answer is found whatever surrounds it, and nothing that is not code is taken for it."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from veriloop.llm.extract import INVISIBLE, Extraction, extract

DRAFT = "method Draft() {\n  assert true;\n}\n"
FINAL = "method Final(x: int)\n  requires x > 0\n{\n  assert x >= 1;\n}\n"
EXCERPT = "requires x > 0\n"
FENCE_LIKE = re.compile(r"^[-*+\d.) \t]*(?:```|~~~)", re.MULTILINE)
LONE_RETURN = "// harmless\rmethod Hidden() { assume false; }\n"


def fenced(program: str, tag: str = "dafny", fence: str = "```") -> str:
    return f"{fence}{tag}\n{program}{fence}\n"


def indented(text: str, margin: str) -> str:
    return "".join(f"{margin}{line}\n" for line in text.splitlines())


FENCES = {
    "tag": fenced(FINAL),
    "no tag": fenced(FINAL, ""),
    "capital": fenced(FINAL, "Dafny"),
    "dfy": fenced(FINAL, "dfy"),
    "another language": fenced(FINAL, "csharp"),
    "blank before the tag": fenced(FINAL, " dafny "),
    "attributes after the tag": fenced(FINAL, 'dafny title="Final.dfy" {1,2}'),
    "tag in braces": fenced(FINAL, "{.dafny}"),
    "four backticks": fenced(FINAL, fence="````"),
    "seven backticks": fenced(FINAL, fence="```````"),
    "tildes": fenced(FINAL, fence="~~~"),
    "five tildes": fenced(FINAL, fence="~~~~~"),
    "longer closing fence": f"```dafny\n{FINAL}`````  \n",
    "closing fence further right": f"```dafny\n{FINAL}   ```\n",
    "three blanks": indented(fenced(FINAL), "   "),
    "tab": indented(fenced(FINAL), "\t"),
    "list": f"1. Here it is:\n\n{indented(fenced(FINAL), '     ')}\n2. Done.",
    "list marker": "- " + indented(fenced(FINAL), "  ").lstrip(),
    "number": "12) " + indented(fenced(FINAL), "    ").lstrip(),
    "nested lists": "- 1. " + indented(fenced(FINAL), "     ").lstrip(),
    "prose": f"Sure! Here is it.\n\n{fenced(FINAL)}\nIt holds, since `x >= 1`.",
    "no last line end": fenced(FINAL).rstrip("\n"),
    "CRLF": fenced(FINAL).replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + fenced("\ufeff" + FINAL),
    "zero width": fenced("\u200b\u2060" + FINAL),
    "entities": fenced("method Final(x: int)\n  requires x &gt; 0\n{\n  assert x &gt;= 1;\n}\n"),
    "closed after the last brace": f"```dafny\n{FINAL.rstrip()}```\n\nDone.",
    "code on the fence's line": f"```dafny {FINAL}```\n",
    "code after a fence without tag": f"```{FINAL}```\n",
    "opened within prose": f"Here it is: ```dafny\n{FINAL}```\nDone.",
    "opened in the prompt": f"{FINAL}```\nThis is the whole program.",
    "fence around a fence": f"```\n{fenced(FINAL)}```\n",
    "code after thinking on one line": f"<think>Hm.</think>{fenced(FINAL)}",
}

SEVERAL = {
    "draft first": fenced(DRAFT) + "That was wrong.\n" + fenced(FINAL),
    "excerpt last": fenced(FINAL) + "It needs this:\n" + fenced(EXCERPT),
    "excerpts around": fenced(EXCERPT) + fenced(FINAL) + fenced(EXCERPT),
    "longer without tag": fenced(DRAFT * 9, "") + fenced(FINAL),
    "output last": fenced(FINAL) + fenced("Dafny program verifier finished with 1 verified, 0 errors\n" * 9, "text"),
    "empty tagged block": fenced("") + fenced(FINAL, ""),
    "no tags": fenced(DRAFT, "") + "or\n" + fenced(FINAL, "") + fenced("x > 0\n", ""),
    "draft never closed": f"```dafny\n{DRAFT}\nNo. Once more:\n{fenced(FINAL)}",
    "line in fences": f"{fenced(FINAL)}\n```dafny assert x;```\n",
}

REASONING = {
    "think": f"<think>\n{fenced(DRAFT * 9)}\n</think>\n{fenced(FINAL)}",
    "capitals": f"<THINK>\n{fenced(DRAFT)}\n</Think>\n{fenced(FINAL)}",
    "after it": f"{fenced(FINAL)}\n<reflection>\n{fenced(DRAFT)}</reflection>",
    "another name inside": f"<thinking><reflection>{DRAFT}</reflection>\n{fenced(DRAFT)}</thinking>\n{fenced(FINAL)}",
    "open fence inside": f"<scratchpad>\n```dafny\n{DRAFT}</scratchpad>\n{fenced(FINAL)}",
    "never opened": f"Let me see.\n{fenced(DRAFT)}</think>\n\n{fenced(FINAL)}",
    "never opened, fence before the tag": f"{fenced(DRAFT).rstrip()}</think>\n{fenced(FINAL)}",
    "never opened, open fence": f"Let me see.\n```dafny\n{DRAFT * 9}\n</think>\n\n{fenced(FINAL)}",
    "never closed": f"{fenced(FINAL)}\n<reasoning>\n{fenced(DRAFT)}",
    "named again inside": f"<think>I close it with </think> then.\n{fenced(DRAFT)}</think>\n{fenced(FINAL)}",
    "spoken of": f"No `<think>` is needed.\n{fenced(FINAL)}",
}

OPEN_ENDED = {
    "fence never closed": f"Here:\n```dafny\n{FINAL}",
    "fence never closed after a draft": f"{fenced(DRAFT)}Or:\n```dafny\n{FINAL}",
    "no fence": FINAL,
    "no fence, CRLF": FINAL.replace("\n", "\r\n"),
    "no fence, byte order mark": "\ufeff" + FINAL,
    "no fence, prose": f"Here is the method you want.\n\n{FINAL}\nThis method is verified, as {{x}} is positive.\n",
    "no fence, headings": f"# Program\n---\n{FINAL}\n---\n## Why\n- **requires** is needed.\n- method names stay.\n",
    "no fence, wrapped prose": f"I changed the\nmethod as you said, and the\nclass is gone.\n{FINAL}requires is met.\n",
    "no fence, table": f"{FINAL}\n| method | verified |\n| --- | --- |\n| Final | yes |\n",
    "no fence, reasoning": f"<think>\n{DRAFT}</think>\n{FINAL}",
    "no fence, draft in an open fence": f"```dafny\n{DRAFT}</think>\n\n{FINAL}",
}


@pytest.mark.parametrize("cut_off", [False, True])
@pytest.mark.parametrize(
    "answer", [*FENCES.values(), *SEVERAL.values(), *REASONING.values()], ids=[*FENCES, *SEVERAL, *REASONING]
)
def test_a_program_that_a_fence_closes_is_found_exactly_even_if_the_answer_is_cut_off(
    answer: str, cut_off: bool
) -> None:
    found = extract(answer, cut_off=cut_off)
    assert (found.kind, found.program) == ("program", FINAL)
    assert found.why.endswith(".")


@pytest.mark.parametrize("answer", OPEN_ENDED.values(), ids=OPEN_ENDED)
def test_a_program_that_no_fence_closes_is_found_unless_the_answer_is_cut_off(answer: str) -> None:
    assert extract(answer).program == FINAL
    assert extract(answer, cut_off=True).kind == "truncated"


@pytest.mark.parametrize(
    "program",
    [
        "// a note\nmethod M() {}\n",
        "/* a\n   note */\nmethod M()\n",
        'include "other.dfy"\nimport opened Other\n',
        "import A = B\nimport C`Public\n",
        "module A.B refines C {\n}\n",
        "abstract module A\n{\n}\n",
        "ghost predicate P(x: int)\n  requires x > 0\n  reads {}\n",
        "least predicate P[nat](x: int) { x == 0 || P(x - 1) }\n",
        "greatest lemma L(x: int)\n",
        "twostate function F(): int { 0 }\n",
        "opaque function F(): int\n{ 0 }\n",
        "ghost\nfunction F(): int\n{ 0 }\n",
        "function method F<T>(x: T): T { x }\n",
        "lemma {:induction false} L()\n  ensures true\n",
        "@IsolateAssertions\nmethod M() {}\n",
        '{:options "--x"}\nmodule M {}\n',
        "class {:autocontracts} C extends D {\n  var x: int; }\n",
        "trait T<A>\n{\n}\n",
        "datatype D =\n  | A\n  | B(x: int)\n",
        "codatatype S<T> = Nil |\n  Cons(T, S<T>)\n",
        "type Positive = x: int | 0 < x\n  witness 1\n",
        "type T(==)\n",
        "newtype Byte = x: int | 0 <= x < 256\n",
        "const N: nat := 3\n",
        "static const N := 3;\n",
        "ghost const N := 3\n",
        "iterator I(n: int) yields (x: int)\n",
        "predicate P()\n{\n  true\n} // the end\n",
        "method M() {\n\n}\n\nmethod N() {\n}\n",
        "method M() {\n}\n/* the\n   end */\n",
    ],
)
def test_a_bare_program_is_cut_out_of_prose_from_its_first_declaration_to_its_last_line(program: str) -> None:
    found = extract(f"The program follows.\n\n{program}\nIt was not easy.\nStill, it holds.\n")
    assert (found.program, found.blocks, found.block) == (program, 0, None)


@pytest.mark.parametrize(
    "program",
    [
        "// <think> is a tag\nmethod M() {}\n",
        'method M() { /* </think> */ print "<reasoning>"; }\n',
        "/*\n<think>\nFirst M.\n</think>\n*/\nmethod M() {}\n",
        "</think>\nmethod M() {}\n",
        'method M() { print "&lt;&amp;", 1 < 2; }\n',
        'method M() { print "&lt;", true && true; }\n',
        "method M() { print '&' as int; }\n",
        "// ``` and ~~~ in a comment }```\nmethod M() {}\n",
        "\n\n  method M() {}  \n\n",
        "// a\u2028b\x0bc\x85d\x00\nmethod M() {}\n",
        LONE_RETURN,
        f"\r{LONE_RETURN}",
        "not Dafny at all\n",
    ],
)
def test_what_a_closed_block_holds_is_left_as_it_is(program: str) -> None:
    for tag in ("dafny", ""):
        assert extract(f"Here:\n{fenced(program, tag)}Done.").program == program


def test_a_shorter_or_another_fence_in_a_block_is_content() -> None:
    program = f"/*\n{fenced('x', '')}{fenced('x')}~~~~~\n*/\nmethod M() {{}}\n"
    assert extract(fenced(program, fence="````")).program == program


def test_a_fence_with_another_tag_in_a_block_is_content_up_to_the_fence_that_closes_it() -> None:
    program = f"/*\n{fenced(EXCERPT, 'TypeScript')}\n{fenced(EXCERPT, 'text')}*/\nmethod M() {{}}\n"
    assert extract(f"{fenced(program)}Done.").program == program
    assert extract(f"```dafny\n{DRAFT}```text\nNo.\n{fenced(FINAL)}").program == FINAL


def test_a_fence_further_right_than_its_block_is_content() -> None:
    program = "/*\n    ```\n*/\nmethod M() {}\n"
    assert extract(fenced(program)).program == program


@pytest.mark.parametrize("program", ["// <think> is a tag\nmethod M() {}\n", "/*\n<think>\n</think>\n*/\nlemma L()\n"])
def test_a_block_that_nothing_closes_may_speak_of_tags_too(program: str) -> None:
    assert extract(f"```dafny\n{program}").program == program


@pytest.mark.parametrize(
    "answer", ["{}", "Here:\n{}", "```dafny\n{}```", "```dafny\n{}", "```dafny {}```", "```{}\n```", "~~~{}~~~"]
)
def test_a_lone_carriage_return_is_kept_since_code_may_follow_it(answer: str) -> None:
    found = extract(answer.format(LONE_RETURN))
    assert found.program is not None
    assert LONE_RETURN in found.program


def test_lone_carriage_returns_are_kept_where_a_fence_ends_in_one() -> None:
    assert extract("```dafny\rmethod M() {}\r```\r").program == "\rmethod M() {}\r\n"
    assert extract("```dafny\rmethod M() {}\n```\n").program == "\rmethod M() {}\n"
    assert extract("```dafny\r\r\nmethod M() {}\r\r\n```\r\r\n").program == "method M() {}\r\n"


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("```dafny method M() {}```", "method M() {}\n"),
        ("```method M() {}```", "method M() {}\n"),
        ("```csharp method M() {}```", "method M() {}\n"),
        ("```assert x;```", "assert x;\n"),
        ("~~~dfy assert x;~~~", "assert x;\n"),
        ("1. ```lemma L()```", "lemma L()\n"),
        ("```dafny /* <think> */ method M() {}```", "/* <think> */ method M() {}\n"),
    ],
)
def test_a_block_may_be_one_line(answer: str, program: str) -> None:
    assert extract(f"So:\n{answer}\nDone.").program == program


@pytest.mark.parametrize(
    ("escaped", "program"),
    [
        ("seq&lt;int&gt; &amp;&amp; &quot;&#39;&#x27;&apos;&LT;", "seq<int> && \"'''<\n"),
        ("&amp;lt;", "&lt;\n"),
        ("&copy; &notin", "&copy; &notin\n"),
    ],
)
def test_entities_are_read_once_where_no_operator_stands_beside_them(escaped: str, program: str) -> None:
    assert extract(fenced(f"{escaped}\n")).program == program


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("", "empty"),
        (" \n\t\r\n", "empty"),
        ("\ufeff", "empty"),
        ("I cannot prove this method.", "without_code"),
        ("The method\nis wrong: see the\nfunction of the\nmodule that\nyou sent.", "without_code"),
        ("Use ```x``` and `y` here.", "without_code"),
        ("```dafny\n```", "without_code"),
        ("```dafny\n \n\n```", "without_code"),
        ("```dafny\n\ufeff\n```", "without_code"),
        ("```\n```\n```dafny\n```", "without_code"),
        ("```", "without_code"),
        ("```dafny```", "without_code"),
        (f"<think>{fenced(FINAL)}</think>", "without_code"),
        (f"<think>{fenced(FINAL)}", "without_code"),
        (f"{fenced(FINAL)}</think>", "without_code"),
    ],
)
def test_an_answer_without_a_program_has_a_kind(answer: str, kind: str) -> None:
    assert extract(answer).kind == kind
    assert extract(answer, cut_off=True).kind == "truncated"


def test_the_blocks_outside_of_reasoning_are_counted() -> None:
    shown = f"{fenced(DRAFT)}then\n{fenced(EXCERPT)}{fenced(FINAL)}{fenced(EXCERPT)}"
    found = extract(f"<think>{fenced(DRAFT)}</think>{shown}")
    assert (found.blocks, found.block, found.program) == (4, 3, FINAL)
    assert found.why == "Block 3 of 4, the last at least half as long as the longest of those with a Dafny tag."


def test_a_last_block_that_was_cut_off_is_no_program_unless_it_is_short() -> None:
    cut = extract(f"{fenced(DRAFT)}```dafny\n{FINAL}", cut_off=True)
    assert (cut.kind, cut.block, cut.blocks) == ("truncated", 2, 2)
    assert extract(f"{fenced(FINAL)}```dafny\nmethod", cut_off=True).program == FINAL


def test_lone_surrogates_become_what_a_file_can_hold() -> None:
    assert extract(fenced("// \ud800 \udfff\n")).program == "// \ufffd \ufffd\n"


MARKS = [
    "```",
    "````",
    "~~~",
    "`",
    "dafny",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "- ",
    "1. ",
    "}",
    "{",
    "|",
    "method M()",
    "//",
]
TAGS = [
    "<think>",
    "</think>",
    "<",
    "</reflection>",
    "<Reflection >",
    "&lt;",
    "&",
    "\ufeff",
    "\x00",
    "\ud800",
    "x.",
    "=",
]
pieces = st.lists(st.sampled_from(MARKS + TAGS), max_size=40).map("".join)


@given(st.one_of(st.text(), pieces), st.booleans())
def test_any_text_has_a_program_or_a_reason_for_none(answer: str, cut_off: bool) -> None:
    found = extract(answer, cut_off=cut_off)
    assert (found.program is None) == (found.kind != "program")
    assert found.block is None or 1 <= found.block <= found.blocks
    assert found.program is None or found.program.strip()
    assert Extraction.model_validate_json(found.model_dump_json()) == found


@given(
    st.one_of(st.text(st.characters(exclude_categories=["Cs"])), pieces),
    st.sampled_from(["dafny", "", "text"]),
    st.sampled_from(["```", "`````", "~~~"]),
    st.booleans(),
)
def test_whatever_stands_in_a_closed_fence_comes_back(program: str, tag: str, fence: str, cut_off: bool) -> None:
    """But for CRLF and what has no width at its start; reasoning tags in it are content."""
    assume(not FENCE_LIKE.search(program.replace("\r\n", "\n")))
    assume("&lt;" not in program)
    assume("\ud800" not in program)
    content = f"{program}\n"
    text = content.replace("\r\n", "\n").lstrip(INVISIBLE)
    found = extract(f"So:\n{fenced(content, tag, fence)}", cut_off=cut_off)
    assert found.program == (text if text.strip() else None)


HOSTILE = {
    "backticks": "`" * 1_000_000,
    "tildes": "~" * 1_000_000,
    "backticks and blanks": "`" * 500_000 + " " * 500_000 + "x",
    "blanks": " " * 1_000_000 + "x",
    "fences": "```\n" * 60_000,
    "fences that open": "```dafny\n" * 40_000,
    "fences that open and may close": "```dafny\nx}```\n" * 30_000,
    "fences within a line": "``` ``` x\n" * 50_000,
    "shorter and shorter fences": "".join("`" * length + "x\n" for length in range(1400, 2, -1)),
    "list markers": "- " * 500_000,
    "numbers and fences": "1. ```a" * 150_000,
    "opening tags": "<think>" * 140_000,
    "closing tags": "</think>" * 120_000,
    "lines that are closing tags": "</think>\n" * 50_000,
    "tags in pairs": "<think></think>" * 60_000,
    "closing tags in a block": "```\n" + "</think>\n" * 110_000,
    "pairs of tags in a block": "```\n" + "<think>\n</think>\n" * 60_000,
    "tags after backticks": "`<think>" * 120_000,
    "a tag that never ends": "<think" + " " * 1_000_000,
    "entities": "&lt;" * 250_000,
    "ampersands": "```\n" + "&" * 1_000_000 + "\n```",
    "byte order marks": "\ufeff" * 500_000,
    "modifiers": "ghost " * 160_000,
    "a modifier and blanks": "ghost" + " " * 1_000_000,
    "a name with dots": "method " + "a." * 500_000 + "!",
    "a long name": "import " + "a" * 1_000_000 + "-",
    "comments": "// x\n" * 50_000,
    "bars": "method M()\n" + "|" * 1_000_000,
    "lines that go on": "method M()\n" + "x =\n" * 60_000,
    "lines that do not": "method M()\n" + "x.\n" * 60_000,
    "carriage returns": "\r" * 1_000_000,
    "CRLF": "\r\n" * 100_000,
    "carriage returns and fences": "```dafny\r" * 100_000,
    "NUL": "\x00" * 1_000_000,
    "surrogates": "\ud800" * 500_000,
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_large_hostile_answers_are_read(answer: str) -> None:
    found = extract(answer)
    assert (found.program is None) == (found.kind != "program")
