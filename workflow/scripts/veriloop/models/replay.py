"""Recorded answers, checked again: one attempt each, then stop. A missing answer is not scored."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from veriloop.attempts import Proposal, Request
from veriloop.protocols import ProposerContext

NEEDS_GROUND_TRUTH = False


class Options(BaseModel):
    """`answers_of`: the published model whose answers are replayed."""

    model_config = ConfigDict(extra="forbid")

    answers_of: str


class Replay:
    """Proposes the recorded answer, once."""

    name = "replay"
    synthetic = False
    first_attempt = 1

    def __init__(self, context: ProposerContext) -> None:
        self._answers = context.answers

    def propose(self, request: Request) -> Proposal | None:
        """The task's recorded answer, or why there is none; nothing after that."""
        if request.attempt > self.first_attempt:
            return None
        text = self._answers.get(request.task.id)
        if text is None:
            return Proposal(text=None, missing="no_answer", reason="no answer was recorded for this task")
        return Proposal(text=text)


def make(options: Options, context: ProposerContext) -> Replay:  # noqa: ARG001 - the signature of every proposer
    """The proposer."""
    return Replay(context)


def answers_of(options: Options) -> str | None:
    """Whose recorded answers it needs."""
    return options.answers_of
