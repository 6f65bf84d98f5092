"""A verifier that asks the cache first. Whatever happens to the cache, the verdict is the one without it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Literal, TypeVar

from veriloop.dafny.cache.entry import Conditions, Entry, decoded, key_of, may_be_kept
from veriloop.dafny.cache.store import Store, StoreError
from veriloop.outcomes import VerifierResult
from veriloop.protocols import Verifier

T = TypeVar("T")

REST_SECONDS = 60.0
"""How long a cache that failed is left alone: waiting for a lock or a sick disk at every check would cost the job."""


class Remembering:
    """Answers from the cache, and asks whoever is given for what is not in it.

    A hit is what was stored, with `cached` set and `wall_seconds` the time of the lookup: the field says what this
    check cost here and now, and a benchmark or a sum over a run counts no time that was not spent. `path` and all else
    say how it was first found.
    """

    def __init__(self, store: Store, conditions: Conditions) -> None:
        self.store = store
        self.conditions = conditions
        self._rests: dict[str, float] = {}
        self._warned = False

    def answer(self, program: str, minimum_verified: int, ask: Callable[[], VerifierResult]) -> VerifierResult:
        """What is remembered of a program, or what asking gives.

        Args:
            program: the text; its UTF-8 bytes are what is checked.
            minimum_verified: fewer verified items than this are not a success.
            ask: asked where nothing is remembered; a fault that it answers is not kept.

        Returns:
            The result; the cache adds no outcome of its own.
        """
        start = time.perf_counter()
        key = key_of(self.conditions, program, minimum_verified)
        known = self._look_up(key, program, minimum_verified)
        if known is not None:
            seconds = round(time.perf_counter() - start, 6)
            return known.model_copy(update={"cached": True, "wall_seconds": seconds})
        result = ask()
        if may_be_kept(result):
            entry = Entry(conditions=self.conditions, minimum_verified=minimum_verified, program=program, result=result)
            family, outcome = self.conditions.family(), str(result.outcome)
            self._tried("write", lambda: self.store.put(key, family, outcome, entry.encoded()))
        return result

    def _look_up(self, key: str, program: str, minimum_verified: int) -> VerifierResult | None:
        found = self._tried("read", lambda: self.store.get(key))
        entry = decoded(found.entry) if found is not None else None
        if found is None or entry is None or not entry.answers(self.conditions, program, minimum_verified):
            return None
        if found.is_to_be_touched():
            self._tried("write", lambda: self.store.touch(key))
        return entry.result

    def _tried(self, kind: Literal["read", "write"], action: Callable[[], T]) -> T | None:
        """Use the store; where it fails, warn once, do without, and leave this kind of use alone for a while."""
        if time.monotonic() < self._rests.get(kind, 0.0):
            return None
        try:
            return action()
        except StoreError as error:
            self._rests[kind] = time.monotonic() + REST_SECONDS
            if not self._warned:
                self._warned = True
                logging.warning("the verifier's cache cannot be used, verdicts are not affected: %s", error)
            return None


class CachedVerifier(Remembering):
    """A verifier that is asked only about what is not in the cache."""

    def __init__(self, inner: Verifier, store: Store, conditions: Conditions) -> None:
        super().__init__(store, conditions)
        self.inner = inner

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        """Check a program, or remember what checking it gave."""
        return self.answer(program, minimum_verified, lambda: self.inner.verify(program, minimum_verified))
