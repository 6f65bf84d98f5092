"""Figures of any finished experiment can be drawn, and the same data gives the same bytes."""

from pathlib import Path

import pytest
from veriloop.report.figures import plot_cumulative
from veriloop.rows import AttemptRow


def row(model: str, attempt: int, rate: float | None, **changes: object) -> AttemptRow:
    fields = {"benchmark": "b", "arm": "a", "model": model, "attempt": attempt, "n": 3, "not_scored": 0, "rate": rate}
    return AttemptRow.model_validate(fields | {"source": "live", "synthetic": False} | changes)


CASES = {
    "a curve": [row("m", 1, 0.2), row("m", 2, 0.5), row("none", 0, 0.1)],
    "one attempt": [row("m", 1, 0.2)],
    "only the baseline": [row("none", 0, 0.1)],
    "nothing scored": [row("none", 0, None), row("m", 1, None)],
    "many lines": [row(f"model-with-a-long-name-{i}", k, i / 20, arm=f"arm_{i}") for i in range(9) for k in (1, 2)],
    "two benchmarks": [row("m", 1, 0.2), row("m", 1, 0.2, benchmark="c", source="published")],
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_drawn(name: str, tmp_path: Path) -> None:
    first = tmp_path / "first.pdf", tmp_path / "first.png"
    second = tmp_path / "second.pdf", tmp_path / "second.png"
    for pdf, png in (first, second):
        plot_cumulative(CASES[name], "title", pdf=pdf, png=png)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
