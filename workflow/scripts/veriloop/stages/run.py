"""One shard of one benchmark under one arm, model and seed: the loop over its tasks, journalled and resumable."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from veriloop.acceptance import Acceptance
from veriloop.attempts import Attempt
from veriloop.config.schema import Experiment
from veriloop.dafny.explain import DafnyExplainer
from veriloop.loop.engine import Parts, work_at
from veriloop.loop.journal import Journal, seal
from veriloop.protocols import ProposerContext
from veriloop.provenance import code_hash, digest
from veriloop.seeding import generator
from veriloop.stages import parts
from veriloop.stages.provide import ToolchainRecord, read_record
from veriloop.stages.verifiers import CONFIRMED_WAY, open_verifier
from veriloop.tasks import read_answers, read_tasks, shard_of

JOURNALS = Path("results/journal")
"""Live journals; outside of what the workflow manages, since it deletes the outputs of a killed job."""

ATTEMPT_CODE = ("veriloop.loop.engine", *CONFIRMED_WAY, "veriloop.dafny.explain", "veriloop.acceptance")
"""The modules, with all that they import, that make an attempt what it is; the rest may change freely."""


def run(
    *,
    config: Path,
    tasks: Path,
    answers: Path,
    toolchain: Path,
    benchmark: str,
    arm: str,
    model: str,
    seed: int,
    shard: int,
    output: Path,
) -> None:
    """Work at every task of a shard and seal the journal.

    Args:
        config: the resolved experiment.
        tasks: the benchmark's tasks.
        answers: the recorded answers of the models that are replayed.
        toolchain: the record of the toolchain.
        benchmark: the benchmark's name.
        arm: the arm's name.
        model: the model's name.
        seed: the seed, one of the experiment's.
        shard: number of the slice, from 0.
        output: the sealed journal.
    """
    experiment = Experiment.read(config)
    record = read_record(toolchain)
    model_config, arm_config = experiment.models[model], experiment.arms[arm]
    replayed = parts.answers_of(model, model_config)
    context = ProposerContext(
        rng=partial(generator, experiment.root_seed, "propose", model, seed),
        answers={a.task: a.text for a in read_answers(answers) if a.model == replayed},
    )
    mine = shard_of(read_tasks(tasks), shard, experiment.shards)
    folder = JOURNALS / journal_key(experiment, record, arm=arm, model=model, seed=seed)
    writer = f"{experiment.name}.{benchmark}.{arm}.{shard}-of-{experiment.shards}"
    made: list[Attempt] = []
    with open_verifier(record.toolchain, record.limits) as verifier, Journal(folder, writer) as journal:
        loop = Parts(
            proposer=parts.proposer(model, model_config, context),
            gate=parts.gate(arm_config.gate, f"arms.{arm}"),
            verifier=verifier,
            explainer=DafnyExplainer(record.toolchain, record.limits, arm_config.loop.explain),
            acceptance=Acceptance(record.toolchain, record.limits, arm_config.acceptance.checks),
            make_memory=parts.find_memory(arm_config.loop, f"arms.{arm}"),
            reviewer=None,
            prompt=arm_config.loop.prompt_text,
            max_attempts=arm_config.loop.max_attempts,
            fault_retries=arm_config.loop.fault_retries,
        )
        for number, task in enumerate(mine, start=1):
            attempts = work_at(task, loop, journal)
            made += attempts
            last = attempts[-1].verdict if attempts else "no attempt"
            logging.info("%d/%d %s: %s after %d attempts", number, len(mine), task.id, last, len(attempts))
    seal(output, made)


def journal_key(experiment: Experiment, record: ToolchainRecord, *, arm: str, model: str, seed: int) -> str:
    """The content hash of everything beside the task that can change an attempt.

    The number of attempts is not in it: a smaller budget is a shorter stretch of the same attempts.
    """
    arm_config, model_config = experiment.arms[arm], experiment.models[model]
    return digest(
        {
            "code": code_hash(*ATTEMPT_CODE, *parts.part_modules(arm=arm_config, model=model_config)),
            "toolchain": record.toolchain.identity(),
            "limits": record.limits.model_dump(),
            "loop": arm_config.loop.model_dump(exclude={"max_attempts", "fault_retries"}),
            "gate": arm_config.gate.model_dump(),
            "acceptance": arm_config.acceptance.model_dump(),
            "model": [model, model_config.model_dump()],
            "seeds": [experiment.root_seed, seed],
        }
    )
