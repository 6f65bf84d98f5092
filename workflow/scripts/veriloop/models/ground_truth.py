"""The ground truth itself, as one attempt: a check of the benchmark, not of a model.

What it does not solve, nobody can be blamed for: the ground truth does not verify on this toolchain, or the gate
refuses it. Its rows are marked synthetic.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Proposal, Request
from veriloop.protocols import ProposerContext

NEEDS_GROUND_TRUTH = True


class Options(BaseModel):
    """Nothing to set."""

    model_config = ConfigDict(extra="forbid")


class GroundTruth:
    """Proposes the ground truth, once."""

    name = "ground_truth"
    synthetic = True
    first_attempt = 1

    def propose(self, request: Request) -> Proposal | None:
        """The ground truth, then nothing."""
        if request.attempt > self.first_attempt:
            return None
        truth = request.task.ground_truth
        if truth is None:
            return Proposal(text=None, missing="no_answer", reason="the task has no ground truth")
        return Proposal(text=truth)


def make(options: Options, context: ProposerContext) -> GroundTruth:  # noqa: ARG001 - the signature of every proposer
    """The proposer."""
    return GroundTruth()


def answers_of(options: Options) -> str | None:  # noqa: ARG001 - the signature of every proposer
    """It uses no recorded answers."""
    return None
