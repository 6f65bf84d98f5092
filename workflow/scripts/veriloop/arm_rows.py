"""The rows that compare arms: what each took, each beside the control arm, and pass@k of independent samples."""

from __future__ import annotations

from veriloop.outcomes import Record


class PassRow(Record):
    """The chance that at least one of `k` independent samples is accepted, from `samples` of each task.

    The estimate is the unbiased one (Chen et al. 2021, section 2.1), the mean over tasks of 1 - C(n-c, k) / C(n, k);
    tasks of which a sample was not scored are not scored here.
    """

    benchmark: str
    arm: str
    model: str
    k: int
    samples: int
    n: int
    not_scored: int
    rate: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    source: str
    synthetic: bool


class ControlRow(Record):
    """An arm beside the control arm, on the tasks that both have scored; `difference` is arm minus control.

    `p`, `p_holm` and `family` are as in ComparisonRow, the family being all arms and models of the benchmark. The mean
    number of the accepted attempt is over each arm's own solved tasks and seeds; so are costs.
    """

    benchmark: str
    model: str
    control: str
    arm: str
    overrides: str
    n: int
    unpaired: int
    rate: float | None = None
    control_rate: float | None = None
    difference: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str
    only_arm: int | None = None
    only_control: int | None = None
    p: float | None = None
    p_holm: float | None = None
    family: int | None = None
    attempts_to_success: float | None
    control_attempts_to_success: float | None
    dollars_per_solved: float | None
    control_dollars_per_solved: float | None
    synthetic: bool


class CostRow(Record):
    """What a cell took, over all tasks and seeds. `verifier_seconds` and `seconds_per_check` are measurements.

    `attempts_to_success` is the mean number of the accepted attempt over what was solved. `tokens` are of prompts and
    answers together.
    """

    benchmark: str
    arm: str
    model: str
    scores: int
    solved: int
    attempts: int
    checks: int
    repeats: int
    attempts_to_success: float | None
    attempts_per_solved: float | None
    checks_per_solved: float | None
    verifier_seconds: float
    seconds_per_check: float | None
    questions: int
    tokens: int
    tokens_per_solved: float | None
    dollars: float | None
    dollars_per_solved: float | None
    source: str
    synthetic: bool
