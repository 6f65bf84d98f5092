"""The tables beside the rates: by attempt, among needs-hints tasks, by size, outcomes, what programs hold, audits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from veriloop.arm_rows import ControlRow, CostRow, PassRow
from veriloop.audit_rows import AuditRow, SideRow, ViolationRow
from veriloop.outcomes import Record
from veriloop.report.tables import interval, latex, markdown, percent, short
from veriloop.rows import (
    AttemptRow,
    ComparisonRow,
    ConditionalRow,
    CountRow,
    CurationRow,
    DisagreementRow,
    FlagRow,
    OutcomeRow,
    StratumRow,
)

Column = tuple[str, Callable[[Any], str]]


@dataclass(frozen=True)
class Table:
    """How the rows of one CSV file are shown to a person.

    Attributes:
        kind: the record of a row.
        columns: headings, each with what makes the cell of a row.
        caption: what is counted and how, in a sentence or two.
        only: which experiments have it: with an audited benchmark, a control arm, or an arm of independent samples;
            empty: all.
        further: columns that are shown where a row has something in them.
    """

    kind: type[Record]
    columns: tuple[Column, ...]
    caption: str
    only: Literal["", "audit", "control", "independent"] = ""
    further: tuple[Column, ...] = ()

    def as_markdown(self, rows: Sequence[Record]) -> str:
        """The caption and the table."""
        return f"{self.caption}\n\n{markdown(*self.text(rows))}\n"

    def as_latex(self, rows: Sequence[Record]) -> str:
        """The table, to be put into a paper."""
        return latex(*self.text(rows))

    def text(self, rows: Sequence[Record]) -> tuple[list[str], list[list[str]]]:
        """The headings and the cells of each row."""
        shown = [*self.columns, *(column for column in self.further if any(column[1](row) for row in rows))]
        return [name for name, _ in shown], [[cell(row) for _, cell in shown] for row in rows]


def _model(row: Any) -> str:
    return f"{row.model} (synthetic)" if row.synthetic else str(row.model)


def _or_empty(number: int | None) -> str:
    return "" if number is None else str(number)


def _two_digits(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def _dollars(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}"


def _p_value(p: float | None) -> str:
    """Three digits after the point, or the bound that it is below."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _with_bounds(name: str) -> Callable[[Any], str]:
    """A rate of an audit and its interval, in percent."""

    def text(row: Any) -> str:
        numbers = [getattr(row, f"{name}_{what}") for what in ("rate", "ci_low", "ci_high")]
        if None in numbers:
            return ""
        rate, low, high = (f"{100 * number:.1f}" for number in numbers)
        return f"{rate} ({low} to {high})"

    return text


AMONG = {
    "needs_hints_by_flag": "needs hints, by flag",
    "needs_hints_by_none": "needs hints, by none",
    "without_flagged": "without flagged tasks",
}

CELL: tuple[Column, ...] = (("benchmark", lambda r: r.benchmark), ("arm", lambda r: r.arm), ("model", _model))
RATE: tuple[Column, ...] = (
    ("n", lambda r: str(r.n)),
    ("accepted", lambda r: short(r.accepted)),
    ("not scored", lambda r: str(r.not_scored)),
    ("rate % ± se", lambda r: percent(r.rate, r.se) if r.n else ""),
    ("interval", interval),
)

DIFFERENCE: tuple[Column, ...] = (
    ("difference ± se", lambda r: percent(r.difference, r.se)),
    ("interval", interval),
)
TESTED: tuple[Column, ...] = (("p", lambda r: _p_value(r.p)), ("p, Holm", lambda r: _p_value(r.p_holm)))

TABLES: dict[str, Table] = {
    "by_attempt": Table(
        AttemptRow,
        (
            *CELL,
            ("attempt", lambda r: str(r.attempt)),
            ("n", lambda r: str(r.n)),
            ("not scored", lambda r: str(r.not_scored)),
            ("solved so far % ± se", lambda r: percent(r.rate, r.se)),
            ("interval", interval),
        ),
        "Tasks solved at this attempt or before; attempt 0 is the given program itself.",
    ),
    "conditional": Table(
        ConditionalRow,
        (*CELL, ("among", lambda r: AMONG[r.among]), *RATE),
        "Rates among some of the tasks: those that need hints, by the benchmark's own flag and by the run of the given "
        "programs under the same arm (`none`); and those without a fault (table curation).",
    ),
    "strata": Table(
        StratumRow,
        (
            *CELL,
            ("by", lambda r: r.measure),
            ("bins", lambda r: r.bins),
            ("joined by", lambda r: r.joined_by),
            ("from", lambda r: short(r.low)),
            ("to", lambda r: short(r.high)),
            *RATE,
        ),
        "Rates by size. Bins are closed on the left, the last one on both sides. `position` is the published figure's "
        "pairing of row i of the results with row i of the metadata, which are different tasks on 102 of 782 rows; "
        "`name` is right.",
    ),
    "outcomes": Table(
        OutcomeRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("arm", lambda r: r.arm),
            ("model", lambda r: r.model),
            ("kind", lambda r: r.kind),
            ("value", lambda r: r.value),
            ("count", lambda r: str(r.count)),
            ("of", lambda r: str(r.of)),
        ),
        "Every verdict and every outcome of the last attempt, over tasks and seeds; `gate`: refused before the "
        "verifier was asked, `unreadable`: an answer without a program, `none`: published results or no candidate.",
    ),
    "comparison": Table(
        ComparisonRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("between", lambda r: r.between),
            ("within", lambda r: r.within),
            ("first", lambda r: r.first),
            ("second", lambda r: r.second),
            ("n", lambda r: str(r.n)),
            ("first %", lambda r: percent(r.first_rate, None)),
            ("second %", lambda r: percent(r.second_rate, None)),
            *DIFFERENCE,
            ("only first", lambda r: _or_empty(r.only_first)),
            ("only second", lambda r: _or_empty(r.only_second)),
            *TESTED,
        ),
        "Paired differences (first minus second, in points) over the tasks that both have scored; exact McNemar where "
        "each task has one yes or no; Holm's correction over all tested comparisons of the benchmark.",
    ),
    "against_control": Table(
        ControlRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("model", _model),
            ("arm", lambda r: r.arm),
            ("overrides", lambda r: r.overrides),
            ("n", lambda r: str(r.n)),
            ("rate %", lambda r: percent(r.rate, None)),
            ("control %", lambda r: percent(r.control_rate, None)),
            *DIFFERENCE,
            ("only arm", lambda r: _or_empty(r.only_arm)),
            ("only control", lambda r: _or_empty(r.only_control)),
            *TESTED,
            ("attempts to success", lambda r: _two_digits(r.attempts_to_success)),
            ("of control", lambda r: _two_digits(r.control_attempts_to_success)),
        ),
        "Each arm beside the control arm, on the tasks that both have scored: paired difference (arm minus control, in "
        "points), exact McNemar, Holm's correction over this table's arms. Attempts to success: the mean number of the "
        "accepted attempt, over what each solved itself.",
        only="control",
        further=(
            ("dollars per solved", lambda r: _dollars(r.dollars_per_solved)),
            ("of control ", lambda r: _dollars(r.control_dollars_per_solved)),
        ),
    ),
    "pass_at_k": Table(
        PassRow,
        (
            *CELL,
            ("k", lambda r: str(r.k)),
            ("samples", lambda r: str(r.samples)),
            ("n", lambda r: str(r.n)),
            ("not scored", lambda r: str(r.not_scored)),
            ("pass@k % ± se", lambda r: percent(r.rate, r.se)),
            ("interval", interval),
        ),
        "The chance that at least one of k independent samples is accepted, by the unbiased estimate from all samples "
        "of a task; for the rate of repair at the same budget see table by_attempt at attempt k.",
        only="independent",
    ),
    "cost": Table(
        CostRow,
        (
            *CELL,
            ("tasks x seeds", lambda r: str(r.scores)),
            ("solved", lambda r: str(r.solved)),
            ("attempts", lambda r: str(r.attempts)),
            ("checks", lambda r: str(r.checks)),
            ("attempts per solved", lambda r: _two_digits(r.attempts_per_solved)),
            ("checks per solved", lambda r: _two_digits(r.checks_per_solved)),
            ("verifier s", lambda r: f"{r.verifier_seconds:.1f}" if r.checks else ""),
            ("s per check", lambda r: _two_digits(r.seconds_per_check)),
        ),
        "What each cell took: attempts, runs of the verifier (checks), and their wall clock, which is a measurement of "
        "this machine and differs from run to run. Questions, tokens and dollars are those of the answers of language "
        "models that it is made of, also where arms share an answer that was paid for once.",
        further=(
            ("attempts to success", lambda r: _two_digits(r.attempts_to_success)),
            ("repeats", lambda r: str(r.repeats) if r.repeats else ""),
            ("questions", lambda r: str(r.questions) if r.questions else ""),
            ("tokens", lambda r: str(r.tokens) if r.tokens else ""),
            ("dollars", lambda r: _dollars(r.dollars)),
            ("dollars per solved", lambda r: _dollars(r.dollars_per_solved)),
        ),
    ),
    "disagreements": Table(
        DisagreementRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("arm", lambda r: r.arm),
            ("model", lambda r: r.model),
            ("seed", lambda r: str(r.seed)),
            ("task", lambda r: r.task),
            ("disagreements", lambda r: str(r.disagreements)),
            ("of attempts", lambda r: str(r.attempts)),
            ("verdict", lambda r: str(r.verdict)),
            ("shard", lambda r: _or_empty(r.shard)),
            ("first line", lambda r: _or_empty(r.first_line)),
            ("last line", lambda r: _or_empty(r.last_line)),
        ),
        "Tasks with attempts that warm workers accept and the pinned command line refuses. Such an attempt is a fault "
        "of the tool and not scored; the journal's row has both outputs. No row means that there was none.",
    ),
    "flags": Table(
        FlagRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("task", lambda r: r.task),
            ("flag", lambda r: r.flag),
            ("fault", lambda r: "yes" if r.fault else "no"),
            ("detail", lambda r: r.detail),
            ("found by", lambda r: r.found_by),
        ),
        "What there is to know of single tasks.",
    ),
    "curation": Table(
        CurationRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("flag", lambda r: r.flag),
            ("fault", lambda r: "yes" if r.fault else "no"),
            ("tasks", lambda r: _or_empty(r.count)),
            ("of", lambda r: str(r.of)),
            ("found by", lambda r: r.found_by),
            ("meaning", lambda r: r.meaning),
        ),
        "How many tasks have each flag. `leave_out` takes the tasks of the flags that it names out of every estimate; "
        "the table conditional has each rate without all tasks that have a fault.",
    ),
    "benchmark": Table(
        CountRow,
        (
            ("benchmark", lambda r: r.benchmark),
            ("measure", lambda r: r.measure),
            ("n", lambda r: str(r.n)),
            ("mean", lambda r: f"{r.mean:.2f}"),
            ("median", lambda r: short(r.median)),
            ("maximum", lambda r: short(r.maximum)),
            ("mean in the paper", lambda r: "" if r.paper_mean is None else f"{r.paper_mean:.2f}"),
            ("maximum in the paper", lambda r: "" if r.paper_maximum is None else str(r.paper_maximum)),
        ),
        "What the tasks' programs hold, from the benchmark's facts, and what the paper prints of it.",
    ),
    "audit": Table(
        AuditRow,
        (
            *CELL,
            ("solved", lambda r: _or_empty(r.published_solved)),
            ("of", lambda r: str(r.n)),
            ("published %", _with_bounds("published")),
            ("paper %", lambda r: "" if r.paper_percent is None else f"{r.paper_percent:.1f}"),
            ("damaged", lambda r: str(r.damaged)),
            ("solved of them", lambda r: _or_empty(r.damaged_solved)),
            ("undamaged", lambda r: str(r.undamaged)),
            ("published % of them", _with_bounds("undamaged")),
            ("kept", lambda r: str(r.kept)),
            ("refused", lambda r: str(r.refused)),
            ("cheating", lambda r: str(r.cheating)),
            ("at attempt 0", lambda r: str(r.given_refused)),
            ("unrecorded", lambda r: str(r.unrecorded)),
            ("gate % of them", _with_bounds("gate")),
            ("need hints", lambda r: str(r.needs_hints)),
            ("published % of these", _with_bounds("hints_published")),
            ("gate % of these", _with_bounds("hints_gate")),
        ),
        "What each arm's gate leaves of the published rates, with intervals. That an answer verifies is the release's "
        "word, but in columns `live`: there each kept answer was verified here, with acceptance, and is accepted, "
        "refuted, undecided (a limit was hit, or too little was there to be verified), not accepted (it verifies, and "
        "acceptance refuses it), or not scored "
        "(a fault). Damaged tasks have a given program that was broken before any model saw it; "
        "they count in the first rate only. Answers to the other tasks that were reported as solved are kept, refused, "
        "cheating, or not recorded; refused or cheating at attempt 0: the gate objects to the given program itself.",
        only="audit",
        further=(
            ("live accepted", lambda r: _or_empty(r.live_accepted)),
            ("live refuted", lambda r: _or_empty(r.live_refuted)),
            ("live undecided", lambda r: _or_empty(r.live_undecided)),
            ("live not accepted", lambda r: _or_empty(r.live_unaccepted)),
            ("live not scored", lambda r: _or_empty(r.live_unscored)),
            ("live % of undamaged", _with_bounds("live")),
            ("live % of these that need hints", _with_bounds("hints_live")),
        ),
    ),
    "violations": Table(
        ViolationRow,
        (
            *CELL,
            ("first violation", lambda r: r.kind),
            ("answers", lambda r: str(r.answers)),
            ("of", lambda r: str(r.of)),
        ),
        "Answers that were reported as solved, to undamaged tasks, by the kind of the first violation that the gate "
        "found; of ground truths, all.",
        only="audit",
    ),
    "sides": Table(
        SideRow,
        (
            *CELL,
            ("task", lambda r: r.task),
            ("published at", lambda r: _or_empty(r.published_attempt)),
            ("verdict", lambda r: str(r.verdict)),
            ("first violation", lambda r: r.kind),
            ("line of given", lambda r: _or_empty(r.given_line)),
            ("line of answer", lambda r: _or_empty(r.candidate_line)),
            ("what", lambda r: r.sentence),
            ("journal line", lambda r: str(r.line)),
        ),
        "Every answer that was reported as solved and that the gate refuses.",
        only="audit",
    ),
}
