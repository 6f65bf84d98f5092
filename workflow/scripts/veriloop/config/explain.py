"""Turning a schema's complaint into a sentence: dotted path, value, where it came from, nearest known key."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from veriloop.registry import nearest

SECRET = re.compile(r"(?:^|[._])(?:api_?key|key|secret|password|token)(?:$|\.)", re.IGNORECASE)
"""Names under which somebody may have written what is to be in no log."""

HIDDEN = "(hidden)"


def explain(
    error: ValidationError, model: type[BaseModel], *, prefix: str, where: str, overrides: Iterable[str] = ()
) -> str:
    """All complaints of a validation, one sentence each.

    Args:
        error: what pydantic raised.
        model: the schema that was applied, for the names that it knows.
        prefix: the dotted path of what was validated within the experiment; empty for the experiment itself.
        where: the experiment or file that was validated.
        overrides: what the person typed; a key found there is said to come from there.
    """
    return "\n".join(_sentence(detail, model, prefix, where, list(overrides)) for detail in error.errors())


def _sentence(detail: Any, model: type[BaseModel], prefix: str, where: str, overrides: list[str]) -> str:
    inner = [str(part) for part in detail["loc"]]
    path = [*prefix.split("."), *inner] if prefix else inner
    dotted = ".".join(path)
    value, origin = detail.get("input"), _origin(path, where, overrides)
    if SECRET.search(dotted):
        value, origin = HIDDEN, f"in {where} or an override"
    if detail["type"] == "extra_forbidden":
        hint = nearest(path[-1], _known_keys(model, inner[:-1]))
        return f"{dotted}={value!r} ({origin}): unknown key; {hint}"
    if detail["type"] == "missing":
        return f"{dotted} ({origin}): required, and not given"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{dotted}={value!r} ({origin}): {message}" if dotted else f"{origin}: {message}"


def _origin(path: list[str], where: str, overrides: list[str]) -> str:
    """Where a value came from: the override that set it, or the composed files."""
    for word in overrides:
        key = word.partition("=")[0].lstrip("+~").split(".")
        if path[: len(key)] == key or path[-len(key) :] == key:
            return f"from the override {word!r}"
    return f"in {where}"


def _known_keys(model: type[BaseModel], path: list[str]) -> list[str]:
    """The keys that the schema knows at a dotted path."""
    current: Any = model
    for part in path:
        current = _inner(current, part)
    return sorted(current.model_fields) if _is_model(current) else []


def _is_model(candidate: Any) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, BaseModel)


def _inner(annotation: Any, part: str) -> Any:
    """The annotation one step further down: a field of a model, or the value type of a mapping."""
    if _is_model(annotation):
        field = annotation.model_fields.get(part)
        return _without_none(field.annotation) if field else None
    origin = typing.get_origin(annotation)
    if origin is dict:
        return _without_none(typing.get_args(annotation)[1])
    if origin is list:
        return _without_none(typing.get_args(annotation)[0])
    return None


def _without_none(annotation: Any) -> Any:
    if typing.get_origin(annotation) is typing.Annotated:
        return _without_none(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        rest = [a for a in typing.get_args(annotation) if a is not type(None)]
        return _without_none(rest[0])
    return annotation
