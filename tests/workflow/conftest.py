"""Real workflows in folders of their own, from this checkout or from a copy of it that a test may edit."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
TINY = [
    "benchmarks.mini.options.tasks=[linear_search,quotient_remainder]",
    "shards=2",
    "loop.max_attempts=2",
    "statistics.resamples=200",
]
"""Overrides that make the demo small: two tasks, one of them hint-free, and the recorded results."""


def snakemake_command(*words: str, experiment: str, overrides: list[str], snakefile: Path) -> list[str]:
    listed = "[" + ",".join(f'"{word}"' for word in overrides) + "]"
    config = ["--config", f"experiment={experiment}", f"overrides={listed}"]
    return [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), *words, *config]


def environment(repository: Path) -> dict[str, str]:
    """The package of the given checkout comes before the installed one."""
    return os.environ | {"PYTHONPATH": str(repository / "workflow" / "scripts")}


Snakemake = Callable[..., subprocess.CompletedProcess[str]]


def run_snakemake(
    folder: Path,
    *words: str,
    experiment: str = "demo",
    overrides: list[str] = TINY,
    repository: Path = REPOSITORY,
) -> subprocess.CompletedProcess[str]:
    command = snakemake_command(*words, experiment=experiment, overrides=overrides, snakefile=repository / "Snakefile")
    return subprocess.run(
        command, cwd=folder, env=environment(repository), capture_output=True, text=True, timeout=900, check=False
    )


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout that a test may edit."""
    target = tmp_path_factory.mktemp("checkout") / "veriloop"
    target.mkdir()
    for name in ("Snakefile", "config", "workflow", "envs", "tests", "pyproject.toml"):
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)
    return target


@pytest.fixture(scope="session")
def finished(checkout: Path, any_verifier: object) -> Path:
    """The tiny demo, run to its end in the copied checkout; what it printed is in finished.log."""
    done = run_snakemake(checkout, "--cores", "2", repository=checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    (checkout / "finished.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    return checkout
