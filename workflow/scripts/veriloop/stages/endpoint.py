"""Before a language model is asked about any task: key, endpoint, model name, and whether the tasks fit its context."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.errors import UserError
from veriloop.llm.client import read_key
from veriloop.llm.probe import probe
from veriloop.llm.settings import ChatOptions
from veriloop.loop.prompts import render_proposal
from veriloop.stages import parts
from veriloop.tasks import Task, read_tasks

CHARACTERS_PER_TOKEN = 4
"""Programs have fewer in truth: what does not fit by this count does not fit."""


def endpoint(config: Path, tasks: Sequence[Path], model: str, output: Path) -> None:
    """Check a model's endpoint, and write down how it was found.

    Args:
        config: the resolved experiment.
        tasks: the task lists of the benchmarks that the model works at.
        model: the model's name.
        output: the record.

    Raises:
        UserError: what is wrong, before any task costs anything.
    """
    experiment = Experiment.read(config)
    options = parts.chat_options(model, experiment.models[model])
    if options is None:
        raise RuntimeError(f"{model} has no endpoint")
    where = f"models.{model}.options"
    key = read_key(options, where)
    for path in tasks:
        _check_context(experiment, options, where, read_tasks(path))
    found = {"model": options.model, "base_url": options.base_url, "found": probe(options, key, where)}
    output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _check_context(experiment: Experiment, options: ChatOptions, where: str, tasks: Sequence[Task]) -> None:
    """Refuse a task whose first prompt leaves no room for an answer."""
    for arm in experiment.arms.values():
        answer = options.merged(arm.loop.sampling.model_dump()).max_tokens
        for task in tasks:
            prompt = len(render_proposal(arm.loop.prompts["propose"], task, "")) // CHARACTERS_PER_TOKEN
            if prompt + answer > options.context_tokens:
                raise UserError(
                    f"{where}.context_tokens={options.context_tokens}: task {task.id} needs about {prompt} tokens for "
                    f"its prompt and {answer} for the answer (loop.sampling.max_tokens); ask for shorter answers, take "
                    "a model with more context, or leave the task out"
                )
