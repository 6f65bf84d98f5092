"""The page stands alone, and hostile text stays text."""

from pathlib import Path

import pytest
from builders import score
from veriloop.outcomes import Verdict
from veriloop.report.page import Ended, Page, ShownCell, ShownFigure, ShownTable, attempts_html, page_html
from veriloop.rows import FlagRow

HOSTILE = '<script>alert("x")</script>'


def page(folder: Path, **changes: object) -> Page:
    (folder / "f.png").write_bytes(b"\x89PNG")
    table = ShownTable("rates", "", ["model"], [[HOSTILE]], {"csv": "rates.csv"})
    fields = {
        "experiment": "e",
        "description": HOSTILE,
        "facts": [("models", HOSTILE)],
        "notes": [HOSTILE],
        "rates": table,
        "figures": [ShownFigure("f", HOSTILE, folder / "f.png", {"png": "f.png"})],
        "tables": [table],
        "left_out": [],
        "not_scored": [],
        "cells": [ShownCell("b", "a", HOSTILE, "a.html")],
        "config": HOSTILE,
    }
    return Page(**(fields | changes))


def test_nothing_that_comes_from_outside_becomes_markup(tmp_path: Path) -> None:
    flagged = FlagRow(benchmark="b", task="t", flag="duplicate", fault=True, detail=HOSTILE, found_by="text")
    lost = score("t", Verdict.NOT_SCORED, detail=HOSTILE)
    text = page_html(page(tmp_path, left_out=[flagged], not_scored=[lost]))
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 11


def test_the_figure_is_within_the_page(tmp_path: Path) -> None:
    text = page_html(page(tmp_path))
    assert 'src="data:image/png;base64,iVBORw==' in text
    assert "http" not in text


@pytest.mark.parametrize(
    ("left_out", "lost", "words"),
    [
        ([], [], ["No task was left out.", "Every result was scored."]),
        (["t", "u"], ["v"], ["2 tasks are left out", "1 r"]),
    ],
)
def test_what_was_excluded_is_said(left_out: list[str], lost: list[str], words: list[str], tmp_path: Path) -> None:
    flags = [FlagRow(benchmark="b", task=t, flag="f", fault=True, detail="", found_by="text") for t in left_out]
    text = page_html(page(tmp_path, left_out=flags, not_scored=[score(t, Verdict.NOT_SCORED) for t in lost]))
    assert all(word in text for word in words)


def test_attempts_name_their_journal_lines() -> None:
    cell = ShownCell("b", "a", "m", "../index.html")
    ended = [
        Ended(score("one", Verdict.REJECTED, first_line=3, last_line=5, detail=HOSTILE), "m/one.html", "j.jsonl"),
        Ended(score("two", Verdict.NOT_SCORED, first_line=None, last_line=None), "", "none.jsonl"),
    ]
    text = attempts_html("e", cell, ended)
    assert '<a href="j.jsonl">lines 3 to 5</a>' in text
    assert "none.jsonl" not in text
    assert "<script" not in text
