"""The verifier that runs use: warm workers, confirmed by the pinned command line, remembered on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from veriloop.config.toolchain import ExplainName, Limits
from veriloop.dafny.cache import CachedExplainer, CachedVerifier, conditions_of, shared_store
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.confirmed import ConfirmedVerifier
from veriloop.dafny.explain import DafnyExplainer
from veriloop.dafny.toolchain import Toolchain
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.errors import UserError
from veriloop.outcomes import FAULTS, VerifierResult
from veriloop.protocols import Explainer, Verifier

CONFIRMED_WAY = ("veriloop.dafny.warm.pool", "veriloop.dafny.confirmed", "veriloop.dafny.cold")
"""The modules that answer where warm workers are asked first."""


EXPLAINED_WAY = (*CONFIRMED_WAY, "veriloop.dafny.explain")


class PresentVerifier:
    """Ends the job where the toolchain has vanished: no attempt is made, and paid for, that cannot be judged."""

    def __init__(self, verifier: Verifier, toolchain: Toolchain) -> None:
        self._verifier = verifier
        self._toolchain = toolchain

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        """What the verifier says.

        Raises:
            UserError: it says that it failed, and a program of the toolchain is gone.
        """
        result = self._verifier.verify(program, minimum_verified)
        missing = self._toolchain.missing() if result.outcome in FAULTS else None
        if missing is not None:
            raise UserError(
                f"{missing}: is gone, and with it {self._toolchain.name}; put it back where it was, then run again "
                "with --rerun-incomplete: finished attempts are not made twice"
            )
        return result


@contextmanager
def open_verifier(toolchain: Toolchain, limits: Limits, workers: int = 1) -> Iterator[Verifier]:
    """A verifier for one job; when it is closed no process of it is left.

    Its `verify` raises UserError where the toolchain has vanished.

    Args:
        toolchain: which; one with the old command line has no language server and is asked cold.
        limits: the bounds of each check.
        workers: at most so many warm workers.

    Raises:
        UserError: a setting of the cache is wrong.
    """
    cold, store = ColdVerifier(toolchain, limits), shared_store()
    if toolchain.command_line == "legacy":
        yield CachedVerifier(PresentVerifier(cold, toolchain), store, conditions_of(cold))
        return
    with WarmVerifier(toolchain, limits, workers=workers) as warm:
        confirmed = PresentVerifier(ConfirmedVerifier(warm, cold), toolchain)
        yield CachedVerifier(confirmed, store, conditions_of(cold, CONFIRMED_WAY))


def open_explainer(toolchain: Toolchain, limits: Limits, wanted: Sequence[ExplainName]) -> Explainer:
    """What explains refuted programs, and remembers it on this machine.

    Args:
        toolchain: which.
        limits: the bounds of each run.
        wanted: what is to be found out; for nothing, nothing is run or remembered.
    """
    explainer = DafnyExplainer(toolchain, limits, wanted)
    if not wanted:
        return explainer
    conditions = conditions_of(ColdVerifier(toolchain, limits), EXPLAINED_WAY)
    asked = (*conditions.arguments, *sorted(wanted))
    return CachedExplainer(explainer, shared_store(), conditions.model_copy(update={"arguments": asked}))
