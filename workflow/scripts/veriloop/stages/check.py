"""Checks of the finished artefacts: tests/results, run on one experiment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from veriloop.errors import UserError
from veriloop.provenance import REPOSITORY


def check(experiment: str, output: Path) -> None:
    """Run tests/results on an experiment's files; the output is written only if all of them pass.

    Args:
        experiment: its name.
        output: what pytest printed.

    Raises:
        UserError: a check failed; the message has pytest's report.
    """
    tests = REPOSITORY / "tests" / "results"
    words = [str(tests), "--experiment", experiment, "--results", str(Path("results").resolve())]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *words],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UserError(f"results of {experiment}: a check of the finished files failed\n{done.stdout}{done.stderr}")
    output.write_text(done.stdout, encoding="utf-8")
