"""No model at all: the given program itself, as attempt 0. Its rate is the baseline of every other one."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Proposal, Request
from veriloop.protocols import ProposerContext

NEEDS_GROUND_TRUTH = False


class Options(BaseModel):
    """Nothing to set."""

    model_config = ConfigDict(extra="forbid")


class NoModel:
    """Proposes what was given, once."""

    name = "none"
    synthetic = False
    first_attempt = 0

    def propose(self, request: Request) -> Proposal | None:
        """The given program at attempt 0, then nothing."""
        return Proposal(text=request.task.given) if request.attempt == 0 else None


def make(options: Options, context: ProposerContext) -> NoModel:  # noqa: ARG001 - the signature of every proposer
    """The proposer."""
    return NoModel()


def answers_of(options: Options) -> str | None:  # noqa: ARG001 - the signature of every proposer
    """It uses no recorded answers."""
    return None
