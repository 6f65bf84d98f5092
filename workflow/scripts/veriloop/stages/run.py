"""One shard of one benchmark under one arm, model and seed: the loop over its tasks, journalled and resumable."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from veriloop.acceptance import Acceptance
from veriloop.attempts import Attempt
from veriloop.config.schema import Experiment
from veriloop.loop.engine import Parts, work_at
from veriloop.loop.journal import Journal, seal
from veriloop.protocols import Chat, Proposer, ProposerContext, Verifier
from veriloop.provenance import code_hash, digest
from veriloop.seeding import generator
from veriloop.stages import parts
from veriloop.stages.progress import Progress
from veriloop.stages.provide import ToolchainRecord, read_record
from veriloop.stages.verifiers import EXPLAINED_WAY, open_explainer, open_verifier
from veriloop.tasks import Task, read_answers, read_tasks, shard_of

JOURNALS = Path("results/journal")
"""Live journals; outside of what the workflow manages, since it deletes the outputs of a killed job."""

ATTEMPT_CODE = ("veriloop.loop.engine", *EXPLAINED_WAY, "veriloop.acceptance")
"""The modules, with all that they import, that make an attempt what it is; the rest may change freely."""

CHAT_CODE = ("veriloop.loop.proposing", "veriloop.loop.feedback")
"""The modules that, beside these, decide what a language model is asked and what its answer holds."""


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
    threads: int,
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
        threads: at most so many verifiers at once.
        output: the sealed journal.
    """
    experiment = Experiment.read(config)
    record = read_record(toolchain)
    model_config, loop = experiment.models[model], experiment.arms[arm].loop
    mine = shard_of(read_tasks(tasks), shard, experiment.shards)
    folder = JOURNALS / journal_key(experiment, record, arm=arm, model=model, seed=seed)
    slice_name = f"{benchmark}.{arm}.{shard}-of-{experiment.shards}"
    replayed = parts.answers_of(model, model_config)
    context = ProposerContext(
        rng=partial(generator, experiment.root_seed, "propose", model, seed),
        answers={a.task: a.text for a in read_answers(answers) if a.model == replayed},
        tasks={task.id: task for task in mine},
        seed=seed,
        sampling=loop.sampling.model_dump(),
        budget=experiment.budget.model_dump(),
        experiment=experiment.name,
        model=model,
        # Two models of one endpoint that differ in their sampling have one folder of answers.
        job=f"{experiment.name}.{model}.{slice_name}.seed_{seed}",
    )
    with (
        parts.open_model(model, model_config, context, loop.prompts) as (proposer, chat),
        open_verifier(record.toolchain, record.limits, workers=threads) as verifier,
        Journal(folder, f"{experiment.name}.{slice_name}") as journal,
    ):
        arm_parts = _parts(experiment, record, arm, verifier, threads, proposer, chat)
        made = _work_at_all(mine, arm_parts, journal, parts.concurrency(model, model_config), slice_name)
    seal(output, made)


def _parts(
    experiment: Experiment,
    record: ToolchainRecord,
    arm: str,
    verifier: Verifier,
    threads: int,
    proposer: Proposer,
    chat: Chat | None,
) -> Parts:
    """The parts of an arm's loop."""
    settings, where = experiment.arms[arm], f"arms.{arm}"
    loop = settings.loop
    return Parts(
        proposer=proposer,
        gate=parts.gate(settings.gate, where),
        verifier=verifier,
        explainer=open_explainer(record.toolchain, record.limits, loop.explain),
        acceptance=Acceptance(record.toolchain, record.limits, settings.acceptance.checks),
        make_memory=parts.memory_maker(loop, where, chat),
        reviewer=parts.reviewer(loop, where, chat),
        prompts=loop.prompts,
        max_attempts=loop.max_attempts,
        independent=loop.strategy == "independent",
        fault_retries=loop.fault_retries,
        turns=threading.BoundedSemaphore(threads),
    )


def _work_at_all(tasks: Sequence[Task], loop: Parts, journal: Journal, concurrency: int, name: str) -> list[Attempt]:
    """The attempts at all tasks, in the order of the tasks, whichever is finished first.

    So many tasks are worked at at once: most of the time each waits for a language model.
    """
    progress = Progress(name, len(tasks))

    def work(task: Task) -> list[Attempt]:
        attempts = work_at(task, loop, journal)
        progress.done(task.id, attempts)
        return attempts

    with ThreadPoolExecutor(max(1, min(concurrency, len(tasks)))) as pool:
        working = [pool.submit(work, task) for task in tasks]
        try:
            return [attempt for one in working for attempt in one.result()]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def journal_key(experiment: Experiment, record: ToolchainRecord, *, arm: str, model: str, seed: int) -> str:
    """The content hash of everything beside the task that can change an attempt.

    The number of attempts is not in it: a smaller budget is a shorter stretch of the same attempts.
    """
    arm_config, model_config = experiment.arms[arm], experiment.models[model]
    code = (*ATTEMPT_CODE, *(CHAT_CODE if parts.is_chat(model, model_config) else ()))
    return digest(
        {
            "code": code_hash(*code, *parts.part_modules(arm=arm_config, model=model_config)),
            "toolchain": record.toolchain.identity(),
            "limits": record.limits.model_dump(),
            "loop": arm_config.loop.model_dump(exclude={"max_attempts", "fault_retries"}),
            "gate": arm_config.gate.model_dump(),
            "acceptance": arm_config.acceptance.model_dump(),
            "model": [model, parts.model_identity(model, model_config)],
            "seeds": [experiment.root_seed, seed],
        }
    )
