"""The tables of an experiment, and the record of where their numbers came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.outcomes import Verdict
from veriloop.report.details import TABLES
from veriloop.report.tables import differences_latex, differences_markdown, rates_latex, rates_markdown
from veriloop.rows import Difference, RateRow, Score, read_rows, write_rows
from veriloop.stages import parts
from veriloop.stages.origin import write_origin
from veriloop.stages.provide import ToolchainRecord, read_record
from veriloop.tasks import Published, Task, read_tasks


@dataclass(frozen=True)
class Written:
    """The files of a table: CSV, for people, for a paper, and where its numbers came from."""

    csv: Path
    markdown: Path
    latex: Path
    provenance: Path


def tabulate_rates(config: Path, rates: Path, cards: Sequence[Path], toolchain: Path | None, *, to: Written) -> None:
    """Write the table of rates and its provenance.

    Args:
        config: the resolved experiment.
        rates: the estimates.
        cards: one card per benchmark.
        toolchain: the toolchain's record; None where nothing ran live.
        to: the files to write.
    """
    experiment = Experiment.read(config)
    record = read_record(toolchain) if toolchain else None
    rows = read_rows(rates, RateRow)
    write_rows(to.csv, RateRow, rows)
    lines = [toolchain_line(record), *left_out_lines(experiment, rows)]
    to.markdown.write_text(rates_markdown(rows, lines, experiment.statistics.confidence), encoding="utf-8")
    to.latex.write_text(rates_latex(rows, experiment.statistics.confidence), encoding="utf-8")
    write_origin(to.provenance, to.csv, RateRow, config, cards, toolchain)


def left_out_lines(experiment: Experiment, rows: Sequence[RateRow]) -> list[str]:
    """One sentence for each benchmark of which tasks are left out."""
    counts = {row.benchmark: (row.left_out, row.left_out + row.n) for row in rows if row.left_out}
    flags = ", ".join(experiment.leave_out)
    return [f"Left out of {name}: {out} of {n} tasks, flagged {flags}." for name, (out, n) in counts.items()]


def tabulate_details(
    table: str, config: Path, rows: Path, cards: Sequence[Path], toolchain: Path | None, *, to: Written
) -> None:
    """Write one of the tables beside the rates, and its provenance.

    Args:
        table: its name, a key of report.details.TABLES.
        config: the resolved experiment.
        rows: the estimates.
        cards: one card per benchmark.
        toolchain: the toolchain's record; None where nothing ran live.
        to: the files to write.
    """
    shown = TABLES[table]
    found = read_rows(rows, shown.kind)
    write_rows(to.csv, shown.kind, found)
    to.markdown.write_text(shown.as_markdown(found), encoding="utf-8")
    to.latex.write_text(shown.as_latex(found), encoding="utf-8")
    write_origin(to.provenance, to.csv, shown.kind, config, cards, toolchain)


def toolchain_line(record: ToolchainRecord | None) -> str:
    """One sentence on the verifier that was used."""
    if record is None:
        return "No verifier was run."
    used = record.toolchain
    line = f"Verifier: {used.name} ({used.solver}), {record.limits.resource:,} resource units for each verified item."
    if record.fallback_reason:
        line += f" This is the fallback: {record.wanted} was wanted and could not be had."
    return line


def tabulate_differences(
    config: Path, scores: Sequence[Path], tasks: Sequence[Path], cards: Sequence[Path], toolchain: Path, *, to: Written
) -> None:
    """Name every task whose live outcome differs from what was published of the same model.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        tasks: one file per benchmark, in the experiment's order.
        cards: one card per benchmark.
        toolchain: the toolchain's record.
        to: the files to write.
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
    write_rows(to.csv, Difference, rows)
    to.markdown.write_text(differences_markdown(rows, compared, toolchain_line(record)), encoding="utf-8")
    to.latex.write_text(differences_latex(rows), encoding="utf-8")
    write_origin(to.provenance, to.csv, Difference, config, cards, toolchain)


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
