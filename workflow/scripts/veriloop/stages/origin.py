"""Where the numbers of a table came from: a file beside each table, by the schema of docs/provenance.schema.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from veriloop.config.schema import Experiment
from veriloop.config.toolchain import Limits
from veriloop.dafny.toolchain import file_sha256
from veriloop.outcomes import Record
from veriloop.provenance import commit, digest, package_versions
from veriloop.stages.cells import read_cards
from veriloop.stages.provide import ToolchainRecord, read_record


class Code(Record):
    """The commit of the checkout that made the table, and whether files in it had been changed."""

    commit: str
    dirty: bool


class BenchmarkOrigin(Record):
    """Which version of a benchmark, and its number of tasks."""

    version: str
    n: int


class ToolchainOrigin(Record):
    """Which verifier it was, without the paths of the machine; those are in results/toolchain/."""

    name: str
    version: str
    content_sha256: str
    solver: str
    solver_sha256: str
    origin: Literal["mirror", "archive", "debian"]
    wanted: str
    limits: Limits


class Provenance(Record):
    """Everything that a table's numbers depend on.

    Attributes:
        provenance_version: of this schema.
        table: the table's file name, without ending.
        table_sha256: hash of the CSV file's bytes.
        columns: the JSON schema of each column, in the table's order.
        experiment: its name.
        config_hash: of the resolved experiment, which is results/config/EXPERIMENT.yaml.
        leave_out: flags whose tasks are in no estimate.
        code: the checkout.
        packages: versions of Python and of the packages that can change a number.
        seeds: the experiment's.
        root_seed: of every draw of chance.
        benchmarks: by name.
        prompts: hash of each arm's prompt.
        toolchain: the verifier; null where nothing ran live.
    """

    provenance_version: Literal[1] = 1
    table: str
    table_sha256: str
    columns: dict[str, dict[str, Any]] = Field(default_factory=dict)
    experiment: str
    config_hash: str
    leave_out: list[str]
    code: Code
    packages: dict[str, str]
    seeds: list[int]
    root_seed: int
    benchmarks: dict[str, BenchmarkOrigin]
    prompts: dict[str, str]
    toolchain: ToolchainOrigin | None


def write_origin(
    path: Path, table: Path, kind: type[Record], config: Path, cards: Sequence[Path], toolchain: Path | None
) -> None:
    """Write a finished table's provenance.

    Args:
        path: the JSON file to write.
        table: the table as CSV.
        kind: the record of its rows.
        config: the resolved experiment.
        cards: one card per benchmark.
        toolchain: the toolchain's record; None where nothing ran live.
    """
    experiment = Experiment.read(config)
    found = Provenance(
        table=table.stem,
        table_sha256=file_sha256(table),
        columns=kind.model_json_schema()["properties"],
        experiment=experiment.name,
        config_hash=digest(experiment.model_dump()),
        leave_out=experiment.leave_out,
        code=Code.model_validate(commit()),
        packages=package_versions(),
        seeds=experiment.seeds,
        root_seed=experiment.root_seed,
        benchmarks={card.name: BenchmarkOrigin(version=card.version, n=card.n) for card in read_cards(cards)},
        prompts={arm: digest(settings.loop.prompts) for arm, settings in experiment.arms.items()},
        toolchain=_toolchain_origin(read_record(toolchain)) if toolchain else None,
    )
    path.write_text(found.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _toolchain_origin(record: ToolchainRecord) -> ToolchainOrigin:
    used = record.toolchain
    return ToolchainOrigin.model_validate(
        used.identity()
        | {"solver": used.solver, "origin": used.origin, "wanted": record.wanted, "limits": record.limits}
    )
