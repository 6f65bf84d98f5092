"""The closed schema of a resolved experiment: unknown keys are refused at every level.

What a benchmark, model, gate or memory takes as `options` is checked by that part itself (stages.plan).
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, Field, model_validator

from veriloop.config.toolchain import CheckName, Closed, ExplainName, SafeName, ToolchainConfig


def _all_different(values: list[int]) -> list[int]:
    twice = sorted({v for v in values if values.count(v) > 1})
    if twice:
        raise ValueError(f"given twice: {twice}; each seed may stand once")
    return values


class BenchmarkConfig(Closed):
    """A benchmark: the folder under veriloop/benchmarks that loads it, and that loader's options."""

    loader: str
    options: dict[str, Any] = Field(default_factory=dict)


class ModelConfig(Closed):
    """A model: the module under veriloop/models that proposes, and that proposer's options."""

    proposer: str
    options: dict[str, Any] = Field(default_factory=dict)


class SamplingConfig(Closed):
    """What is asked of each answer of a language model; null: what the model's own file says."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None
    max_tokens: Annotated[int, Field(ge=1)] | None


class LoopConfig(Closed):
    """How one task is worked at.

    Attributes:
        max_attempts: at most so many proposals.
        strategy: `repair` stops at the first accepted attempt; `independent` makes them all, as samples for pass@k.
        memory: the module under veriloop/loop/memories that hands one attempt's findings to the next.
        feedback: what the next prompt says of an attempt; see loop.feedback.
        tell_repeats: whether it says that an answer is an earlier one again.
        reviewer: the module under veriloop/loop/reviewers that gives a second opinion; null: none.
        prompt: the folder config/prompts/PROMPT/.
        prompts: the texts of its files by name, filled in when the experiment is resolved.
        sampling: what is asked of each answer.
        fault_retries: how often a check that ended in a fault is tried again.
        explain: what is found out about a refuted answer, for the next prompt and the journal; one more run each.
    """

    max_attempts: Annotated[int, Field(ge=1, le=10_000)]
    strategy: Literal["repair", "independent"]
    memory: str
    feedback: Literal["raw", "structured", "failed"]
    tell_repeats: bool
    reviewer: str | None
    prompt: SafeName
    prompts: dict[str, str] = Field(default_factory=dict)
    sampling: SamplingConfig
    fault_retries: Annotated[int, Field(ge=0, le=10)]
    explain: list[ExplainName]

    @model_validator(mode="after")
    def _samples_know_nothing_of_each_other(self) -> Self:
        if self.strategy == "independent" and self.memory != "none":
            raise ValueError(f"strategy independent needs memory none, not {self.memory}")
        return self


class GateConfig(Closed):
    """The module under veriloop/gate that decides what an answer may change, and its options."""

    name: str
    options: dict[str, Any] = Field(default_factory=dict)


class AcceptanceConfig(Closed):
    """What must hold of an answer after the verifier accepted it, by name; see veriloop.acceptance."""

    checks: list[CheckName]


class AuditConfig(Closed):
    """How recorded answers are audited.

    Attributes:
        verify: whether each answer that a gate of any arm lets pass is verified here, with acceptance; if not, that it
            verifies is the release's word.
    """

    verify: bool


def _rising(edges: list[float]) -> list[float]:
    if any(low >= high for low, high in pairwise(edges)):
        raise ValueError("the edges of bins must rise")
    return edges


Edges = Annotated[list[float], Field(min_length=2), AfterValidator(_rising)]


class BudgetConfig(Closed):
    """What an experiment may spend on language models in all; null: no bound."""

    dollars: Annotated[float, Field(gt=0)] | None
    tokens: Annotated[int, Field(ge=1)] | None


class Statistics(Closed):
    """Settings of the estimates.

    Attributes:
        confidence: of the intervals.
        interval: of rates: `wilson` (with an effective number of tasks) or `bca` (bootstrap over tasks); see
            docs/coverage.md. Paired differences have BCa intervals always.
        resamples: of the bootstrap.
        fixed_bins: by measure, the edges of bins that stay the same whatever the benchmark's sizes are; each bin is
            closed on the left, and the last one takes everything from its lower edge on.
    """

    confidence: Annotated[float, Field(gt=0, lt=1)]
    interval: Literal["wilson", "bca"]
    resamples: Annotated[int, Field(ge=100)]
    fixed_bins: dict[str, Edges]


class Arm(Closed):
    """An arm after merging: its overrides, and the loop, gate and acceptance that they lead to."""

    overrides: list[str]
    loop: LoopConfig
    gate: GateConfig
    acceptance: AcceptanceConfig


class Experiment(Closed):
    """A resolved experiment: benchmarks x models x arms x seeds, and everything that can change a number.

    `leave_out` names flags (stages.flag.KINDS); tasks that have one of them are in no estimate. `control` names the arm
    that every other one is compared with; null: none is.
    """

    name: SafeName
    description: str
    benchmarks: Annotated[dict[SafeName, BenchmarkConfig], Field(min_length=1)]
    models: dict[SafeName, ModelConfig]
    arms: Annotated[dict[SafeName, Arm], Field(min_length=1)]
    seeds: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1), AfterValidator(_all_different)]
    root_seed: Annotated[int, Field(ge=0)]
    shards: Annotated[int, Field(ge=1, le=1000)]
    toolchain: ToolchainConfig
    fallback_toolchain: ToolchainConfig | None
    leave_out: list[str]
    control: SafeName | None
    budget: BudgetConfig
    audit: AuditConfig
    statistics: Statistics

    @classmethod
    def read(cls, path: Path) -> Experiment:
        """Read the resolved file that the workflow wrote before its first job."""
        return cls.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))

    def dump(self) -> str:
        """The resolved file's text, the same for the same configuration."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=110)
