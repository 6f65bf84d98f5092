"""The coverage of the intervals, where it is quick to find out; docs/coverage.md has all of it."""

import pytest
from veriloop.stats.coverage import (
    bca_interval,
    clustered_coverage,
    exact_coverage,
    paired_coverage,
    wilson_interval,
)


@pytest.mark.parametrize("n", [30, 60, 100, 200])
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.3, 0.5, 0.8, 0.95, 0.98])
def test_the_interval_of_a_rate_holds_it_as_often_as_it_says(n: int, rate: float) -> None:
    (coverage,) = exact_coverage(n, [rate], wilson_interval)
    expected_of_the_rarer = n * min(rate, 1 - rate)
    # Counts are whole numbers, so the coverage jumps by a few points from one rate to the next.
    assert 0.925 <= coverage <= (0.975 if expected_of_the_rarer > 3 else 0.98)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.7])
@pytest.mark.parametrize(("n", "rate"), [(30, 0.3), (100, 0.1), (200, 0.98), (200, 0.5), (800, 0.02)])
def test_so_does_the_interval_of_means_over_seeds(n: int, rate: float, correlation: float) -> None:
    # 1000 simulations have a standard error of 0.7 points: three of them on either side of 93 to 97.
    coverage = clustered_coverage(n, rate, 3, correlation, wilson_interval, 1000)
    assert 0.93 - 0.021 <= coverage <= 0.97 + 0.021


def test_the_bootstrap_interval_is_too_wide_where_few_tasks_are_solved() -> None:
    rates = [0.02, 0.05]
    assert min(exact_coverage(60, rates, bca_interval)) > 0.98 > max(exact_coverage(60, rates, wilson_interval))


def test_the_interval_of_a_paired_difference_keeps_its_coverage() -> None:
    coverage, made = paired_coverage(100, 0.6, 0.7, 400)
    assert made == 1
    assert 0.91 <= coverage <= 0.98
