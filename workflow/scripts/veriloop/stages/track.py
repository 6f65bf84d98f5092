"""Mirror a finished experiment into MLflow: a parent run, and a run per benchmark, arm, model and seed."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from veriloop.config.schema import Experiment
from veriloop.rows import RateRow, SeedRow, read_rows
from veriloop.tracking import Mirror, RunRecord, only_writer

METRICS = ("rate", "se", "ci_low", "ci_high", "bound_low", "bound_high", "n", "accepted", "not_scored")


def track(
    config: Path,
    rates: Path,
    by_seed: Path,
    provenance: Path,
    *,
    tables: Sequence[Path],
    figures: Sequence[Path],
    database: Path,
    artifacts: Path,
    output: Path,
) -> None:
    """Write the mirror, and a list of what is in it.

    Args:
        config: the resolved experiment.
        rates: the estimates of the cells; they stand on the parent run.
        by_seed: the estimates of single seeds; one run each.
        provenance: where the numbers came from.
        tables: files to attach to the parent run.
        figures: files to attach to the parent run.
        database: MLflow's sqlite file.
        artifacts: the folder of attached files.
        output: the list of runs, by key.
    """
    for noisy in ("alembic", "mlflow"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    experiment = Experiment.read(config)
    tags = _tags(json.loads(provenance.read_text(encoding="utf-8")))
    parent = _parent(experiment, read_rows(rates, RateRow), tags, {"tables": tables, "figures": figures})
    children = [_child(experiment, row, tags) for row in read_rows(by_seed, SeedRow)]
    with only_writer(database):
        ids = _mirror(Mirror(database, artifacts, experiment.name), parent, children)
    output.write_text(json.dumps(ids, indent=2) + "\n", encoding="utf-8")


def _mirror(mirror: Mirror, parent: RunRecord, children: Sequence[RunRecord]) -> dict[str, str]:
    """Write all runs and remove those that the experiment no longer has; the runs' ids by key."""
    now = int(time.time() * 1000)
    ids = {parent.key: mirror.put(parent, None, now)}
    for child in children:
        ids[child.key] = mirror.put(child, ids[parent.key], now)
    mirror.remove_others(set(ids))
    return ids


def _tags(provenance: dict[str, Any]) -> dict[str, str]:
    toolchain = provenance["toolchain"]
    return {
        "veriloop.commit": provenance["code"]["commit"],
        "veriloop.dirty": str(provenance["code"]["dirty"]).lower(),
        "veriloop.config_hash": provenance["config_hash"],
        "veriloop.toolchain": toolchain["name"] if toolchain else "none",
        "veriloop.toolchain_sha256": toolchain["content_sha256"] if toolchain else "none",
    }


def _parent(
    experiment: Experiment,
    rows: Sequence[RateRow],
    tags: dict[str, str],
    artifacts: dict[str, Sequence[Path]],
) -> RunRecord:
    metrics = {
        f"{row.benchmark}/{row.arm}/{row.model}/{name}": value for row in rows for name, value in _metrics(row).items()
    }
    params = {"experiment": experiment.name, "seeds": str(experiment.seeds), "shards": str(experiment.shards)}
    return RunRecord("parent", experiment.name, params, metrics, tags, artifacts)


def _child(experiment: Experiment, row: SeedRow, tags: dict[str, str]) -> RunRecord:
    key = f"{row.benchmark}/{row.arm}/{row.model}/seed_{row.seed}"
    params = {"benchmark": row.benchmark, "arm": row.arm, "model": row.model, "seed": str(row.seed)}
    arm, model = experiment.arms.get(row.arm), experiment.models.get(row.model)
    if arm is not None and model is not None:
        params |= {
            "overrides": " ".join(arm.overrides) or "none",
            "max_attempts": str(arm.loop.max_attempts),
            "memory": arm.loop.memory,
            "prompt": arm.loop.prompt,
            "gate": arm.gate.name,
            "proposer": model.proposer,
        }
        params |= {f"gate.{name}": str(value) for name, value in arm.gate.options.items()}
        params["acceptance.checks"] = ",".join(arm.acceptance.checks) or "none"
        params |= {f"model.{name}": str(value) for name, value in model.options.items()}
    return RunRecord(key, key, params, _metrics(row), tags, {})


def _metrics(row: RateRow | SeedRow) -> dict[str, float]:
    values = {name: getattr(row, name) for name in METRICS}
    return {name: float(value) for name, value in values.items() if value is not None}
