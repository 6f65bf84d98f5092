"""Checks of finished files; the rule check_results names the experiment and the results folder."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--experiment", help="name of the finished experiment")
    parser.addoption("--results", help="its results folder")


@pytest.fixture(scope="session")
def experiment(pytestconfig: pytest.Config) -> str:
    name = pytestconfig.getoption("--experiment", default=None)
    if not name:
        pytest.skip("these checks run as the rule check_results, which names a finished experiment")
    return name


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config, experiment: str) -> Path:
    return Path(pytestconfig.getoption("--results"))
