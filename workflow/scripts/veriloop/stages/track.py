"""Mirror a finished experiment into MLflow: a parent run, and a run per benchmark, arm, model and seed."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from veriloop.arm_rows import ControlRow
from veriloop.config.schema import Experiment
from veriloop.report.details import TABLES
from veriloop.rows import RateRow, SeedRow, read_rows
from veriloop.tracking import Mirror, RunRecord, only_writer

METRICS = ("rate", "se", "ci_low", "ci_high", "bound_low", "bound_high", "n", "accepted", "not_scored")
EFFORT = ("attempts_to_success", "tokens_per_solved", "dollars_per_solved")
CONTROL = ("difference", "ci_low", "ci_high", "p_holm")
NOTE_TAG = "mlflow.note.content"
"""What MLflow shows as a run's description, in Markdown."""


def track(
    config: Path,
    rates: Path,
    by_seed: Path,
    provenance: Path,
    *,
    tables: Sequence[Path],
    figures: Sequence[Path],
    attempts: Sequence[Path],
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
        attempts: the cells' pages of attempts, in the order of the rates; attached to the runs of each cell.
        database: MLflow's sqlite file.
        artifacts: the folder of attached files.
        output: the list of runs, by key.
    """
    for noisy in ("alembic", "mlflow"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    experiment = Experiment.read(config)
    tags = _tags(json.loads(provenance.read_text(encoding="utf-8")))
    cells = read_rows(rates, RateRow)
    pages = {(row.benchmark, row.arm, row.model): page for row, page in zip(cells, attempts, strict=True)}
    parent = _parent(experiment, cells, tags, {"tables": tables, "figures": figures})
    seeds = read_rows(by_seed, SeedRow)
    children = [_child(experiment, row, tags, pages[row.benchmark, row.arm, row.model]) for row in seeds]
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
    note = experiment.description
    for path in artifacts["tables"]:
        if path.name == "against_control.csv":
            beside = read_rows(path, ControlRow)
            metrics |= {
                f"{row.benchmark}/{row.arm}/{row.model}/minus_control/{name}": float(value)
                for row in beside
                for name in CONTROL
                if (value := getattr(row, name)) is not None
            }
            note += "\n\n" + TABLES["against_control"].as_markdown(beside)
            params["control"] = str(experiment.control)
    return RunRecord("parent", experiment.name, params, metrics, tags | {NOTE_TAG: note}, artifacts)


def _child(experiment: Experiment, row: SeedRow, tags: dict[str, str], page: Path) -> RunRecord:
    key = f"{row.benchmark}/{row.arm}/{row.model}/seed_{row.seed}"
    params = {"benchmark": row.benchmark, "arm": row.arm, "model": row.model, "seed": str(row.seed)}
    arm, model = experiment.arms.get(row.arm), experiment.models.get(row.model)
    if arm is not None and model is not None:
        params |= {
            "overrides": " ".join(arm.overrides) or "none",
            "max_attempts": str(arm.loop.max_attempts),
            "strategy": arm.loop.strategy,
            "memory": arm.loop.memory,
            "feedback": arm.loop.feedback,
            "reviewer": arm.loop.reviewer or "none",
            "explain": ",".join(arm.loop.explain) or "none",
            "prompt": arm.loop.prompt,
            "gate": arm.gate.name,
            "proposer": model.proposer,
        }
        params |= {f"gate.{name}": str(value) for name, value in arm.gate.options.items()}
        params["acceptance.checks"] = ",".join(arm.acceptance.checks) or "none"
        params |= {f"model.{name}": str(value) for name, value in model.options.items()}
    note = (
        f"Every attempt, with prompt, changes and findings: {page}; from a terminal: veriloop show JOURNAL --task TASK"
    )
    metrics = _metrics(row) | {name: value for name in EFFORT if (value := getattr(row, name)) is not None}
    return RunRecord(key, key, params, metrics, tags | {NOTE_TAG: note}, {"attempts": [page]})


def _metrics(row: RateRow | SeedRow) -> dict[str, float]:
    values = {name: getattr(row, name) for name in METRICS}
    return {name: float(value) for name, value in values.items() if value is not None}
