"""Explanations remembered: the arms of an experiment meet the same refuted programs again and again."""

from __future__ import annotations

import threading

from veriloop.dafny.cache.entry import Conditions
from veriloop.dafny.cache.store import Store
from veriloop.dafny.cache.verifier import CachedVerifier
from veriloop.outcomes import Outcome, VerifierResult
from veriloop.protocols import Explainer


class CachedExplainer:
    """Takes an explanation from the cache, and asks another explainer for what is not in it.

    What is remembered is a program's result with its explanation. It is used only for a result that says the same,
    since an explanation belongs to the messages that it explains; no verdict is taken from it. Where nothing was found
    out, nothing is remembered.
    """

    def __init__(self, inner: Explainer, store: Store, conditions: Conditions) -> None:
        """Take the explainer, and conditions that name what is asked of it among their arguments."""
        self._asking = _Asking(inner)
        self._cached = CachedVerifier(self._asking, store, conditions)

    def explain(self, program: str, result: VerifierResult) -> VerifierResult:
        """The result with its explanation."""
        with self._asking.about(result) as now:
            known = self._cached.verify(program, 0)
            if now.fresh is not None:
                return now.fresh
            if _said(known) != _said(result):
                return self._asking.inner.explain(program, result)
        return result.model_copy(update={"diagnostics": known.diagnostics, "assertions": known.assertions})


class _Asking(threading.local):
    """An explainer in a verifier's place: it answers about the result that its thread is asking about."""

    def __init__(self, inner: Explainer) -> None:
        self.inner = inner
        self.fresh: VerifierResult | None = None
        self._result: VerifierResult | None = None

    def about(self, result: VerifierResult) -> _Asking:
        self._result, self.fresh = result, None
        return self

    def __enter__(self) -> _Asking:
        return self

    def __exit__(self, *error: object) -> None:
        self._result = None

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:  # noqa: ARG002 - a verifier's signature
        """The result with its explanation; as a fault, which is not kept, where there is none."""
        if self._result is None:
            raise RuntimeError("nothing is being asked about")
        self.fresh = self.inner.explain(program, self._result)
        return (
            self.fresh if self.fresh != self._result else self.fresh.model_copy(update={"outcome": Outcome.TOOL_FAULT})
        )


def _said(result: VerifierResult) -> tuple[object, ...]:
    """What an explanation explains."""
    return (result.outcome, *(d.model_copy(update={"counterexample": ""}) for d in result.diagnostics))
