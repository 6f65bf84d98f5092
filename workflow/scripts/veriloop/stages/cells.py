"""What every estimate of a cell shares: task values, bounds, and the numbers of a rate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from veriloop.config.schema import Experiment
from veriloop.errors import UserError
from veriloop.exchanges import total_dollars
from veriloop.outcomes import Verdict
from veriloop.rows import FlagRow, Score, read_rows
from veriloop.seeding import generator
from veriloop.stages.flag import faulty
from veriloop.stats.rates import Rate, estimate_rate
from veriloop.tasks import BenchmarkCard

Values = npt.NDArray[np.float64]

RATE_COLUMNS = ("rate", "se", "ci_low", "ci_high", "bound_low", "bound_high")

Estimator = Callable[[Values], Rate]


def read_cards(paths: Sequence[Path]) -> list[BenchmarkCard]:
    """The cards of an experiment's benchmarks."""
    return [BenchmarkCard.model_validate_json(path.read_text(encoding="utf-8")) for path in paths]


def read_cells(experiment: Experiment, scores: Sequence[Path], flags: Path) -> list[list[Score]]:
    """The scores of each cell, without the tasks that the experiment leaves out.

    Args:
        experiment: for `leave_out`.
        scores: one file per cell.
        flags: what the flag stage found.

    Raises:
        UserError: no task of a benchmark is left.
    """
    out = faulty(read_rows(flags, FlagRow), experiment.leave_out)
    cells: list[list[Score]] = []
    for path in scores:
        cell = read_rows(path, Score)
        benchmark = cell[0].benchmark
        kept = [score for score in cell if score.task not in out.get(benchmark, ())]
        if not kept:
            raise UserError(
                f"leave_out={experiment.leave_out}: leaves no task of benchmark {benchmark}; name fewer flags"
            )
        cells.append(kept)
    return cells


def estimator_of(experiment: Experiment, cell: Sequence[Score], *key: int | str) -> Estimator:
    """The estimate with this cell's own stream of chance: adding a model changes no other model's interval.

    Args:
        experiment: for the root seed and the settings of statistics.
        cell: the scores of one benchmark, arm and model.
        key: what tells this estimate from others of the cell, such as a seed or a bin.
    """
    first = cell[0]
    rng = generator(experiment.root_seed, "estimate", first.benchmark, first.arm, first.model, *key)
    settings = experiment.statistics
    bootstrap = (settings.resamples, rng) if settings.interval == "bca" else None
    return lambda values: estimate_rate(values, settings.confidence, bootstrap=bootstrap)


def task_means(cell: Sequence[Score], value: Callable[[Score], float]) -> Values:
    """Each task's mean over its seeds, and NaN for a task without a scored seed; shape (tasks,).

    Args:
        cell: the scores of one cell.
        value: of a score, from 0 to 1.
    """
    by_task: dict[str, list[float]] = {}
    for score in cell:
        values = by_task.setdefault(score.task, [])
        if score.verdict is not Verdict.NOT_SCORED:
            values.append(value(score))
    return np.array([np.mean(values) if values else np.nan for values in by_task.values()])


def task_values(cell: Sequence[Score], solved: Callable[[Score], bool]) -> Values:
    """Each task's share of seeds that count as success, and NaN for a task without a scored seed; shape (tasks,)."""
    return task_means(cell, lambda score: float(solved(score)))


def point_numbers(values: Values, estimator: Estimator) -> dict[str, float | int | None]:
    """A point of a curve: tasks, those not scored (NaN), and the rate of the others; None where none is scored.

    Args:
        values: of the tasks, shape (tasks,).
        estimator: what makes the rate.
    """
    scored = values[~np.isnan(values)]
    rate = estimator(scored) if scored.size else None
    numbers = {name: getattr(rate, name, None) for name in ("rate", "se", "ci_low", "ci_high")}
    return numbers | {"n": values.size, "not_scored": int(values.size - scored.size)}


def effort(cell: Sequence[Score]) -> dict[str, float | None]:
    """What success took: see arm_rows.CostRow for the numbers; None where nothing was solved, or it is not known."""
    solved_at = [s.solved_at for s in cell if s.solved_at is not None and accepted(s)]
    solved = len(solved_at)
    tokens, dollars = sum(s.prompt_tokens + s.completion_tokens for s in cell), dollars_of(cell)
    return {
        "attempts_to_success": float(np.mean(solved_at)) if solved else None,
        "tokens_per_solved": tokens / solved if solved and tokens else None,
        "dollars_per_solved": dollars / solved if solved and dollars is not None else None,
    }


def dollars_of(cell: Sequence[Score]) -> float | None:
    """What a cell's answers cost; None where that is not known of each score with answers, or there are none."""
    return total_dollars(score.dollars for score in cell if score.questions)


def accepted(score: Score) -> bool:
    """Whether the task was solved."""
    return score.verdict is Verdict.ACCEPTED


def bounds(cell: Sequence[Score]) -> tuple[float, float]:
    """The rate if everything not scored had failed, and if it had been accepted."""

    def rate_if(verdict: Verdict) -> float:
        filled = [s.model_copy(update={"verdict": verdict}) if s.verdict is Verdict.NOT_SCORED else s for s in cell]
        return float(task_values(filled, accepted).mean())

    return rate_if(Verdict.REJECTED), rate_if(Verdict.ACCEPTED)


def cell_numbers(cell: Sequence[Score], estimator: Estimator) -> dict[str, float | int | str | None]:
    """The columns of a rate. Where nothing was scored there is no rate, and no 0; an empty group has no bounds either.

    Args:
        cell: the scores, of a cell or of a part of its tasks; may be empty.
        estimator: what makes the rate of the scored tasks' values.
    """
    if not cell:
        nothing: dict[str, float | int | str | None] = dict.fromkeys(RATE_COLUMNS)
        return nothing | {"n": 0, "accepted": 0.0, "not_scored": 0, "ci_method": "no task"}
    values = task_values(cell, accepted)
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
        return counts | dict.fromkeys(RATE_COLUMNS[:4]) | {"ci_method": "none scored"}
    return counts | vars(estimator(scored))
