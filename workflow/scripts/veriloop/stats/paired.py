"""Two arms or models on the same tasks: the paired difference, exact McNemar, and Holm over a family."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from veriloop.stats.rates import Values, bca


@dataclass(frozen=True)
class Difference:
    """First minus second, as a mean over tasks, with its standard error and its interval."""

    difference: float
    se: float
    ci_low: float
    ci_high: float
    ci_method: str


def paired_difference(
    first: Values, second: Values, confidence: float, resamples: int, rng: np.random.Generator
) -> Difference:
    """The mean of the tasks' differences, with a BCa bootstrap interval that resamples tasks.

    Where all differences are equal no resample tells anything; the interval is then Tango's score interval (1998) for
    pairs that never differ, z² / (n + z²) to either side.

    Args:
        first: one value in [0, 1] for each task, shape (n,).
        second: the other's values for the same tasks, in the same order.
        confidence: of the interval.
        resamples: number of bootstrap resamples.
        rng: where the resamples come from.

    Raises:
        ValueError: no tasks, or not the same number of values.
    """
    if first.shape != second.shape or first.ndim != 1 or first.size == 0:
        raise ValueError("a paired difference needs at least one task, and both values of each")
    differences = first - second
    mean = float(differences.mean())
    se = float(differences.std() / math.sqrt(differences.size))
    if np.all(differences == differences[0]):
        z = float(stats.norm.ppf(0.5 + confidence / 2))
        half = z * z / (differences.size + z * z)
        return Difference(mean, se, max(-1.0, mean - half), min(1.0, mean + half), "score")
    low, high = bca(differences, confidence, resamples, rng)
    return Difference(mean, se, low, high, "bca")


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of McNemar's test (1947): discordant pairs fall either way by a fair coin.

    Args:
        only_first: pairs in which only the first succeeded.
        only_second: pairs in which only the second did.
    """
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    return float(stats.binomtest(only_first, discordant, 0.5).pvalue)


def holm(values: Sequence[float]) -> list[float]:
    """Holm's (1979) adjusted p-values of a family, in the order given."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    adjusted = [0.0] * len(values)
    worst = 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = worst
    return adjusted
