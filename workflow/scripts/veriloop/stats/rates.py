"""A rate with its interval, resampled by task."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rate:
    """A mean of task values in [0, 1], its standard error, and its interval with the method that made it."""

    rate: float
    se: float
    ci_low: float
    ci_high: float
    ci_method: str


PRIOR_TASKS = 0.75
"""Weight, in tasks, of the belief that a task's seeds all agree; see `design_effect`. Chosen by docs/coverage.md."""


def estimate_rate(
    values: Values, confidence: float, *, bootstrap: tuple[int, np.random.Generator] | None = None
) -> Rate:
    """The mean of the tasks' values, with its interval.

    The standard error is the one that DafnyBench prints (table 3): for values of 0 and 1 it is
    sqrt(rate (1 - rate) / n). The interval is Wilson's, for values that are means over seeds with the effective
    number of tasks; or, if asked for, a BCa bootstrap over tasks, which has no width where all values are equal, so
    that Wilson's stands there too. docs/coverage.md has the coverage of both.

    Args:
        values: one value for each scored task, shape (n,), each in [0, 1].
        confidence: of the interval, for example 0.95.
        bootstrap: number of resamples and where they come from, for the BCa interval; None for Wilson's.

    Raises:
        ValueError: no values, or values outside [0, 1]: there is no rate of nothing.
    """
    if values.ndim != 1 or values.size == 0:
        raise ValueError("a rate needs at least one scored task")
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("task values must lie between 0 and 1")
    rate = float(values.mean())
    se = float(values.std() / math.sqrt(values.size))
    if bootstrap is not None and not np.all(values == values[0]):
        low, high = bca(values, confidence, *bootstrap)
        return Rate(rate, se, low, high, "bca")
    effect = design_effect(values)
    low, high = wilson(rate, values.size / effect, confidence)
    return Rate(rate, se, low, high, "wilson" if effect == 1 else "wilson_effective_n")


def design_effect(values: Values) -> float:
    """The variance of the mean, as a share of what it would be if every task were all or nothing.

    It is 1 for values of 0 and 1, and below 1 where means over seeds say more of a task than one try would; Korn and
    Graubard (1998) divide n by it to get an effective sample size for Wilson's interval. With few tasks that are
    neither all solved nor all failed it is badly known and an interval would be too narrow; it is therefore averaged
    with 1, which has the weight of `PRIOR_TASKS` tasks. Equal values give 1.

    Args:
        values: one value for each task, shape (n,), each in [0, 1].
    """
    rate = float(values.mean())
    telling = min(np.count_nonzero(values > 0), np.count_nonzero(values < 1))
    if telling == 0 or np.all((values == 0) | (values == 1)) or np.all(values == values[0]):
        return 1.0
    observed = float(values.var()) / (rate * (1 - rate))
    return (telling * observed + PRIOR_TASKS) / (telling + PRIOR_TASKS)


def bca(values: Values, confidence: float, resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    """The BCa bootstrap interval of a mean that resamples tasks; the values must not all be equal."""
    result = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=confidence,
        n_resamples=resamples,
        batch=max(1, 2_000_000 // values.size),
        method="BCa",
        rng=rng,
    )
    interval = result.confidence_interval
    return float(interval.low), float(interval.high)


def wilson(rate: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's score interval (1927) for a rate observed on n tasks; n may be an effective number."""
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
