"""From scores to rates, per cell, per seed, and by attempt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from veriloop.config.schema import Experiment
from veriloop.outcomes import Verdict
from veriloop.rows import AttemptRow, RateRow, Score, SeedRow, read_rows, write_rows
from veriloop.seeding import generator
from veriloop.stats.rates import Rate, estimate_rate
from veriloop.tasks import BenchmarkCard, PaperRate

Values = npt.NDArray[np.float64]


Estimator = Callable[[Values], Rate]


def estimate(
    config: Path,
    scores: Sequence[Path],
    cards: Sequence[Path],
    *,
    rates: Path,
    by_seed: Path,
    by_attempt: Path,
) -> None:
    """Estimate everything that tables and figures show.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        cards: one card per benchmark.
        rates: where the cells' rates go.
        by_seed: where the rates of single seeds go.
        by_attempt: where the cumulative rates go.
    """
    experiment = Experiment.read(config)
    paper = {(c.name, r.model): r for c in _read_cards(cards) for r in c.paper_rates}
    cells = [read_rows(path, Score) for path in scores]
    seed_rows = [
        row
        for cell in cells
        for seed in dict.fromkeys(s.seed for s in cell)
        for row in [_seed_row([s for s in cell if s.seed == seed], _estimator(experiment, cell, seed))]
    ]
    write_rows(rates, RateRow, [_rate_row(cell, _estimator(experiment, cell), paper) for cell in cells])
    write_rows(by_seed, SeedRow, seed_rows)
    write_rows(by_attempt, AttemptRow, [row for cell in cells for row in _attempt_rows(cell)])


def _read_cards(paths: Sequence[Path]) -> list[BenchmarkCard]:
    return [BenchmarkCard.model_validate_json(path.read_text(encoding="utf-8")) for path in paths]


def _estimator(experiment: Experiment, cell: Sequence[Score], seed: int | str = "all") -> Estimator:
    """The estimate with this cell's own stream of chance: adding a model changes no other model's interval."""
    first = cell[0]
    rng = generator(experiment.root_seed, "estimate", first.benchmark, first.arm, first.model, seed)
    settings = experiment.statistics
    return lambda values: estimate_rate(values, settings.confidence, settings.resamples, rng)


def task_values(cell: Sequence[Score], solved: Callable[[Score], bool]) -> Values:
    """Each task's mean over its seeds, and NaN for a task without a scored seed; shape (tasks,).

    Args:
        cell: the scores of one cell.
        solved: whether a score counts as success.
    """
    by_task: dict[str, list[float]] = {}
    for score in cell:
        values = by_task.setdefault(score.task, [])
        if score.verdict is not Verdict.NOT_SCORED:
            values.append(float(solved(score)))
    return np.array([np.mean(values) if values else np.nan for values in by_task.values()])


def _accepted(score: Score) -> bool:
    return score.verdict is Verdict.ACCEPTED


def _solved_by(attempt: int, score: Score) -> bool:
    return score.solved_at is not None and score.solved_at <= attempt


def bounds(cell: Sequence[Score]) -> tuple[float, float]:
    """The rate if everything not scored had failed, and if it had been accepted."""

    def rate_if(verdict: Verdict) -> float:
        filled = [s.model_copy(update={"verdict": verdict}) if s.verdict is Verdict.NOT_SCORED else s for s in cell]
        return float(task_values(filled, _accepted).mean())

    return rate_if(Verdict.REJECTED), rate_if(Verdict.ACCEPTED)


def _numbers(cell: Sequence[Score], estimator: Estimator) -> dict[str, float | int | str | None]:
    """The columns that rates of cells and of seeds share. Where nothing was scored there is no rate, and no 0."""
    values = task_values(cell, _accepted)
    scored = values[~np.isnan(values)]
    low, high = bounds(cell)
    counts: dict[str, float | int | str | None] = {
        "n": values.size,
        "accepted": float(scored.sum()),
        "not_scored": int(values.size - scored.size),
        "bound_low": low,
        "bound_high": high,
    }
    if scored.size == 0:
        return counts | dict.fromkeys(("rate", "se", "ci_low", "ci_high")) | {"ci_method": "none scored"}
    return counts | vars(estimator(scored))


def _seed_row(cell: Sequence[Score], estimator: Estimator) -> SeedRow:
    first = cell[0]
    names = {"benchmark": first.benchmark, "arm": first.arm, "model": first.model, "seed": first.seed}
    return SeedRow.model_validate(names | _numbers(cell, estimator))


def _rate_row(cell: Sequence[Score], estimator: Estimator, paper: dict[tuple[str, str], PaperRate]) -> RateRow:
    first = cell[0]
    printed = paper.get((first.benchmark, first.model))
    return RateRow.model_validate(
        {
            "benchmark": first.benchmark,
            "arm": first.arm,
            "model": first.model,
            "seeds": len({s.seed for s in cell}),
            "source": first.source,
            "synthetic": any(s.synthetic for s in cell),
            "paper_percent": printed.percent if printed else None,
            "paper_se_percent": printed.se_percent if printed else None,
            "note": printed.note if printed else "",
        }
        | _numbers(cell, estimator)
    )


def _attempt_rows(cell: Sequence[Score]) -> list[AttemptRow]:
    first = cell[0]
    last = max((s.last_attempt for s in cell if s.last_attempt is not None), default=0)
    rows: list[AttemptRow] = []
    # Attempt 0 is the given program itself; a model that was not given it begins with attempt 1.
    begin = 0 if last == 0 or any(s.solved_at == 0 for s in cell) else 1
    for attempt in range(begin, last + 1):
        values = task_values(cell, partial(_solved_by, attempt))
        scored = values[~np.isnan(values)]
        rows.append(
            AttemptRow(
                benchmark=first.benchmark,
                arm=first.arm,
                model=first.model,
                attempt=attempt,
                n=values.size,
                not_scored=int(values.size - scored.size),
                rate=float(scored.mean()) if scored.size else None,
                source=first.source,
                synthetic=any(s.synthetic for s in cell),
            )
        )
    return rows
