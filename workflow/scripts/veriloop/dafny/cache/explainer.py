"""Explanations remembered: the arms of an experiment meet the same refuted programs again and again."""

from __future__ import annotations

from veriloop.dafny.cache.entry import Conditions
from veriloop.dafny.cache.store import Store
from veriloop.dafny.cache.verifier import Remembering
from veriloop.outcomes import FAULTS, Outcome, VerifierResult
from veriloop.protocols import Explainer


class CachedExplainer(Remembering):
    """Takes an explanation from the cache, and asks another explainer for what is not in it.

    What is remembered is a program's result with its explanation. It is used only for a result that says the same,
    since an explanation belongs to the messages that it explains; no verdict is taken from it. Where nothing was found
    out, nothing is remembered.
    """

    def __init__(self, inner: Explainer, store: Store, conditions: Conditions) -> None:
        """Take the explainer, and conditions that name what is asked of it among their arguments."""
        super().__init__(store, conditions)
        self._inner = inner

    def explain(self, program: str, result: VerifierResult) -> VerifierResult:
        """The result with its explanation."""
        known = self.answer(program, 0, lambda: self._explained(program, result))
        if known.outcome in FAULTS:
            return result
        if _said(known) != _said(result):
            return self._inner.explain(program, result)
        return result.model_copy(update={"diagnostics": known.diagnostics, "assertions": known.assertions})

    def _explained(self, program: str, result: VerifierResult) -> VerifierResult:
        """The result with its explanation; as a fault, which is not kept, where there is none."""
        found = self._inner.explain(program, result)
        return found if found != result else found.model_copy(update={"outcome": Outcome.TOOL_FAULT})


def _said(result: VerifierResult) -> tuple[object, ...]:
    """What an explanation explains."""
    return (result.outcome, *(d.model_copy(update={"counterexample": ""}) for d in result.diagnostics))
