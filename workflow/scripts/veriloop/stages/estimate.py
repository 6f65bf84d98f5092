"""From scores to rates, per cell, per seed, and by attempt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.rows import AttemptRow, RateRow, Score, SeedRow, write_rows
from veriloop.stages.cells import (
    Estimator,
    cell_numbers,
    effort,
    estimator_of,
    point_numbers,
    read_cards,
    read_cells,
    task_values,
)
from veriloop.tasks import BenchmarkCard


def estimate(
    config: Path,
    scores: Sequence[Path],
    cards: Sequence[Path],
    flags: Path,
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
        flags: what is wrong with tasks.
        rates: where the cells' rates go.
        by_seed: where the rates of single seeds go.
        by_attempt: where the cumulative rates go.
    """
    experiment = Experiment.read(config)
    known = {card.name: card for card in read_cards(cards)}
    cells = read_cells(experiment, scores, flags)
    seed_rows = [
        row
        for cell in cells
        for seed in dict.fromkeys(s.seed for s in cell)
        for row in [_seed_row([s for s in cell if s.seed == seed], estimator_of(experiment, cell, seed))]
    ]
    write_rows(rates, RateRow, [_rate_row(cell, estimator_of(experiment, cell, "all"), known) for cell in cells])
    write_rows(by_seed, SeedRow, seed_rows)
    write_rows(by_attempt, AttemptRow, [row for cell in cells for row in _attempt_rows(experiment, cell)])


def _seed_row(cell: Sequence[Score], estimator: Estimator) -> SeedRow:
    first = cell[0]
    names = {"benchmark": first.benchmark, "arm": first.arm, "model": first.model, "seed": first.seed}
    return SeedRow.model_validate(names | cell_numbers(cell, estimator) | effort(cell))


def _rate_row(cell: Sequence[Score], estimator: Estimator, known: dict[str, BenchmarkCard]) -> RateRow:
    first = cell[0]
    card = known[first.benchmark]
    printed = next((rate for rate in card.paper_rates if rate.model == first.model), None)
    return RateRow.model_validate(
        {
            "benchmark": first.benchmark,
            "arm": first.arm,
            "model": first.model,
            "left_out": card.n - len({s.task for s in cell}),
            "seeds": len({s.seed for s in cell}),
            "source": first.source,
            "synthetic": any(s.synthetic for s in cell),
            "paper_percent": printed.percent if printed else None,
            "paper_se_percent": printed.se_percent if printed else None,
            "note": printed.note if printed else "",
        }
        | cell_numbers(cell, estimator)
    )


def _solved_by(attempt: int, score: Score) -> bool:
    return score.solved_at is not None and score.solved_at <= attempt


def _attempt_rows(experiment: Experiment, cell: Sequence[Score]) -> list[AttemptRow]:
    first = cell[0]
    last = max((s.last_attempt for s in cell if s.last_attempt is not None), default=0)
    names: dict[str, object] = {"benchmark": first.benchmark, "arm": first.arm, "model": first.model}
    names |= {"source": first.source, "synthetic": any(s.synthetic for s in cell)}
    rows: list[AttemptRow] = []
    # Attempt 0 is the given program itself; a model that was not given it begins with attempt 1.
    begin = 0 if last == 0 or any(s.solved_at == 0 for s in cell) else 1
    for attempt in range(begin, last + 1):
        values = task_values(cell, partial(_solved_by, attempt))
        numbers = point_numbers(values, estimator_of(experiment, cell, "attempt", attempt))
        rows.append(AttemptRow.model_validate(names | {"attempt": attempt} | numbers))
    return rows
