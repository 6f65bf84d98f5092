"""The base protocol of language servers: a header with the length in bytes, then one JSON object."""

from __future__ import annotations

import json
import re
from typing import Any

Message = dict[str, Any]

LONGEST_HEADER = 1000
"""Bytes; a header that has not ended by then is none."""

_LENGTH = re.compile(rb"^Content-Length: *([0-9]{1,18}) *$", re.IGNORECASE | re.MULTILINE)


class FramingError(ValueError):
    """The stream is not what the protocol says."""


class TooLongError(ValueError):
    """A message is longer than the bound."""


def encode(message: Message) -> bytes:
    """The bytes of one message."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Unframer:
    """Cuts a stream that arrives in pieces into messages."""

    def __init__(self, longest: int) -> None:
        """Take `longest`, the bound of one message in bytes."""
        self._longest = longest
        self._buffer = bytearray()

    def feed(self, piece: bytes) -> list[tuple[Message, int]]:
        """The messages that are complete with this piece, each with its length in bytes.

        Raises:
            FramingError: no header, or no JSON object.
            TooLongError: a header announces more than the bound.
        """
        self._buffer += piece
        found = []
        while (body := self._next()) is not None:
            found.append((_object(body), len(body)))
        return found

    def _next(self) -> bytes | None:
        end = self._buffer.find(b"\r\n\r\n", 0, LONGEST_HEADER)
        if end < 0:
            if len(self._buffer) >= LONGEST_HEADER:
                raise FramingError("a header without end")
            return None
        match = _LENGTH.search(bytes(self._buffer[:end]).replace(b"\r", b""))
        if match is None:
            raise FramingError("a header without length")
        start, length = end + 4, int(match[1])
        if length > self._longest:
            raise TooLongError(f"a message of {length:,} bytes")
        if len(self._buffer) < start + length:
            return None
        body = bytes(self._buffer[start : start + length])
        del self._buffer[: start + length]
        return body


def _object(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise FramingError(f"a message that is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise FramingError("a message that is no object")
    return message
