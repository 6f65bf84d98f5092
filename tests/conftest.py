"""What every tier shares: copies of data and tools that a machine may lack, named with the reason for a skip."""

import os
from pathlib import Path

import pytest
from veriloop.config.compose import read_toolchain
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.provide import find_toolchain, provide_toolchain
from veriloop.errors import UserError

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="session", autouse=True)
def cache_of_these_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No answer that an earlier session remembered takes the place of a check."""
    os.environ["VERILOOP_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def dafnybench() -> Path:
    """A copy of the released DafnyBench; its programs are not part of this repository."""
    mirror = os.environ.get("VERILOOP_DATA_MIRROR")
    if not mirror:
        pytest.skip("VERILOOP_DATA_MIRROR is not set: no copy of the released DafnyBench here")
    return Path(mirror) / "dafnybench"


def cold_verifier(name: str) -> ColdVerifier:
    config = read_toolchain(name, "test")
    found = find_toolchain(config)
    if found is None:
        pytest.skip(f"{name} is not on this machine")
    return ColdVerifier(found, config.limits)


@pytest.fixture(scope="session")
def any_verifier() -> ColdVerifier:
    """The standard toolchain, or the fallback where the standard one cannot be had; installed if need be."""
    try:
        config = read_toolchain("dafny-4.11.0", "test")
        return ColdVerifier(provide_toolchain(config), config.limits)
    except UserError:
        config = read_toolchain("dafny-2.3.0", "test")
        return ColdVerifier(provide_toolchain(config), config.limits)


@pytest.fixture(scope="session", params=["dafny-4.11.0", "dafny-2.3.0"])
def each_verifier(request: pytest.FixtureRequest, any_verifier: ColdVerifier) -> ColdVerifier:
    """Each toolchain that is on this machine, of which there is at least one."""
    return cold_verifier(request.param)
