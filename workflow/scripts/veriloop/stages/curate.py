"""The tasks of a benchmark, as the later stages read them."""

from __future__ import annotations

from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.errors import UserError
from veriloop.stages import parts
from veriloop.tasks import BenchmarkCard, write_records


def curate(config: Path, benchmark: str, tasks: Path, answers: Path, card: Path) -> None:
    """Load a benchmark and write its tasks, the recorded answers that the experiment's models replay, and its card.

    Args:
        config: the resolved experiment.
        benchmark: its name in the experiment.
        tasks: where the tasks go, one JSON object a line.
        answers: where the answers go; the file is empty where no model replays any.
        card: where the benchmark's card goes.

    Raises:
        UserError: the benchmark's data is missing, damaged or empty.
    """
    experiment = Experiment.read(config)
    loader = parts.benchmark_loader(benchmark, experiment.benchmarks[benchmark])
    found = loader.tasks()
    if not found:
        raise UserError(f"benchmarks.{benchmark}: has no tasks; there would be nothing to estimate")
    if len({task.id for task in found}) != len(found):
        raise UserError(f"benchmarks.{benchmark}: two tasks have the same id; every id may stand once")
    wanted = {parts.answers_of(name, config) for name, config in experiment.models.items()}
    write_records(tasks, found)
    write_records(answers, (a for model in loader.answer_models if model in wanted for a in loader.answers(model)))
    made = BenchmarkCard(
        name=benchmark,
        version=loader.version,
        n=len(found),
        source=loader.source,
        paper_rates=loader.paper_rates,
        paper_counts=loader.paper_counts,
    )
    card.write_text(made.model_dump_json(indent=2) + "\n", encoding="utf-8")
