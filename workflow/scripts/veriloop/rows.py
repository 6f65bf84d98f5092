"""The rows of every CSV file between stages, and how they are written: the schema is the record.

Numbers have six digits after the point, None is an empty field, and files are complete or absent.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from veriloop.outcomes import Record, Verdict

AnyRecord = TypeVar("AnyRecord", bound=Record)
DIGITS = 6


class Score(Record):
    """What a task came to under one arm, model and seed.

    Attributes:
        solved_at: number of the accepted attempt; None if there is none.
        attempts: number of rows in the journal.
        last_attempt: number of the last attempt; None if there is none.
        last_outcome: what the verifier said of the last attempt, `gate` or `none` where it was not asked, or
            `acceptance` where it verified and something else did not hold.
        detail: why the last attempt was not accepted, in one line.
        samples: number of attempts that were scored.
        samples_accepted: number of accepted attempts; more than one only among independent samples.
        repeats: number of attempts whose program was an earlier one's.
        checks: number of attempts that the verifier was asked about.
        disagreements: number of attempts that warm workers accept and the trusted command line refuses.
        verifier_seconds: wall clock of these checks together; a measurement, outside every claim of equality.
        questions: number of answers of language models behind these attempts, be they given now or earlier.
        prompt_tokens: of these, as the endpoint counts them.
        completion_tokens: of these.
        dollars: what they cost by the model file's prices; None where that is not known of all, or there are none.
        shard: number of the sealed journal with the attempts; None where there is no attempt.
        first_line: the first of their lines in it, from 1.
        last_line: the last one.
    """

    benchmark: str
    arm: str
    model: str
    seed: int
    task: str
    verdict: Verdict
    solved_at: int | None
    attempts: int
    last_attempt: int | None
    last_outcome: str
    synthetic: bool
    source: str
    detail: str
    samples: int = 0
    samples_accepted: int = 0
    repeats: int = 0
    checks: int
    disagreements: int
    verifier_seconds: float
    questions: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float | None = None
    shard: int | None
    first_line: int | None
    last_line: int | None


class DisagreementRow(Record):
    """A task with attempts that warm workers accept and the trusted command line refuses, and where their rows are."""

    benchmark: str
    arm: str
    model: str
    seed: int
    task: str
    verdict: Verdict
    disagreements: int
    attempts: int
    shard: int | None
    first_line: int | None
    last_line: int | None


class CellRow(Record):
    """A rate with everything that belongs to it.

    `n` counts tasks; `accepted` sums the tasks' means over their scored seeds; where no task was scored there is no
    rate. The bounds are the rate if everything not scored had failed, and if it had been accepted.
    """

    benchmark: str
    arm: str
    model: str
    n: int
    accepted: float
    not_scored: int
    rate: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    ci_method: str
    bound_low: float | None
    bound_high: float | None


class RateRow(CellRow):
    """One row of rates.csv: a benchmark, arm and model over all seeds, and what the paper prints for it.

    `left_out` counts the tasks that the experiment's `leave_out` takes out of every estimate; `n` is without them.
    """

    left_out: int
    seeds: int
    source: str
    synthetic: bool
    paper_percent: float | None
    paper_se_percent: float | None
    note: str


class SeedRow(CellRow):
    """The rate of one seed, and what success took, as MLflow shows it; see arm_rows.CostRow for the last ones."""

    seed: int
    attempts_to_success: float | None
    tokens_per_solved: float | None
    dollars_per_solved: float | None


class ConditionalRow(CellRow):
    """The rate among some of the tasks.

    `among` is `needs_hints_by_flag` (the benchmark's own flag), `needs_hints_by_none` (the run of the given programs in
    this experiment) or `without_flagged` (tasks in which stages.flag finds no fault).
    """

    among: str
    source: str
    synthetic: bool


class StratumRow(CellRow):
    """The rate among the tasks of one bin: `low` <= size < `high`, in the last bin also = `high`.

    `measure` is a count of the benchmark's facts. `bins` is `deciles` of the tasks' own sizes (the paper's way) or
    `fixed` ones of the configuration. `joined_by` is `name`, or `position` for the published figure's pairing of rows.
    """

    measure: str
    bins: str
    joined_by: str
    bin: int
    low: float
    high: float
    source: str
    synthetic: bool


class OutcomeRow(Record):
    """How many scores of a cell (tasks x seeds) came to a verdict, or ended with an outcome of the last attempt."""

    benchmark: str
    arm: str
    model: str
    kind: str
    value: str
    count: int
    of: int


class EndRow(Record):
    """How many scores of a cell ended in one way; the ways leave nothing out, so that the counts sum to `of`.

    `end` is the verdict, and for rejected ones also what the verifier said of the last attempt; `gate`: it was not
    asked; `not said how`: a release reports no more.
    """

    benchmark: str
    arm: str
    model: str
    end: str
    count: int
    of: int
    synthetic: bool


class CountRow(Record):
    """How often something occurs in a benchmark's programs: the tasks' facts, and what the paper prints."""

    benchmark: str
    measure: str
    n: int
    mean: float
    median: float
    maximum: float
    paper_mean: float | None
    paper_maximum: int | None


class ComparisonRow(Record):
    """Two models under one arm, or two arms of one model, on the tasks that both have scored.

    `unpaired` counts the tasks that one of the two has not scored. `difference` is first minus second. `p` is exact
    McNemar's, for one seed only: with several a task's value is a mean and there are no pairs of yes and no. `p_holm`
    is adjusted over the `family` of all tested comparisons of the benchmark.
    """

    benchmark: str
    between: str
    within: str
    first: str
    second: str
    n: int
    unpaired: int
    first_rate: float | None = None
    second_rate: float | None = None
    difference: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str
    only_first: int | None = None
    only_second: int | None = None
    p: float | None = None
    p_holm: float | None = None
    family: int | None = None
    synthetic: bool


class AttemptRow(Record):
    """Cumulative success: the rate of tasks solved at this attempt or before, with its interval."""

    benchmark: str
    arm: str
    model: str
    attempt: int
    n: int
    not_scored: int
    rate: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    source: str
    synthetic: bool


class FlagRow(Record):
    """Something to know of a task; see stages.flag for the words. `fault`: a reason not to trust a number with it."""

    benchmark: str
    task: str
    flag: str
    fault: bool
    detail: str
    found_by: str


class CurationRow(Record):
    """How many tasks of a benchmark have a flag; `count` is empty where nothing was run that could tell."""

    benchmark: str
    flag: str
    fault: bool
    count: int | None
    of: int
    found_by: str
    meaning: str


class Difference(Record):
    """A task whose live outcome differs from the published one, and why."""

    benchmark: str
    arm: str
    model: str
    seed: int
    task: str
    published: str
    live: str
    outcome: str
    reason: str


def write_rows(path: Path, kind: type[AnyRecord], rows: Iterable[AnyRecord]) -> None:
    """Write records as CSV, atomically; the columns are the record's fields, in their order."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(kind.model_fields), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _field(v) for k, v in row.model_dump().items()} for row in rows)
    part.replace(path)


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.{DIGITS}f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def read_rows(path: Path, kind: type[AnyRecord]) -> list[AnyRecord]:
    """Read what `write_rows` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_record(kind, row) for row in csv.DictReader(file)]


def _record(kind: type[AnyRecord], row: dict[str, str]) -> AnyRecord:
    """An empty field is None where the record allows None, and an empty text elsewhere."""
    read = {
        name: None if text == "" and kind.model_fields[name].annotation is not str else text
        for name, text in row.items()
    }
    return kind.model_validate(read)
