"""Starting real workflows, from this checkout or from a copy of it that a test may edit."""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
TINY = [
    "benchmarks.mini.options.tasks=[linear_search,quotient_remainder]",
    "shards=2",
    "loop.max_attempts=2",
    "acceptance=full",
    "statistics.resamples=200",
]
"""Overrides that make the demo small: two tasks, one of them hint-free, and the recorded results."""

SMALL = [
    "benchmarks.mini.options.tasks=[linear_search,quotient_remainder,duplicate_check]",
    "benchmark=[mini]",
    "shards=2",
    "loop.max_attempts=3",
    "statistics.resamples=200",
]
"""Overrides that leave three tasks of mini in two shards, with three attempts."""


def snakemake_command(*words: str, experiment: str, overrides: list[str], snakefile: Path) -> list[str]:
    listed = "[" + ",".join(f'"{word}"' for word in overrides) + "]"
    config = ["--config", f"experiment={experiment}", f"overrides={listed}"]
    return [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), *words, *config]


def environment(repository: Path) -> dict[str, str]:
    """The package of the given checkout comes before the installed one."""
    return os.environ | {"PYTHONPATH": str(repository / "workflow" / "scripts")}


def run_snakemake(
    folder: Path,
    *words: str,
    experiment: str = "demo",
    overrides: list[str] = TINY,
    repository: Path = REPOSITORY,
    timeout: float = 900,
) -> subprocess.CompletedProcess[str]:
    command = snakemake_command(*words, experiment=experiment, overrides=overrides, snakefile=repository / "Snakefile")
    return subprocess.run(
        command, cwd=folder, env=environment(repository), capture_output=True, text=True, timeout=timeout, check=False
    )


def finish(folder: Path, overrides: list[str], experiment: str) -> None:
    """What the documentation says to do after a kill."""
    run_snakemake(folder, "--unlock", experiment=experiment, overrides=overrides)
    done = run_snakemake(folder, "--cores", "2", "--rerun-incomplete", experiment=experiment, overrides=overrides)
    assert done.returncode == 0, done.stdout + done.stderr
