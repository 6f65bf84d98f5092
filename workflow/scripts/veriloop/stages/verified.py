"""Recorded answers that pass a gate, verified here: once for all arms of an audit, journalled and resumable."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from veriloop.acceptance import Acceptance
from veriloop.attempts import Attempt, Proposal, Request, Violation
from veriloop.config.schema import Experiment
from veriloop.loop.engine import Parts, work_at
from veriloop.loop.journal import Journal, seal
from veriloop.loop.memories.none import NoMemory
from veriloop.protocols import Gate
from veriloop.provenance import code_hash, digest
from veriloop.stages import parts
from veriloop.stages.audited import Answers, credited, damage, read_recorded
from veriloop.stages.provide import ToolchainRecord, read_record
from veriloop.stages.run import ATTEMPT_CODE, JOURNALS
from veriloop.stages.verifiers import open_explainer, open_verifier
from veriloop.tasks import read_tasks, shard_of


class AnyOf:
    """Lets pass what one of several gates lets pass."""

    def __init__(self, gates: Sequence[Gate]) -> None:
        self._gates = gates

    def check(self, given: str, candidate: str) -> list[Violation]:
        """Nothing, or what the last gate objects to."""
        violations: list[Violation] = []
        for gate in self._gates:
            violations = gate.check(given, candidate)
            if not violations:
                break
        return violations


class Recorded:
    """Proposes the answer for which the release credits a model, once."""

    first_attempt = 1

    def __init__(self, answers: Answers) -> None:
        self.name = answers.proposer
        self.synthetic = answers.published is None
        self._answers = answers

    def propose(self, request: Request) -> Proposal | None:
        """The answer; None where there is none to be judged, or the task's given program is no program."""
        # Of published answers `credited` leaves out those to damaged tasks itself.
        if self.synthetic and damage(request.task):
            return None
        candidate = credited(request.task, self._answers).candidate
        return None if candidate is None else Proposal(text=candidate)


def verified(
    *,
    config: Path,
    tasks: Path,
    answers: Path,
    toolchain: Path,
    benchmark: str,
    model: str,
    shard: int,
    output: Path,
) -> None:
    """Verify a model's credited answers to the tasks of a shard, with acceptance, and seal the journal.

    Args:
        config: the resolved experiment.
        tasks: the benchmark's tasks, with what is published of each.
        answers: the recorded answers of the models that are replayed.
        toolchain: the record of the toolchain.
        benchmark: the benchmark's name.
        model: the model's name.
        shard: number of the slice, from 0.
        output: the sealed journal.
    """
    experiment = Experiment.read(config)
    record, known = read_record(toolchain), read_tasks(tasks)
    recorded = read_recorded(experiment, known, answers, model)
    # All arms have the same acceptance (stages.plan).
    arm = next(iter(experiment.arms.values()))
    writer = f"{experiment.name}.{benchmark}.{shard}-of-{experiment.shards}"
    folder = JOURNALS / journal_key(experiment, record, recorded, model)
    made: list[Attempt] = []
    with open_verifier(record.toolchain, record.limits) as verifier, Journal(folder, writer) as journal:
        loop = Parts(
            proposer=Recorded(recorded),
            gate=AnyOf([parts.gate(each.gate, f"arms.{name}") for name, each in experiment.arms.items()]),
            verifier=verifier,
            explainer=open_explainer(record.toolchain, record.limits, arm.loop.explain),
            acceptance=Acceptance(record.toolchain, record.limits, arm.acceptance.checks),
            make_memory=lambda task: NoMemory(),  # noqa: ARG005 - one attempt remembers nothing
            reviewer=None,
            prompts={"propose": ""},
            max_attempts=1,
            independent=False,
            fault_retries=arm.loop.fault_retries,
            turns=nullcontext(),
        )
        for task in shard_of(known, shard, experiment.shards):
            for attempt in work_at(task, loop, journal):
                logging.info("%s: %s", task.id, attempt.verdict)
                made.append(attempt)
    seal(output, made)


def journal_key(experiment: Experiment, record: ToolchainRecord, recorded: Answers, model: str) -> str:
    """The content hash of everything beside the task that can change what comes of an answer."""
    arms = experiment.arms.values()
    return digest(
        {
            "code": code_hash(*ATTEMPT_CODE, *(f"veriloop.gate.{arm.gate.name}" for arm in arms)),
            "toolchain": record.toolchain.identity(),
            "limits": record.limits.model_dump(),
            "gates": [arm.gate.model_dump() for arm in arms],
            "acceptance": [arm.acceptance.model_dump() for arm in arms],
            "answers": [model, recorded.published, recorded.texts],
        }
    )
