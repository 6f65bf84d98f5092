"""The tables of an experiment, and the record of where their numbers came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.outcomes import Verdict
from veriloop.provenance import commit, digest, package_versions
from veriloop.report.details import TABLES
from veriloop.report.tables import differences_markdown, rates_latex, rates_markdown
from veriloop.rows import Difference, RateRow, Score, read_rows, write_rows
from veriloop.stages import parts
from veriloop.stages.provide import ToolchainRecord, read_record
from veriloop.tasks import BenchmarkCard, Published, Task, read_tasks


def tabulate_rates(
    config: Path,
    rates: Path,
    cards: Sequence[Path],
    toolchain: Path | None,
    *,
    csv: Path,
    markdown: Path,
    latex: Path,
    provenance: Path,
) -> None:
    """Write the table of rates and its provenance.

    Args:
        config: the resolved experiment.
        rates: the estimates.
        cards: one card per benchmark.
        toolchain: the toolchain's record; None where nothing ran live.
        csv: the table as CSV.
        markdown: the table for people.
        latex: the table for a paper.
        provenance: where the numbers came from, as JSON.
    """
    experiment = Experiment.read(config)
    record = read_record(toolchain) if toolchain else None
    rows = read_rows(rates, RateRow)
    write_rows(csv, RateRow, rows)
    text = rates_markdown(rows, toolchain_line(record), experiment.statistics.confidence)
    markdown.write_text(text, encoding="utf-8")
    latex.write_text(rates_latex(rows), encoding="utf-8")
    origin = _provenance(experiment, record, cards)
    provenance.write_text(json.dumps(origin, indent=2) + "\n", encoding="utf-8")


def tabulate_details(table: str, rows: Path, *, csv: Path, markdown: Path, latex: Path) -> None:
    """Write one of the tables beside the rates.

    Args:
        table: its name, a key of report.details.TABLES.
        rows: the estimates.
        csv: the table as CSV.
        markdown: the table for people.
        latex: the table for a paper.
    """
    shown = TABLES[table]
    found = read_rows(rows, shown.kind)
    write_rows(csv, shown.kind, found)
    markdown.write_text(shown.as_markdown(found), encoding="utf-8")
    latex.write_text(shown.as_latex(found), encoding="utf-8")


def toolchain_line(record: ToolchainRecord | None) -> str:
    """One sentence on the verifier that was used."""
    if record is None:
        return "No verifier was run."
    used = record.toolchain
    line = f"Verifier: {used.name} ({used.solver}), {record.limits.resource:,} resource units for each verified item."
    if record.fallback_reason:
        line += f" This is the fallback: {record.wanted} was wanted and could not be had."
    return line


def _provenance(experiment: Experiment, record: ToolchainRecord | None, cards: Sequence[Path]) -> dict[str, object]:
    benchmarks = [BenchmarkCard.model_validate_json(path.read_text(encoding="utf-8")) for path in cards]
    return {
        "experiment": experiment.name,
        "config_hash": digest(experiment.model_dump()),
        "code": commit(),
        "packages": package_versions(),
        "seeds": experiment.seeds,
        "root_seed": experiment.root_seed,
        "benchmarks": {card.name: {"version": card.version, "n": card.n} for card in benchmarks},
        "prompts": {arm: digest(config.loop.prompt_text) for arm, config in experiment.arms.items()},
        "toolchain": _toolchain_origin(record) if record else None,
    }


def _toolchain_origin(record: ToolchainRecord) -> dict[str, object]:
    """Which verifier it was, without the paths of this machine; those are in results/toolchain/."""
    return {
        **record.toolchain.identity(),
        "solver": record.toolchain.solver,
        "origin": record.toolchain.origin,
        "wanted": record.wanted,
        "limits": record.limits.model_dump(),
    }


def tabulate_differences(
    config: Path, scores: Sequence[Path], tasks: Sequence[Path], toolchain: Path, *, csv: Path, markdown: Path
) -> None:
    """Name every task whose live outcome differs from what was published of the same model.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        tasks: one file per benchmark, in the experiment's order.
        toolchain: the toolchain's record.
        csv: the table as CSV.
        markdown: the table for people.
    """
    experiment = Experiment.read(config)
    record = read_record(toolchain)
    known = {b: {t.id: t for t in read_tasks(p)} for b, p in zip(experiment.benchmarks, tasks, strict=True)}
    names = {m: parts.published_name(m, c) for m, c in experiment.models.items()}
    rows: list[Difference] = []
    compared = 0
    for score in (s for path in scores for s in read_rows(path, Score)):
        task = known[score.benchmark][score.task]
        name = names.get(score.model)
        if score.source != "live" or name is None or name not in task.published:
            continue
        compared += 1
        rows += _difference(score, task, name, record)
    write_rows(csv, Difference, rows)
    markdown.write_text(differences_markdown(rows, compared, toolchain_line(record)), encoding="utf-8")


def _difference(score: Score, task: Task, name: str, record: ToolchainRecord) -> list[Difference]:
    """The difference as a list of one, or nothing where live and published agree."""
    reported = task.published[name]
    if reported.solved == (score.verdict is Verdict.ACCEPTED):
        return []
    published = f"solved at attempt {reported.attempt}" if reported.solved else "never solved"
    return [
        Difference(
            benchmark=score.benchmark,
            arm=score.arm,
            model=score.model,
            seed=score.seed,
            task=score.task,
            published=published,
            live=str(score.verdict),
            outcome=score.last_outcome,
            reason=_reason(score, reported, record.toolchain.name),
        )
    ]


def _reason(score: Score, reported: Published, toolchain: str) -> str:
    """Why the outcomes differ, from what was found live."""
    if score.verdict is Verdict.ACCEPTED:
        return f"verifies on {toolchain}; the published run had Dafny 4.3.0 and 15 s of wall clock for the whole file"
    if score.last_outcome == "gate":
        reason = f"the gate refuses the answer: {score.detail}"
    else:
        reason = f"{score.last_outcome} on {toolchain}" + (f": {score.detail}" if score.detail else "")
    if reported.attempt == 0 and score.last_attempt != 0:
        reason += " (the credit is for the given program, attempt 0, not for this answer)"
    return reason
