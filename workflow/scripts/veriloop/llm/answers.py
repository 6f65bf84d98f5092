"""What an endpoint sent back, read with distrust: where a field is missing or of another type it is unreadable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from veriloop.llm.failures import RefusedError
from veriloop.llm.ledger import Cost
from veriloop.llm.settings import Prices


@dataclass(frozen=True)
class Answered:
    """The part of an exchange that the endpoint decides; see exchanges.Exchange for the fields."""

    response: dict[str, Any]
    text: str
    finish: str
    refusal: str
    prompt_tokens: int | None
    completion_tokens: int | None
    dollars: float | None

    @classmethod
    def read(cls, body: str, prices: Prices | None) -> Answered:
        """Read a response's body.

        Raises:
            ValueError: it is no JSON, or no chat completion.
            TypeError: likewise.
        """
        response = json.loads(body)
        if not isinstance(response, dict) or not response.get("choices"):
            raise ValueError(f"no chat completion: {body[:200]!r}")
        choice = response["choices"][0]
        message = choice["message"] if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            raise TypeError(f"no message: {body[:200]!r}")
        usage = response.get("usage") or {}
        prompt, completion = _count(usage, "prompt_tokens"), _completion(usage)
        finish = str(choice.get("finish_reason") or "")
        counted = prompt is not None and completion is not None
        return cls(
            response=response,
            text=_text(message.get("content")),
            finish=finish,
            refusal=_refusal(message, finish),
            prompt_tokens=prompt,
            completion_tokens=completion,
            dollars=prices.dollars(prompt or 0, completion or 0) if prices is not None and counted else None,
        )

    def cost(self, most: Cost) -> Cost:
        """What it cost; the most that it can have cost where the endpoint does not say."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return most
        dollars = most.dollars if self.dollars is None else self.dollars
        return Cost(dollars, self.prompt_tokens + self.completion_tokens)


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _completion(usage: Any) -> int | None:
    """The tokens of the answer. Some endpoints (Google's) leave reasoning out of them but not out of the total."""
    said, prompt, total = (_count(usage, f"{name}_tokens") for name in ("completion", "prompt", "total"))
    return max(said, total - prompt) if said is not None and prompt is not None and total is not None else said


def _text(content: Any) -> str:
    """The answer's text; some endpoints send it in parts.

    Raises:
        TypeError: it is something else.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    raise TypeError(f"the answer's content is a {type(content).__name__}")


def _refusal(message: dict[str, Any], finish: str) -> str:
    said = message.get("refusal")
    if isinstance(said, str) and said:
        return said
    return "the endpoint's content filter ended the answer" if finish == "content_filter" else ""


def refused_question(error: RefusedError, explanation: str) -> dict[str, Any]:
    """The part of an exchange for a question that the endpoint does not take."""
    said = {"refusal": explanation} if error.kind == "refused" else {"failure": error.kind}
    return {"response": None, "explanation": explanation} | said
