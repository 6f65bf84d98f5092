"""An explanation is remembered for the messages that it explains, and for nothing else."""

from pathlib import Path

import pytest
from builders import result
from veriloop.config.compose import read_toolchain
from veriloop.dafny.cache import CachedExplainer, Conditions, Store
from veriloop.outcomes import Diagnostic, Outcome, VerifierResult

MESSAGE = Diagnostic(severity="error", category="assertion", message="no", file="p", line=7, column=1)
REFUTED = result(Outcome.REFUTED, diagnostics=(MESSAGE,))


class Counting:
    """Adds a counterexample, or nothing."""

    def __init__(self, example: str = "x == 1") -> None:
        self.example = example
        self.asked = 0

    def explain(self, program: str, found: VerifierResult) -> VerifierResult:
        self.asked += 1
        told = tuple(d.model_copy(update={"counterexample": self.example}) for d in found.diagnostics)
        return found.model_copy(update={"diagnostics": told})


@pytest.fixture
def conditions() -> Conditions:
    limits = read_toolchain("dafny-4.11.0", "test").limits
    return Conditions(toolchain={"name": "t"}, arguments=("counterexamples",), limits=limits, way=("w",), code="c")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, 10**7)


def test_it_is_asked_once_for_the_same_program_and_messages(store: Store, conditions: Conditions) -> None:
    inner = Counting()
    first = CachedExplainer(inner, store, conditions).explain("p", REFUTED)
    again = CachedExplainer(inner, store, conditions).explain("p", REFUTED.model_copy(update={"wall_seconds": 9.0}))
    assert inner.asked == 1
    assert first.diagnostics[0].counterexample == "x == 1"
    assert again == first.model_copy(update={"wall_seconds": 9.0})


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("other", REFUTED),
        ("p", result(Outcome.TIMEOUT, diagnostics=(MESSAGE,))),
        ("p", result(Outcome.REFUTED, diagnostics=(MESSAGE.model_copy(update={"line": 8}),))),
    ],
)
def test_another_program_or_other_messages_are_explained_anew(
    program: str, found: VerifierResult, store: Store, conditions: Conditions
) -> None:
    inner = Counting()
    explainer = CachedExplainer(inner, store, conditions)
    explainer.explain("p", REFUTED)
    got = explainer.explain(program, found)
    assert inner.asked == 2
    assert (got.outcome, got.diagnostics[0].line) == (found.outcome, found.diagnostics[0].line)
    assert got.diagnostics[0].counterexample == "x == 1"


def test_where_nothing_was_found_out_nothing_is_remembered(store: Store, conditions: Conditions) -> None:
    inner = Counting("")
    explainer = CachedExplainer(inner, store, conditions)
    assert explainer.explain("p", REFUTED) == REFUTED
    inner.example = "y == 2"
    assert explainer.explain("p", REFUTED).diagnostics[0].counterexample == "y == 2"
