"""Questions over an OpenAI-compatible chat interface: within budget, tried again where that helps, written down."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from typing import Any

import openai
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from veriloop.errors import UserError
from veriloop.exchanges import Exchange, Question
from veriloop.llm.answers import Answered, refused_question
from veriloop.llm.exchange_log import ExchangeLog
from veriloop.llm.failures import AgainError, RefusedError, sorted_out
from veriloop.llm.ledger import Cost, Ledger
from veriloop.llm.settings import ChatOptions, Sampling
from veriloop.llm.turns import Turns

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 60.0
"""Bounds of the random waits between tries where the endpoint does not say how long to wait."""

LONGEST_ASKED_WAIT_SECONDS = 600.0
"""An endpoint that asks for a longer wait gets this; a day's quota is not waited for."""

HIDDEN = "[key]"


def endpoint_key(options: ChatOptions) -> str:
    """A short name for an endpoint and model, for what its users share."""
    return hashlib.sha256(f"{options.base_url}\0{options.model}".encode()).hexdigest()[:16]


def read_key(options: ChatOptions, where: str) -> str:
    """The key from the environment; a placeholder where the endpoint asks for none.

    Raises:
        UserError: the variable is not set.
    """
    if options.key_variable is None:
        return "none"
    key = os.environ.get(options.key_variable, "").strip()
    if not key:
        raise UserError(
            f"{where}.key_variable={options.key_variable}: this environment variable is not set; put the key of "
            f"{options.base_url} into it (export {options.key_variable}=...), or choose another model"
        )
    return key


def hidden(text: str, options: ChatOptions, key: str) -> str:
    """A text without the key, which an endpoint may repeat in what it says."""
    return text if options.key_variable is None else text.replace(key, HIDDEN)


def open_client(options: ChatOptions, key: str, timeout_seconds: float) -> openai.OpenAI:
    """The HTTP client; it tries nothing twice by itself, since each try is to be accounted for."""
    return openai.OpenAI(api_key=key, base_url=options.base_url, timeout=timeout_seconds, max_retries=0)


class OpenAIChat:
    """Asks a language model; several threads may ask at once."""

    synthetic = False

    def __init__(
        self,
        options: ChatOptions,
        sampling: Sampling,
        *,
        key: str,
        seed: int,
        log: ExchangeLog,
        turns: Turns,
        ledger: Ledger | None,
    ) -> None:
        """Connect nothing yet.

        Args:
            options: the model file's.
            sampling: what is asked of each answer.
            key: for the endpoint.
            seed: the run's; it tells apart the same question of two runs.
            log: where answered questions are kept and found.
            turns: the endpoint's limits.
            ledger: the budget; None: unbounded.
        """
        self.name = "chat"
        self._options = options
        self._sampling = sampling
        self._key = key
        self._seed = seed
        self._log = log
        self._turns = turns
        self._ledger = ledger
        self._client = open_client(options, key, options.patience.timeout_seconds)
        self._has_answered = False

    def ask(self, question: Question) -> Exchange:
        """The answer, from the log if it was given before.

        Raises:
            UserError: the endpoint refuses the key, the model or the form of the request; or the budget is spent.
        """
        body = self._body(question)
        named = [self._options.base_url, question.purpose, question.task, question.attempt, self._seed, body]
        key = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
        known = self._log.find(key)
        if known is not None:
            return known
        exchange = self._sent(question, body)
        if exchange.failure != "infra_fault":
            self._log.append(key, exchange)
        return exchange

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _body(self, question: Question) -> dict[str, Any]:
        """The request's exact body."""
        sampling = self._sampling.model_dump(exclude_none=True)
        sampling[self._options.max_tokens_field] = sampling.pop("max_tokens")
        body = {"model": self._options.model, "messages": [m.model_dump() for m in question.messages], **sampling}
        if self._options.send_seed:
            drawn = f"{self._seed}\0{question.purpose}\0{question.task}\0{question.attempt}"
            body["seed"] = int.from_bytes(hashlib.sha256(drawn.encode()).digest()[:4], "big") >> 1
        return body | self._options.extra

    def _sent(self, question: Question, body: dict[str, Any]) -> Exchange:
        """Send until there is an answer or the tries are used up."""
        start, tries = time.monotonic(), 0
        told = {
            "purpose": question.purpose,
            "task": question.task,
            "attempt": question.attempt,
            "template_sha256": question.template_sha256,
            "model": self._options.model,
            "request": body,
        }
        found: Mapping[str, Any]
        try:
            for attempt in Retrying(
                stop=stop_after_attempt(self._options.patience.tries),
                wait=_wait,
                retry=retry_if_exception_type(AgainError),
                reraise=True,
            ):
                tries += 1
                with attempt:
                    found = vars(self._try(body))
        except AgainError as error:
            found = {"response": None, "failure": "infra_fault", "explanation": self._hidden(str(error))}
        except RefusedError as error:
            found = refused_question(error, self._hidden(str(error)))
        self._has_answered = self._has_answered or not found.get("failure")
        return Exchange.model_validate(told | dict(found) | {"seconds": time.monotonic() - start, "tries": tries})

    def _try(self, body: dict[str, Any]) -> Answered:
        """One try, within the endpoint's limits and the budget."""
        most = self._most(body)
        with self._turns.turn(most.tokens):
            settle = self._ledger.reserve(most) if self._ledger else _unbounded
            try:
                raw = self._client.chat.completions.with_raw_response.create(**_arguments(body))
                answered = Answered.read(self._hidden(raw.text), self._options.prices)
            except (openai.OpenAIError, ValueError, TypeError) as error:
                failure = sorted_out(error, self._options, has_answered=self._has_answered)
                if not failure.may_be_billed:
                    settle(Cost(0.0, 0))
                if isinstance(failure, UserError):
                    raise UserError(self._hidden(str(failure))) from None
                raise failure from None
            settle(answered.cost(most))
        return answered

    def _most(self, body: dict[str, Any]) -> Cost:
        """The most that a question can cost: no token is shorter than a byte."""
        prompt = min(len(json.dumps(body["messages"]).encode()), self._options.context_tokens)
        answer = self._sampling.max_tokens
        prices = self._options.prices
        return Cost(prices.dollars(prompt, answer) if prices else 0.0, prompt + answer)

    def _hidden(self, text: str) -> str:
        return hidden(text, self._options, self._key)


def _unbounded(cost: Cost) -> None:
    """Where there is no budget nothing is kept of a cost."""


def _arguments(body: dict[str, Any]) -> dict[str, Any]:
    """The body as the client takes it: fields that it does not know go beside the others."""
    return {"model": body["model"], "messages": body["messages"], "extra_body": body}


def _wait(state: RetryCallState) -> float:
    """How long to wait before the next try: what the endpoint says, or longer and longer by chance."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.wait_seconds if isinstance(error, AgainError) else None
    if asked is not None:
        return min(asked, LONGEST_ASKED_WAIT_SECONDS)
    return float(wait_random_exponential(multiplier=FIRST_WAIT_SECONDS, max=LONGEST_WAIT_SECONDS)(state))
