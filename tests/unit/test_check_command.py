"""`veriloop check` without a verifier: what it exits with, and what it says."""

import json
from pathlib import Path

import jsonschema
import pytest
from veriloop.cli import main

GIVEN = "method M(x: int) returns (y: int)\n  ensures y == x\n{\n  y := x;\n}\n"
SCHEMA = Path(__file__).parents[2] / "docs" / "check.schema.json"


def check(folder: Path, given: bytes, candidate: bytes, *words: str) -> int:
    (folder / "given.dfy").write_bytes(given)
    (folder / "answer.dfy").write_bytes(candidate)
    files = ["--given", str(folder / "given.dfy"), "--candidate", str(folder / "answer.dfy")]
    return main(["check", *files, "--no-verify", *words])


@pytest.mark.parametrize(
    ("candidate", "words", "code", "says"),
    [
        (GIVEN, [], 0, "no violation; not verified"),
        (GIVEN.replace("  y :=", "  assert x == x;\n  y :="), [], 0, "no violation"),
        (GIVEN.replace("ensures y == x", "ensures true"), [], 1, "given line 2, candidate line 2"),
        (GIVEN.replace("  y :=", "  assume false;\n  y :="), ["--gate", "dafnybench"], 1, "cheating"),
        (GIVEN + "lemma L() {}\n", [], 1, "inserted"),
        (GIVEN + "lemma L() {}\n", ["--allow", "ghost"], 0, "no violation"),
        ("", [], 1, "deleted"),
        ("prose\n", [], 1, "unreadable"),
    ],
)
def test_the_exit_code_and_the_text_tell(
    candidate: str, words: list[str], code: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path, GIVEN.encode(), candidate.encode(), *words) == code
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "candidate", "words", "says"),
    [
        (b"", GIVEN.encode(), [], "given.dfy: empty"),
        (GIVEN.encode(), b"\xff", [], "answer.dfy: not UTF-8"),
        (GIVEN.encode(), GIVEN.encode(), ["--gate", "strikt"], "did you mean strict"),
        (GIVEN.encode(), GIVEN.encode(), ["--allow", "goast"], "level"),
        (GIVEN.encode(), GIVEN.encode(), ["--gate", "dafnybench", "--allow", "hints"], "level"),
    ],
)
def test_what_cannot_be_judged_exits_with_2_and_a_sentence(
    given: bytes,
    candidate: bytes,
    words: list[str],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check(tmp_path, given, candidate, *words) == 2
    assert says in capsys.readouterr().err


def test_a_file_that_is_not_there_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing.dfy")
    folder = str(tmp_path)
    for given, candidate in ((missing, missing), (folder, folder)):
        assert main(["check", "--given", given, "--candidate", candidate, "--no-verify"]) == 2
        assert given in capsys.readouterr().err


def test_the_json_follows_its_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for candidate in (GIVEN, GIVEN.replace("== x", "!= x"), "prose"):
        check(tmp_path, GIVEN.encode(), candidate.encode(), "--json")
        jsonschema.validate(json.loads(capsys.readouterr().out), schema)
