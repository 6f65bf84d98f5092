"""A small workflow that several tests look at."""

import shutil
from pathlib import Path

import pytest
from running import REPOSITORY, SMALL, finish, run_snakemake


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout that a test may edit."""
    target = tmp_path_factory.mktemp("checkout") / "veriloop"
    target.mkdir()
    for name in ("Snakefile", "config", "workflow", "envs", "docs", "tests", "pyproject.toml"):
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)
    return target


@pytest.fixture(scope="session")
def finished(checkout: Path, any_verifier: object) -> Path:
    """The tiny demo, run to its end in the copied checkout; what it printed is in finished.log."""
    done = run_snakemake(checkout, "--cores", "4", repository=checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    (checkout / "finished.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    return checkout


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, any_verifier: object) -> Path:
    """The small workflow, left to run to its end."""
    folder: Path = tmp_path_factory.mktemp("whole")
    finish(folder, SMALL, "demo")
    return folder
