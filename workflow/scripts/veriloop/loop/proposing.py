"""The proposer of every language model: one question, and the program in its answer."""

from __future__ import annotations

from collections.abc import Mapping

from veriloop.attempts import Proposal, Request
from veriloop.exchanges import Exchange
from veriloop.llm.extract import extract
from veriloop.loop.prompts import question
from veriloop.protocols import Chat

CUT_OFF = frozenset({"length", "model_length", "max_tokens"})
"""How endpoints say that an answer reached its bound: OpenAI's word, Mistral's, and what some gateways pass on."""


class ChatProposer:
    """Asks a language model for a whole program."""

    first_attempt = 1

    def __init__(self, chat: Chat, prompts: Mapping[str, str]) -> None:
        """Take the model and the texts of the loop's prompt files."""
        self.name = chat.name
        self.synthetic = chat.synthetic
        self._chat = chat
        self._prompts = prompts

    def propose(self, request: Request) -> Proposal | None:
        """The program in the model's answer, or why there is none."""
        return read_proposal(
            self._chat.ask(question(self._prompts, "propose", request.task.id, request.attempt, request.prompt))
        )


def read_proposal(exchange: Exchange) -> Proposal:
    """What a model's answer proposes; an answer that cannot be read is said to be so, never an error."""
    asked = (exchange,)
    if exchange.failure:
        return Proposal(text=None, missing=exchange.failure, reason=exchange.explanation, exchanges=asked)
    if exchange.refusal:
        return Proposal(text=None, missing="refused", reason=exchange.refusal, exchanges=asked)
    found = extract(exchange.text, cut_off=exchange.finish in CUT_OFF)
    if found.kind != "program":
        return Proposal(text=None, missing=found.kind, reason=found.why, exchanges=asked)
    return Proposal(text=found.program, reason=found.why, exchanges=asked)
