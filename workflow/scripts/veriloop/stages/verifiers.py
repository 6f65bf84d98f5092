"""The verifier that runs use: warm workers, confirmed by the pinned command line, remembered on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from veriloop.config.toolchain import Limits
from veriloop.dafny.cache import CachedVerifier, conditions_of, shared_store
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.confirmed import ConfirmedVerifier
from veriloop.dafny.toolchain import Toolchain
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.protocols import Verifier

CONFIRMED_WAY = ("veriloop.dafny.warm.pool", "veriloop.dafny.confirmed", "veriloop.dafny.cold")
"""The modules that answer where warm workers are asked first."""


@contextmanager
def open_verifier(toolchain: Toolchain, limits: Limits) -> Iterator[Verifier]:
    """A verifier for one job, which has one worker; when it is closed no process of it is left.

    Args:
        toolchain: which; one with the old command line has no language server and is asked cold.
        limits: the bounds of each check.

    Raises:
        UserError: a setting of the cache is wrong.
    """
    cold, store = ColdVerifier(toolchain, limits), shared_store()
    if toolchain.command_line == "legacy":
        yield CachedVerifier(cold, store, conditions_of(cold))
        return
    with WarmVerifier(toolchain, limits) as warm:
        confirmed = ConfirmedVerifier(warm, cold)
        yield CachedVerifier(confirmed, store, conditions_of(cold, CONFIRMED_WAY))
