"""Tables say what was counted, what was left out, and which verifier it was."""

from veriloop.report.tables import differences_markdown, markdown, rates_markdown
from veriloop.rows import Difference, RateRow


def row(**changes: object) -> RateRow:
    fields = {"benchmark": "b", "arm": "a", "model": "m", "n": 4, "accepted": 1, "not_scored": 0, "rate": 0.25}
    fields |= {"se": 0.2, "ci_low": 0.0, "ci_high": 0.75, "ci_method": "bca", "bound_low": 0.25, "bound_high": 0.25}
    fields |= {
        "left_out": 0,
        "seeds": 1,
        "source": "live",
        "synthetic": False,
        "paper_percent": None,
        "paper_se_percent": None,
    }
    return RateRow.model_validate(fields | {"note": ""} | changes)


def test_a_row_shows_its_denominator_and_interval() -> None:
    text = rates_markdown([row()], ["Verifier: x."], 0.95)
    line = next(line for line in text.splitlines() if line.startswith("| b "))
    assert [cell.strip() for cell in line.split("|")[1:-1]] == [
        *("b", "a", "m", "4", "1", "0", "25.0 ± 20.0", "0.0 to 75.0", "")
    ]
    assert "Verifier: x." in text
    assert "synthetic" not in text


def test_what_was_not_scored_is_said_with_its_bounds() -> None:
    text = rates_markdown([row(not_scored=1, rate=1 / 3, bound_low=0.25, bound_high=0.5)], [], 0.95)
    assert "1 of 4 tasks were not scored" in text
    assert "would be 25.0" in text
    assert "50.0" in text


def test_synthetic_rows_are_marked_wherever_they_stand() -> None:
    text = rates_markdown([row(synthetic=True)], [], 0.95)
    assert "m (synthetic)" in text
    assert "say nothing about a model" in text


def test_no_scored_task_is_no_rate() -> None:
    text = rates_markdown([row(rate=None, se=None, ci_low=None, ci_high=None, not_scored=4)], [], 0.95)
    assert "none scored" in text


def test_bars_and_line_ends_do_not_break_a_table() -> None:
    assert markdown(["a"], [["x | y\nz"]]).splitlines()[-1] == "| x \\| y z |"


def test_differences_are_counted_against_what_was_compared() -> None:
    names = {"benchmark": "b", "arm": "a", "model": "m", "seed": 0, "task": "t", "outcome": "refuted"}
    difference = Difference.model_validate(names | {"published": "never solved", "live": "accepted", "reason": "why"})
    text = differences_markdown([difference], 60, "Verifier: x.")
    assert text.startswith("1 of 60 live outcomes differ")
    assert "why" in text
