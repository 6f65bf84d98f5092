"""What a model file says of a language model and of the endpoint that serves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, TypeAdapter, field_validator

_URL = TypeAdapter(HttpUrl)
MILLION = 1_000_000


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sampling(_Closed):
    """What is asked of each answer; null: not sent, so that the endpoint's own default holds."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)]
    reasoning_effort: str | None = None


class Prices(_Closed):
    """US dollars per million tokens, and where and when that was published."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    source: str
    as_of: str

    def dollars(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


class RateLimits(_Closed):
    """What the endpoint allows; all jobs of a machine together stay below it. null: no bound."""

    requests_per_minute: Annotated[float, Field(gt=0)] | None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None
    concurrency: Annotated[int, Field(ge=1, le=1000)]


class Patience(_Closed):
    """How long one try may take, and how often a question is sent before it counts as an infra_fault."""

    timeout_seconds: Annotated[float, Field(gt=0)]
    tries: Annotated[int, Field(ge=1, le=100)]


class ChatOptions(_Closed):
    """The options of proposer `chat`.

    Attributes:
        model: the name that the endpoint knows.
        base_url: what comes before `/chat/completions`.
        key_variable: the environment variable that holds the key; null: the endpoint asks for none. The key itself is
            in no file.
        context_tokens: prompt and answer together.
        sampling: unless the loop says otherwise.
        max_tokens_field: how the endpoint calls the bound on an answer's length.
        not_sent: settings of sampling that the endpoint refuses.
        send_seed: whether each request carries a seed, drawn from the run's seed, the task and the attempt.
        extra: further fields of each request's body.
        prices: null: not known, so that no budget in money can be kept.
        limits: of the endpoint.
        patience: with the endpoint.
    """

    model: str
    base_url: str
    key_variable: str | None
    context_tokens: Annotated[int, Field(ge=256)]
    sampling: Sampling
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    not_sent: list[Literal["temperature", "top_p", "reasoning_effort"]] = Field(default_factory=list)
    send_seed: bool = False
    extra: dict[str, Any] = Field(default_factory=dict)
    prices: Prices | None
    limits: RateLimits
    patience: Patience

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        address = _URL.validate_python(value)
        if address.username or address.password or address.query:
            raise ValueError("an address has no user, password or query; the key belongs into the environment")
        return value.rstrip("/")

    def merged(self, wanted: Mapping[str, Any]) -> Sampling:
        """The sampling with what the loop wants instead; settings that are refused here are left out."""
        changes = {name: value for name, value in wanted.items() if value is not None}
        return self.sampling.model_copy(update=changes | dict.fromkeys(self.not_sent))
