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


def estimate_rate(values: Values, confidence: float, resamples: int, rng: np.random.Generator) -> Rate:
    """The mean of the tasks' values, with the interval that the values allow.

    The standard error is the one that DafnyBench prints (table 3): for values of 0 and 1 it is
    sqrt(rate (1 - rate) / n). The interval is a BCa bootstrap over tasks, or Wilson's where all values are equal and
    a bootstrap would have width zero.

    Args:
        values: one value for each scored task, shape (n,), each in [0, 1].
        confidence: of the interval, for example 0.95.
        resamples: number of bootstrap resamples.
        rng: where the resamples come from.

    Raises:
        ValueError: no values, or values outside [0, 1]: there is no rate of nothing.
    """
    if values.ndim != 1 or values.size == 0:
        raise ValueError("a rate needs at least one scored task")
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("task values must lie between 0 and 1")
    rate = float(values.mean())
    se = float(values.std() / math.sqrt(values.size))
    if np.all(values == values[0]):
        low, high = wilson(rate, values.size, confidence)
        return Rate(rate, se, low, high, "wilson")
    low, high = bca(values, confidence, resamples, rng)
    return Rate(rate, se, low, high, "bca")


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


def wilson(rate: float, n: int, confidence: float) -> tuple[float, float]:
    """Wilson's score interval (1927) for a rate observed on n tasks."""
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
