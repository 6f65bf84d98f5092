"""What the failure of a request means: try it again, the question is refused, or nothing will ever be answered here."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from typing import Literal

import openai

from veriloop.errors import UserError
from veriloop.llm.settings import ChatOptions

TOO_LONG = re.compile(
    r"context.?(?:length|size|window)|maximum context|too (?:long|large|many)"
    r"|(?:exceed\w*|maximum|range of) .{0,60}(?:context|token|length)",
    re.IGNORECASE,
)
"""Endpoints have no common word for it. Covered: OpenAI, vLLM, llama.cpp, Anthropic, Google, xAI, Moonshot, Qwen."""

NO_CREDIT = re.compile(r"insufficient_quota|exceeded_current_quota|insufficient.?(?:balance|credit)", re.IGNORECASE)
PER_MINUTE = re.compile(r"per minute|\bTPM\b", re.IGNORECASE)
FILTERED = re.compile(r"content.?(?:filter|policy|management)|safety", re.IGNORECASE)
MOST_CHARACTERS = 500


class AgainError(Exception):
    """The same request may be answered later.

    `may_be_billed` tells that an answer may have been made that never arrived.
    """

    def __init__(self, message: str, *, wait_seconds: float | None = None, may_be_billed: bool = False) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
        self.may_be_billed = may_be_billed


class RefusedError(Exception):
    """This question will not be answered; others may be."""

    may_be_billed = False

    def __init__(self, message: str, kind: Literal["too_long", "infra_fault", "refused"]) -> None:
        super().__init__(message)
        self.kind = kind


class HopelessError(UserError):
    """No question will be answered until a person changes something."""

    may_be_billed = False


Meaning = AgainError | RefusedError | HopelessError


def sorted_out(error: Exception, options: ChatOptions, *, has_answered: bool) -> Meaning:
    """What a failed try means.

    Args:
        error: what the client raised, or what reading the answer raised.
        options: the model file's, for the sentence.
        has_answered: whether this endpoint has answered any question yet; one that has is not refused for its form.
    """
    where = f"{options.base_url} (model {options.model})"
    if isinstance(error, openai.APITimeoutError):
        return AgainError(f"{where}: no answer within {options.patience.timeout_seconds:g} s", may_be_billed=True)
    if isinstance(error, openai.APIConnectionError):
        return AgainError(f"{where}: {_chain(error)}", may_be_billed=not _never_connected(error))
    if isinstance(error, openai.APIStatusError):
        return _status(error, where, has_answered=has_answered)
    return AgainError(f"{where}: the answer cannot be read ({_short(str(error))})", may_be_billed=True)


def _status(error: openai.APIStatusError, where: str, *, has_answered: bool) -> Meaning:
    code = error.status_code
    said = _short(f"{error.code or ''} {error.message.removeprefix(f'Error code: {code} - ')}")
    if code == 429 and not NO_CREDIT.search(f"{error.type} {said}"):
        return AgainError(f"{where}: HTTP 429: {said}", wait_seconds=retry_after(error.response.headers, time.time()))
    if code in {408, 409, 425} or code >= 500:
        waits = retry_after(error.response.headers, time.time())
        return AgainError(f"{where}: HTTP {code}: {said}", wait_seconds=waits)
    if code in {401, 403}:
        return HopelessError(
            f"{where}: refuses the key (HTTP {code}: {said}); check the key and what it may be used for"
        )
    if code == 404:
        return HopelessError(f"{where}: HTTP 404: {said}; check options.base_url and options.model in config/model/")
    if code == 413 and PER_MINUTE.search(said):
        return RefusedError(f"{where}: HTTP 413: {said}", "infra_fault")
    if code == 413 or (code in {400, 422} and TOO_LONG.search(said)):
        return RefusedError(f"HTTP {code}: {said}", "too_long")
    if code == 400 and FILTERED.search(said):
        return RefusedError(f"HTTP {code}: {said}", "refused")
    if has_answered and code in {400, 422}:
        return RefusedError(f"{where}: HTTP {code}: {said}", "infra_fault")
    return HopelessError(
        f"{where}: refuses the request (HTTP {code}: {said}); check the account, and options.sampling, "
        "options.not_sent and options.extra in config/model/"
    )


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """How many seconds an endpoint asks to wait, as a number or as a date; None where it does not say.

    Args:
        headers: of the response, looked up without regard to case.
        now: seconds since 1970.
    """
    said = headers.get("retry-after-ms")
    try:
        if said is not None:
            return max(0.0, float(said) / 1000)
        said = headers.get("retry-after")
        return None if said is None else max(0.0, float(said))
    except ValueError:
        pass
    parsed = email.utils.parsedate_tz(said or "")
    return None if parsed is None else max(0.0, email.utils.mktime_tz(parsed) - now)


def _never_connected(error: BaseException) -> bool:
    """Whether nothing was sent: the connection itself failed."""
    cause = error.__cause__
    return cause is not None and type(cause).__name__ in {"ConnectError", "ConnectTimeout", "UnsupportedProtocol"}


def _chain(error: BaseException) -> str:
    return _short(": ".join(str(one) for one in (error, error.__cause__) if one is not None and str(one)))


def _short(text: str) -> str:
    return " ".join(text.split())[:MOST_CHARACTERS]
