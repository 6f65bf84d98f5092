"""Whether an endpoint answers at all, knows the model, and takes the key: asked before any task costs anything."""

from __future__ import annotations

import openai

from veriloop.errors import UserError
from veriloop.llm.client import hidden, open_client
from veriloop.llm.failures import sorted_out
from veriloop.llm.settings import ChatOptions
from veriloop.registry import nearest

PROBE_SECONDS = 60.0
"""How long an endpoint may take to say what it serves, or to answer a word; a local server may have to load a model."""

PROBE_TOKENS = 16
"""The smallest bound on an answer that every endpoint takes."""


def probe(options: ChatOptions, key: str, where: str, *, timeout_seconds: float = PROBE_SECONDS) -> str:
    """Ask what the endpoint serves; where that does not name the model, ask the model for a word.

    Args:
        options: the model file's.
        key: for the endpoint.
        where: the dotted key of the options, for the sentence.
        timeout_seconds: how long each may take.

    Returns:
        How the model was found, in words.

    Raises:
        UserError: no answer, a refused key, or a model that is not known there.
    """
    with open_client(options, key, timeout_seconds) as client:
        listed = _listed(client, options, key, where)
        if options.model in listed or f"models/{options.model}" in listed:
            return "the endpoint lists the model"
        _ask_a_word(client, options, key, where, listed)
    return "the model answered"


def _listed(client: openai.OpenAI, options: ChatOptions, key: str, where: str) -> list[str]:
    """The models that the endpoint lists; none where it lists nothing."""
    try:
        return [str(model.id) for model in client.models.list().data or []]
    except (openai.APIConnectionError, openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise _unusable(error, options, key, where) from None
    except (openai.OpenAIError, ValueError, TypeError, AttributeError):
        # Not every endpoint lists its models; the question will tell.
        return []


def _ask_a_word(client: openai.OpenAI, options: ChatOptions, key: str, where: str, listed: list[str]) -> None:
    body = {options.max_tokens_field: PROBE_TOKENS, **options.extra}
    try:
        client.chat.completions.create(
            model=options.model, messages=[{"role": "user", "content": "Reply with: ready"}], extra_body=body
        )
    except openai.NotFoundError as error:
        known = f"; {nearest(options.model, listed)}" if listed else ""
        raise UserError(f"{_unusable(error, options, key, where)}{known}") from None
    except (openai.OpenAIError, ValueError, TypeError) as error:
        raise _unusable(error, options, key, where) from None


def _unusable(error: Exception, options: ChatOptions, key: str, where: str) -> UserError:
    said = hidden(str(sorted_out(error, options, has_answered=False)), options, key)
    return UserError(f"{where}: nothing was asked yet. {said}. Is options.base_url right, and does a server run there?")
