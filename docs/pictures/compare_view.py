"""A picture of an experiment's arms in the MLflow UI, for the docs: `make picture` after `axdafny_ablation` was run.

It starts the UI on a free port, opens the view that compares runs in a headless Chromium, and ends both.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlflow.entities import Run
from mlflow.tracking import MlflowClient

READY_SECONDS = 120
LOAD_MILLISECONDS = 40_000
"""Of the browser's own clock: the UI fetches runs, metrics and code one after the other."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path, default=Path("results/mlflow.db"))
    parser.add_argument("--experiment", default="axdafny_ablation")
    parser.add_argument("--picture", type=Path, default=Path("docs/pictures/mlflow_compare.png"))
    asked = parser.parse_args()
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        sys.exit("no Chromium on this machine (apt-get install chromium)")
    if not asked.database.is_file():
        sys.exit(f"{asked.database}: is not there; run snakemake --config experiment={asked.experiment} first")
    client = MlflowClient(tracking_uri=f"sqlite:///{asked.database.resolve()}")
    experiment = client.get_experiment_by_name(asked.experiment)
    if experiment is None:
        sys.exit(f"{asked.database}: has no experiment {asked.experiment}; run it first")
    runs = [run for run in client.search_runs([experiment.experiment_id]) if "arm" in run.data.params]
    with user_interface(asked.database) as address:
        numbers = urllib.parse.quote(json.dumps([experiment.experiment_id]))
        take(browser, f"{address}/#/compare-runs?runs={ids(runs)}&experiments={numbers}", asked.picture)


def ids(runs: list[Run]) -> str:
    """The runs' ids, by arm, as the address of the view wants them."""
    ordered = sorted(runs, key=lambda run: run.data.params["arm"])
    return urllib.parse.quote(json.dumps([run.info.run_id for run in ordered]))


@contextmanager
def user_interface(database: Path) -> Iterator[str]:
    """The UI's address, as long as it runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["server", "--backend-store-uri", f"sqlite:///{database}", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen([str(Path(sys.executable).with_name("mlflow")), *words], start_new_session=True) as server:
        try:
            wait_for(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def wait_for(address: str) -> None:
    """Return when a page is there."""
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - an address of this machine
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                sys.exit(f"{address}: no answer within {READY_SECONDS} s")
            time.sleep(0.5)
        else:
            return


def take(browser: str, address: str, picture: Path) -> None:
    """A picture of a page as a person sees it."""
    with tempfile.TemporaryDirectory() as profile:
        words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
        words += [f"--virtual-time-budget={LOAD_MILLISECONDS}", "--window-size=1600,1100", f"--screenshot={picture}"]
        subprocess.run([browser, *words, address], check=True, capture_output=True, timeout=300)


if __name__ == "__main__":
    main()
