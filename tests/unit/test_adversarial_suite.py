"""The gate that allows refuses every wrong answer of the suite and no honest one; the published ones as measured."""

import json
from pathlib import Path

import pytest
from veriloop.adversarial import read_cases
from veriloop.cli import main
from veriloop.stages.suite import SuiteRow, score_gates


@pytest.fixture(scope="module")
def rows() -> dict[str, SuiteRow]:
    return {row.gate: row for row in score_gates(read_cases())}


def test_the_suite_has_enough_of_each_kind() -> None:
    kinds = [case.kind for case in read_cases()]
    assert kinds.count("wrong") + kinds.count("code") >= 80
    assert kinds.count("honest") + kinds.count("ghost") >= 40
    assert len({(case.kind, case.name) for case in read_cases()}) == len(kinds)


@pytest.mark.parametrize("gate", ["strict, hints", "strict, ghost", "contract"])
def test_our_gates_make_no_mistake(gate: str, rows: dict[str, SuiteRow]) -> None:
    assert rows[gate].wrong_accepted == ()
    assert rows[gate].honest_refused == ()


def test_the_published_gates_are_as_measured(rows: dict[str, SuiteRow]) -> None:
    found = {name: (len(row.wrong_accepted), len(row.honest_refused)) for name, row in rows.items()}
    assert (found["axdafny"], found["dafnybench"]) == ((58, 4), (61, 9))


def test_the_table_and_the_exported_files_tell_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite"]) == 0
    assert "| strict, hints | 0 of 85        | 0 of 37        |" in capsys.readouterr().out
    assert main(["suite", "--export", str(tmp_path / "suite")]) == 0
    index = json.loads((tmp_path / "suite" / "index.json").read_text())
    assert len(index) == len(read_cases())
    for entry, case in zip(index, read_cases(), strict=True):
        assert (tmp_path / "suite" / entry["file"]).read_bytes() == case.candidate.encode()
        assert entry["accept"] == (case.kind in {"honest", "ghost"})
