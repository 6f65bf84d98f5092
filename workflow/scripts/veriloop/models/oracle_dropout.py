"""A synthetic proposer: the ground truth with each hint dropped by chance, drawn anew for each attempt.

It shows that the workflow tells easy from hard and few attempts from many; its rates say nothing about a model, and
everything that shows them is marked synthetic.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from veriloop.attempts import Proposal, Request
from veriloop.dafny.hints import split_hints
from veriloop.protocols import ProposerContext

NEEDS_GROUND_TRUTH = True


class Options(BaseModel):
    """`drop_probability`: the chance of each hint to be left out, from 0 to 1."""

    model_config = ConfigDict(extra="forbid")

    drop_probability: Annotated[float, Field(ge=0, le=1)]


class OracleDropout:
    """Proposes what remains of the ground truth."""

    name = "oracle_dropout"
    synthetic = True
    first_attempt = 1

    def __init__(self, options: Options, context: ProposerContext) -> None:
        self._options = options
        self._context = context

    def propose(self, request: Request) -> Proposal | None:
        """The ground truth without the hints that this attempt's draw drops."""
        if request.task.ground_truth is None:
            return Proposal(text=None, missing="no_answer", reason="the task has no ground truth")
        pieces = split_hints(request.task.given, request.task.ground_truth)
        draws = self._context.rng(request.task.id, request.attempt).random(len(pieces))
        kept = [
            text
            for (is_hint, text), draw in zip(pieces, draws, strict=True)
            if not is_hint or draw >= self._options.drop_probability
        ]
        return Proposal(text="".join(kept))


def make(options: Options, context: ProposerContext) -> OracleDropout:
    """The proposer."""
    return OracleDropout(options, context)


def answers_of(options: Options) -> str | None:  # noqa: ARG001 - the signature of every proposer
    """It uses no recorded answers."""
    return None
