"""Rates and intervals against closed forms, and what must hold of any values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from veriloop.seeding import generator
from veriloop.stats.rates import design_effect, estimate_rate, wilson


def estimate(values: list[float], seed: int = 1):
    return estimate_rate(np.array(values, dtype=float), 0.95, bootstrap=(999, generator(seed, "test")))


def test_the_standard_error_is_the_one_of_the_paper() -> None:
    values = [1.0] * 530 + [0.0] * 252
    p = 530 / 782
    assert estimate(values).se == pytest.approx(math.sqrt(p * (1 - p) / 782))


def test_the_interval_of_a_large_sample_is_near_the_normal_one() -> None:
    values = [1.0] * 400 + [0.0] * 400
    rate = estimate(values)
    assert rate.ci_method == "bca"
    assert rate.ci_low == pytest.approx(0.5 - 1.96 * rate.se, abs=0.01)
    assert rate.ci_high == pytest.approx(0.5 + 1.96 * rate.se, abs=0.01)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.5])
def test_equal_values_are_a_result_with_wilsons_interval(value: float) -> None:
    rate = estimate([value] * 20)
    assert (rate.rate, rate.ci_method) == (value, "wilson")
    assert rate.ci_low < rate.ci_high


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (208, 782)])
def test_wilson_agrees_with_scipy(k: int, n: int) -> None:
    reference = stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k / n, n, 0.95) == pytest.approx((reference.low, reference.high))


@pytest.mark.parametrize("values", [[], [0.5, 1.5], [-0.1], [float("nan")]])
def test_there_is_no_rate_of_nothing_or_of_what_is_no_value(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"scored task|between 0 and 1"):
        estimate(values)


def test_wilsons_interval_is_the_standard_one() -> None:
    values = np.repeat([1.0, 0.0], [208, 574])
    reference = stats.binomtest(208, 782).proportion_ci(0.95, method="wilson")
    rate = estimate_rate(values, 0.95)
    assert (rate.ci_low, rate.ci_high, rate.ci_method) == (
        pytest.approx(reference.low),
        pytest.approx(reference.high),
        "wilson",
    )


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60))
def test_seeds_make_an_interval_narrower_and_never_wider(solved: list[int]) -> None:
    values = np.array(solved) / 4
    effect = design_effect(values)
    rate = estimate_rate(values, 0.95)
    plain = wilson(rate.rate, values.size, 0.95)
    assert 0 < effect <= 1 + 1e-12
    assert plain[0] - 1e-12 <= rate.ci_low <= rate.rate + 1e-12
    assert rate.rate - 1e-12 <= rate.ci_high <= plain[1] + 1e-12


@given(st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0]), min_size=1, max_size=60))
def test_the_interval_of_failures_mirrors_that_of_successes(values: list[float]) -> None:
    rate, mirrored = estimate_rate(np.array(values), 0.95), estimate_rate(1 - np.array(values), 0.95)
    assert mirrored.ci_low == pytest.approx(1 - rate.ci_high, abs=1e-9)


def test_one_seed_has_no_design_effect_and_many_agreeing_seeds_nearly_none() -> None:
    assert design_effect(np.array([0.0, 1.0, 1.0])) == 1
    assert design_effect(np.array([0.5] * 50)) == 1
    assert design_effect(np.tile([0.0, 1.0, 1.0, 0.9], 100)) > 0.85
    assert design_effect(np.tile([0.4, 0.5, 0.6], 100)) < 0.1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 1.0]), min_size=1, max_size=60))
def test_the_interval_holds_the_rate_and_is_the_same_each_time(values: list[float]) -> None:
    rate = estimate(values)
    assert 0 <= rate.ci_low <= rate.rate <= rate.ci_high <= 1
    assert rate == estimate(values)


def test_another_stream_of_chance_moves_the_interval_only() -> None:
    first, second = estimate([0, 1, 1, 0, 1, 1, 1], 1), estimate([0, 1, 1, 0, 1, 1, 1], 2)
    assert (first.rate, first.se) == (second.rate, second.se)


@given(st.lists(st.integers(0, 1), min_size=2, max_size=30))
def test_generators_depend_on_the_key_alone(words: list[int]) -> None:
    draws = generator(1, "stage", *words).random(3)
    assert np.array_equal(draws, generator(1, "stage", *words).random(3))
    assert not np.array_equal(draws, generator(1, "stage", *words, 9).random(3))
