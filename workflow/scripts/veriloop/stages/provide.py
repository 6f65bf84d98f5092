"""Which verifier this really is: the toolchain, or its fallback, and the record of it."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.config.toolchain import Limits
from veriloop.dafny.provide import provide_toolchain
from veriloop.dafny.toolchain import Toolchain
from veriloop.errors import UserError
from veriloop.outcomes import Record


class ToolchainRecord(Record):
    """The toolchain that an experiment used.

    Attributes:
        wanted: the toolchain that the experiment names.
        toolchain: the one that was used.
        limits: the bounds of each run.
        fallback_reason: why it is another one than wanted; empty where it is not.
    """

    wanted: str
    toolchain: Toolchain
    limits: Limits
    fallback_reason: str = ""


def provide(config: Path, output: Path) -> None:
    """Get the experiment's toolchain and write its record.

    Args:
        config: the resolved experiment.
        output: the record to write.

    Raises:
        UserError: neither the toolchain nor a fallback can be had.
    """
    experiment = Experiment.read(config)
    record = _provided(experiment)
    logging.info("using %s from %s", record.toolchain.name, record.toolchain.origin)
    output.write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _provided(experiment: Experiment) -> ToolchainRecord:
    wanted, fallback = experiment.toolchain, experiment.fallback_toolchain
    try:
        toolchain = provide_toolchain(wanted)
        return ToolchainRecord(wanted=wanted.name, toolchain=toolchain, limits=wanted.limits)
    except UserError as error:
        if fallback is None:
            raise
        reason = str(error)
    sys.stderr.write(f"{reason}\nUsing {fallback.name} instead; every table says so.\n")
    logging.warning("%s; using %s instead", reason, fallback.name)
    try:
        toolchain = provide_toolchain(fallback)
    except UserError as error:
        raise UserError(f"{reason}\nThe fallback failed too: {error}") from None
    return ToolchainRecord(wanted=wanted.name, toolchain=toolchain, limits=fallback.limits, fallback_reason=reason)


def read_record(path: Path) -> ToolchainRecord:
    """Read the record that `provide` wrote."""
    return ToolchainRecord.model_validate_json(path.read_text(encoding="utf-8"))
