"""Figures of any finished experiment can be drawn, and the same data gives the same bytes."""

from pathlib import Path

import pytest
from veriloop.report.figures import plot_cumulative
from veriloop.report.sizes import plot_strata
from veriloop.rows import AttemptRow, StratumRow


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


def bin_row(number: int, rate: float | None, **changes: object) -> StratumRow:
    fields = {"benchmark": "b", "arm": "a", "model": "m", "n": 0 if rate is None else 40, "accepted": 1}
    fields |= {"not_scored": 0, "rate": rate, "se": None, "ci_low": None, "ci_high": None, "ci_method": "x"}
    fields |= {"bound_low": None, "bound_high": None, "measure": "characters", "bins": "deciles", "joined_by": "name"}
    fields |= {"bin": number, "low": number, "high": number + 1, "source": "live", "synthetic": False}
    return StratumRow.model_validate(fields | changes)


@pytest.mark.parametrize(
    "rows",
    [
        [bin_row(1, None), bin_row(2, 0.5), bin_row(3, 0.2), bin_row(4, 0.2)],
        [bin_row(1, 0.5), bin_row(1, 0.4, joined_by="position"), bin_row(1, 0.1, model="none")],
        [bin_row(1, 0.5, bins="fixed", measure="hint_characters", synthetic=True)],
        [],
    ],
    ids=["an empty bin", "both pairings", "fixed bins", "no sizes"],
)
def test_success_by_size_is_drawn(rows: list[StratumRow], tmp_path: Path) -> None:
    for name in ("first", "second"):
        plot_strata(rows, "title", pdf=tmp_path / f"{name}.pdf", png=tmp_path / f"{name}.png")
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()
