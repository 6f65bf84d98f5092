"""The rows of what an audit finds: what gates leave of published rates, kinds of violations, and changed sides."""

from __future__ import annotations

from veriloop.outcomes import Record, Verdict


class AuditRow(Record):
    """What a gate leaves of a model's published rate; empty where a release reports nothing, as of ground truths.

    Of all `n` tasks `damaged` are no programs before any answer (stages.audited), and `published_solved` were reported
    as solved: `at_attempt_0` by the given program itself, `damaged_solved` on damaged tasks. All else is over the
    `undamaged` tasks: the answers to those of them that were reported as solved are `kept` by the gate, `refused`,
    `cheating`, or `unrecorded` (not in the release, and not in the gate's rate). `given_refused` counts the refused and
    cheating ones at attempt 0, where the gate objects to what the given program itself holds. `hints_` rates are over
    those of these tasks that need hints by the benchmark's own flag.

    Where the experiment verifies, the kept ones are `live_accepted`, `live_refuted` (malformed ones included),
    `live_undecided` (a limit was hit, or too little was there to be verified), `live_unaccepted` (they verify, and
    acceptance says no) or `live_unscored` (a fault, and not in the live rates); else these are empty.
    """

    benchmark: str
    arm: str
    model: str
    n: int
    damaged: int
    published_solved: int | None
    at_attempt_0: int | None
    damaged_solved: int | None
    published_rate: float | None
    published_ci_low: float | None
    published_ci_high: float | None
    paper_percent: float | None
    undamaged: int
    undamaged_solved: int | None
    undamaged_rate: float | None
    undamaged_ci_low: float | None
    undamaged_ci_high: float | None
    kept: int
    refused: int
    cheating: int
    given_refused: int
    unrecorded: int
    gate_rate: float | None
    gate_ci_low: float | None
    gate_ci_high: float | None
    needs_hints: int
    hints_published_rate: float | None
    hints_published_ci_low: float | None
    hints_published_ci_high: float | None
    hints_gate_rate: float | None
    hints_gate_ci_low: float | None
    hints_gate_ci_high: float | None
    live_accepted: int | None
    live_refuted: int | None
    live_undecided: int | None
    live_unaccepted: int | None
    live_unscored: int | None
    live_rate: float | None
    live_ci_low: float | None
    live_ci_high: float | None
    hints_live_rate: float | None
    hints_live_ci_low: float | None
    hints_live_ci_high: float | None
    synthetic: bool


class ViolationRow(Record):
    """How many of the `of` judged answers have a first violation of this kind."""

    benchmark: str
    arm: str
    model: str
    kind: str
    answers: int
    of: int
    synthetic: bool


class SideRow(Record):
    """An answer that was reported as solved and that a gate refuses: its first violation, and where its attempt is.

    `published_attempt` is empty for a ground truth; `journal` and `line` (from 1) lead to the answer and everything
    else that the gate found.
    """

    benchmark: str
    arm: str
    model: str
    task: str
    published_attempt: int | None
    verdict: Verdict
    kind: str
    cheating: bool
    given_line: int | None
    candidate_line: int | None
    sentence: str
    answer_sha256: str
    journal: str
    line: int
    synthetic: bool
