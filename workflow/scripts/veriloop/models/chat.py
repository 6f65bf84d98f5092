"""A language model behind an OpenAI-compatible endpoint: hosted, a gateway, or a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veriloop.llm.exchange_log import ExchangeLog
from veriloop.llm.ledger import Ledger
from veriloop.llm.settings import ChatOptions as Options
from veriloop.llm.turns import Turns
from veriloop.protocols import Chat, ProposerContext

NEEDS_GROUND_TRUTH = False

OPERATIONAL = ("key_variable", "context_tokens", "prices", "limits", "patience")
"""Options that cannot change an answer."""

RESULTS = Path("results")


@contextmanager
def open_chat(options: Options, context: ProposerContext) -> Iterator[Chat]:
    """The model, for one job.

    Raises:
        UserError: the key is not set, or another job writes the same log.
    """
    # Jobs that only read a model's options run in environments without an HTTP client.
    from veriloop.llm.client import OpenAIChat, endpoint_key, read_key

    key = read_key(options, f"models.{context.model}.options")
    shared = endpoint_key(options)
    bounded = any(bound is not None for bound in context.budget.values())
    ledger = Ledger(RESULTS / "spent" / f"{context.experiment}.sqlite", context.budget) if bounded else None
    turns = Turns(RESULTS / "endpoints" / shared, options.limits)
    with ExchangeLog(RESULTS / "exchanges" / shared, context.job) as log:
        sampling = options.merged(context.sampling)
        chat = OpenAIChat(options, sampling, key=key, seed=context.seed, log=log, turns=turns, ledger=ledger)
        try:
            yield chat
        finally:
            chat.close()


def answers_of(options: Options) -> str | None:  # noqa: ARG001 - the signature of every proposer
    """It uses no recorded answers."""
    return None
