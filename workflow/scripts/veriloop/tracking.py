"""The mirror in MLflow: made from finished estimates, written by one rule; deleting it loses nothing.

A run is found again by its key, so that a second mirroring updates it. MLflow never changes a parameter; where one
differs, the old run is deleted and a new one made.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlflow.entities import Experiment, Metric, Param, Run, RunTag
from mlflow.tracking import MlflowClient

KEY_TAG = "veriloop.key"
PARENT_TAG = "mlflow.parentRunId"
NAME_TAG = "mlflow.runName"


@dataclass(frozen=True)
class RunRecord:
    """What MLflow is to show of one run.

    Attributes:
        key: identifies the run within its experiment for ever.
        name: what the UI shows.
        params: settings, as text.
        metrics: numbers; a missing one is left out, never 0.
        tags: origin.
        artifacts: files to attach, by the folder they appear in.
    """

    key: str
    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    artifacts: Mapping[str, Sequence[Path]]


@contextmanager
def only_writer(database: Path) -> Iterator[None]:
    """Wait until no other process writes the store, and keep others out.

    Two workflows may finish at once, and MLflow's making of its tables is not safe against that. The lock goes with
    the process.
    """
    database.parent.mkdir(parents=True, exist_ok=True)
    with database.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Mirror:
    """An experiment in an MLflow store; use it under `only_writer`."""

    def __init__(self, database: Path, artifacts: Path, experiment: str) -> None:
        """Open the store, and make the experiment if it is new.

        Args:
            database: the sqlite file.
            artifacts: the folder for attached files.
            experiment: the name that the UI shows.
        """
        self._client = MlflowClient(tracking_uri=f"sqlite:///{database.resolve()}")
        found: Experiment | None = self._client.get_experiment_by_name(experiment)
        self._id: str = found.experiment_id if found else self._create(experiment, artifacts)
        self._known = self.runs()

    def _create(self, experiment: str, artifacts: Path) -> str:
        created: str = self._client.create_experiment(
            experiment, artifact_location=(artifacts / experiment).resolve().as_uri()
        )
        return created

    def put(self, record: RunRecord, parent: str | None, time_ms: int) -> str:
        """Make the run, or bring it up to date.

        Args:
            record: what it is to show.
            parent: the id of the run above it.
            time_ms: the time of its metrics, in milliseconds since 1970.

        Returns:
            The run's id.
        """
        run_id = self._run_for(record)
        tags = {**record.tags, NAME_TAG: record.name, KEY_TAG: record.key}
        if parent is not None:
            tags[PARENT_TAG] = parent
        self._client.log_batch(
            run_id,
            metrics=[Metric(name, value, time_ms, 0) for name, value in record.metrics.items()],
            params=[Param(name, value) for name, value in record.params.items()],
            tags=[RunTag(name, value) for name, value in tags.items()],
        )
        for folder, files in record.artifacts.items():
            for file in files:
                self._client.log_artifact(run_id, str(file), folder)
        self._client.set_terminated(run_id, "FINISHED")
        return run_id

    def runs(self) -> dict[str, Run]:
        """The experiment's runs by key, as they are in the store now."""
        found: dict[str, Run] = {}
        token: str | None = None
        while True:
            page = self._client.search_runs([self._id], max_results=1000, page_token=token)
            found |= {run.data.tags[KEY_TAG]: run for run in page if KEY_TAG in run.data.tags}
            token = page.token
            if not token:
                return found

    def remove_others(self, keys: set[str]) -> None:
        """Delete the runs that the experiment no longer has."""
        for key in self._known.keys() - keys:
            self._client.delete_run(self._known.pop(key).info.run_id)

    def _run_for(self, record: RunRecord) -> str:
        existing = self._known.get(record.key)
        if existing is not None and existing.data.params == dict(record.params):
            kept: str = existing.info.run_id
            return kept
        if existing is not None:
            self._client.delete_run(existing.info.run_id)
        made: Run = self._client.create_run(self._id)
        self._known[record.key] = made
        new: str = made.info.run_id
        return new
