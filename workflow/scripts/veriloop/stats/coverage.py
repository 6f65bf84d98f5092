"""How often the intervals hold the true rate: `python -m veriloop.stats.coverage` prints docs/coverage.md.

For one seed the coverage is exact, a sum over all counts of solved tasks. For means over seeds it is simulated: each
task has a chance of its own to be solved, drawn from a beta distribution whose intraclass correlation says how much
of the variance lies between tasks (0: none, the seeds are as good as new tasks; near 1: a task's seeds agree).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from veriloop.seeding import generator
from veriloop.stats.paired import paired_difference
from veriloop.stats.rates import Values, estimate_rate

CONFIDENCE = 0.95
SIZES = (30, 60, 100, 200, 400, 800)
RATES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
SEEDS = (3, 10)
CORRELATIONS = (0.0, 0.3, 0.7)
SIMULATIONS = 4000
PAIRED_SIMULATIONS = 1000
RESAMPLES = 999
ROOT_SEED = 95

Interval = Callable[[Values], tuple[float, float]]


def wilson_interval(values: Values) -> tuple[float, float]:
    """The standard interval of a rate."""
    rate = estimate_rate(values, CONFIDENCE)
    return rate.ci_low, rate.ci_high


def bca_interval(values: Values) -> tuple[float, float]:
    """The bootstrap interval of a rate, from the same stream of chance each time."""
    rate = estimate_rate(values, CONFIDENCE, bootstrap=(RESAMPLES, generator(ROOT_SEED, "bca")))
    return rate.ci_low, rate.ci_high


def exact_coverage(n: int, rates: Sequence[float], interval: Interval) -> list[float]:
    """The chance, at each true rate, that the interval of n tasks, each solved or not, holds it."""
    counts = np.arange(n + 1)
    low, high = np.array([interval(np.repeat([1.0, 0.0], [solved, n - solved])) for solved in counts]).T
    return [float(np.sum(stats.binom.pmf(counts, n, rate)[(low <= rate) & (rate <= high)])) for rate in rates]


def clustered_coverage(
    n: int, rate: float, seeds: int, correlation: float, interval: Interval, simulations: int
) -> float:
    """The share of simulated benchmarks whose interval holds the true rate.

    Args:
        n: number of tasks.
        rate: the true mean of the tasks' chances.
        seeds: tries of each task.
        correlation: within a task, from 0 to below 1.
        interval: from the tasks' means to an interval.
        simulations: number of simulated benchmarks.
    """
    rng = generator(ROOT_SEED, "clustered", n, str(rate), seeds, str(correlation))
    held = 0
    for _ in range(simulations):
        spread = (1 - correlation) / correlation if correlation else 0.0
        chances = rng.beta(rate * spread, (1 - rate) * spread, n) if correlation else np.full(n, rate)
        low, high = interval(rng.binomial(seeds, chances) / seeds)
        held += low <= rate <= high
    return held / simulations


def paired_coverage(n: int, first: float, second: float, simulations: int) -> tuple[float, float]:
    """The share of simulated pairs whose interval holds the true difference, and the share that have an interval.

    Half of the tasks, by chance, are equally hard for both; in the rest the two are independent.
    """
    rng = generator(ROOT_SEED, "paired", n, str(first), str(second))
    held = made = 0
    for _ in range(simulations):
        hard = rng.random(n)
        other = np.where(rng.random(n) < 0.5, hard, rng.random(n))
        found = paired_difference(
            (hard < first).astype(float), (other < second).astype(float), CONFIDENCE, RESAMPLES, rng
        )
        if found.ci_low is not None and found.ci_high is not None:
            made += 1
            held += found.ci_low <= first - second <= found.ci_high
    return held / made if made else float("nan"), made / simulations


def _table(corner: str, columns: Sequence[object], rows: dict[str, list[float]]) -> str:
    lines = [f"| {corner} | " + " | ".join(map(str, columns)) + " |", "| --- " * (len(columns) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(f"{100 * value:.1f}" for value in row) + " |" for name, row in rows.items()]
    return "\n".join(lines)


def report() -> str:
    """docs/coverage.md: the text with all tables."""
    exact = {f"n = {n}": exact_coverage(n, RATES, wilson_interval) for n in SIZES}
    bootstrap = {f"n = {n}": exact_coverage(n, RATES, bca_interval) for n in SIZES[:4]}
    clustered = {
        f"n = {n}, {seeds} seeds, correlation {correlation}": [
            clustered_coverage(n, rate, seeds, correlation, wilson_interval, SIMULATIONS) for rate in RATES
        ]
        for n in SIZES
        for seeds in SEEDS
        for correlation in CORRELATIONS
    }
    pairs = ((0.02, 0.05), (0.1, 0.1), (0.3, 0.5), (0.6, 0.7), (0.9, 0.98))
    paired = {f"n = {n}": [paired_coverage(n, *pair, PAIRED_SIMULATIONS)[0] for pair in pairs] for n in (30, 100, 400)}
    return TEXT.format(
        exact=_table("", RATES, exact),
        bootstrap=_table("", RATES, bootstrap),
        clustered=_table("", RATES, clustered),
        paired=_table("", [f"{a} and {b}" for a, b in pairs], paired),
        simulations=SIMULATIONS,
        paired_simulations=PAIRED_SIMULATIONS,
        resamples=RESAMPLES,
        outside=_outside({**exact, **clustered}),
    )


def _outside(rows: dict[str, list[float]]) -> str:
    """How many cells fall outside of 93 to 97 per cent, on each side."""
    values = [value for row in rows.values() for value in row]
    below = sum(value < 0.93 for value in values)
    above = sum(value > 0.97 for value in values)
    return f"Of {len(values)} cells of the tables of Wilson's interval {below} are below 93%, {above} above 97%."


TEXT = """# Coverage of the intervals

How often, in percent, a 95% interval holds the true value; the columns are the true rate. Printed by
`python -m veriloop.stats.coverage`; tests/unit/test_coverage.py holds the parts that are quick.

{outside}

A count of tasks is a whole number, so that with fewer than about three tasks expected to be solved (or to fail) no
interval has exactly 95%; what is chosen here is then too wide rather than too narrow.

## Rates, one seed: Wilson's interval, exact

{exact}

## Rates, means over several seeds: Wilson's interval with the effective number of tasks, {simulations} simulations

The correlation is that of two seeds of the same task.

{clustered}

## For comparison: the BCa bootstrap (scipy, {resamples} resamples; `statistics.interval=bca`), one seed, exact

{bootstrap}

## Paired differences: BCa over tasks, {paired_simulations} simulations of each pair of true rates

Where both have the same result on every task there is no interval; those are not counted. With few tasks on which the
two differ (n = 30 at rates of 0.02 and 0.05) the interval is too narrow: use the exact McNemar test beside it.

{paired}
"""

if __name__ == "__main__":
    sys.stdout.write(report())
