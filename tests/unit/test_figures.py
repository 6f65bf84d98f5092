"""Figures of any finished experiment can be drawn, and the same data gives the same bytes."""

from pathlib import Path

import pytest
from veriloop.outcomes import FAULTS, Outcome, Verdict
from veriloop.report.composition import STYLES, plot_outcomes
from veriloop.report.dots import plot_rates
from veriloop.report.figures import plot_cumulative
from veriloop.report.sizes import plot_strata
from veriloop.rows import AttemptRow, EndRow, RateRow, StratumRow
from veriloop.stages import plan, plot


def row(model: str, attempt: int, rate: float | None, **changes: object) -> AttemptRow:
    fields = {"benchmark": "b", "arm": "a", "model": model, "attempt": attempt, "n": 3, "not_scored": 0, "rate": rate}
    fields |= {"se": rate, "ci_low": rate and rate / 2, "ci_high": rate}
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


def rate_row(model: str, rate: float | None, **changes: object) -> RateRow:
    fields = {"benchmark": "b", "arm": "a", "model": model, "n": 4, "accepted": 1, "not_scored": 0, "rate": rate}
    fields |= {"se": rate, "ci_low": rate, "ci_high": rate, "ci_method": "wilson", "bound_low": 0, "bound_high": 1}
    fields |= {"left_out": 0, "seeds": 1, "source": "live", "synthetic": False, "note": ""}
    return RateRow.model_validate(fields | {"paper_percent": None, "paper_se_percent": None} | changes)


@pytest.mark.parametrize(
    "rows",
    [
        [rate_row("m", 0.5), rate_row("none", 0.2, paper_percent=26.9), rate_row("o", 0.1, synthetic=True)],
        [rate_row("m", 0.5), rate_row("m", 0.2, arm="x"), rate_row("m", None, benchmark="c")],
    ],
    ids=["one benchmark", "arms, two benchmarks, nothing scored"],
)
def test_rates_are_drawn(rows: list[RateRow], tmp_path: Path) -> None:
    for name in ("first", "second"):
        plot_rates(rows, "title", pdf=tmp_path / f"{name}.pdf", png=tmp_path / f"{name}.png")
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()


def end_row(model: str, end: str, count: int, **changes: object) -> EndRow:
    fields = {"benchmark": "b", "arm": "a", "model": model, "end": end, "count": count, "of": 20, "synthetic": False}
    return EndRow.model_validate(fields | changes)


def test_every_way_to_end_is_drawn(tmp_path: Path) -> None:
    rows = [end_row("m", end, 1) for end in STYLES] + [end_row("m", "accepted", 20, benchmark="c", synthetic=True)]
    for name in ("first", "second"):
        plot_outcomes(rows, "title", pdf=tmp_path / f"{name}.pdf", png=tmp_path / f"{name}.png")
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()


def test_an_end_without_a_style_is_an_error_and_no_shorter_bar(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not in list"):
        plot_outcomes([end_row("m", "rejected: x", 1)], "t", pdf=tmp_path / "f.pdf", png=tmp_path / "f.png")


def test_there_is_a_style_for_every_verdict_and_outcome() -> None:
    """A rejected score ends with an outcome that is neither success nor fault, at a gate, unread, or untold."""
    told = {o for o in Outcome if o not in FAULTS and o is not Outcome.VERIFIED}
    rejected = {f"rejected: {end}" for end in (*told, "gate", "acceptance", "unreadable", "not said how")}
    assert set(STYLES) == rejected | {str(v) for v in Verdict if v is not Verdict.REJECTED}


def test_the_plan_knows_every_figure() -> None:
    assert set(plan.FIGURES) == set(plot.FIGURES)
