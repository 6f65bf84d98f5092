"""From configuration to parts: finding a part's module and checking its options against that part's own schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from string import Template
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

import veriloop.benchmarks
import veriloop.gate
import veriloop.loop.memories
import veriloop.loop.reviewers
import veriloop.models
from veriloop.config.explain import explain
from veriloop.config.schema import Arm, BenchmarkConfig, GateConfig, LoopConfig, ModelConfig
from veriloop.errors import UserError
from veriloop.llm.settings import ChatOptions
from veriloop.loop.feedback import describer
from veriloop.loop.prompts import PLACEHOLDERS
from veriloop.loop.proposing import ChatProposer
from veriloop.protocols import (
    BenchmarkLoader,
    Chat,
    Gate,
    Memory,
    MemoryContext,
    Proposer,
    ProposerContext,
    Reviewer,
)
from veriloop.registry import find_part, nearest
from veriloop.tasks import Task


def _options(schema: type[BaseModel], options: dict[str, Any], prefix: str, file: str) -> Any:
    """A part's options, checked by the part's own schema.

    Args:
        schema: the part's `Options`.
        options: what the configuration says.
        prefix: the dotted key of the options.
        file: where they are written, unless an override set them.
    """
    try:
        return schema.model_validate(options)
    except ValidationError as error:
        raise UserError(explain(error, schema, prefix=prefix, where=f"{file} or an override")) from None


def benchmark_loader(name: str, config: BenchmarkConfig) -> BenchmarkLoader:
    """The loader of a benchmark.

    Raises:
        UserError: no such loader, or wrong options.
    """
    where = f"benchmarks.{name}"
    module = find_part(veriloop.benchmarks, config.loader, f"{where}.loader")
    loader: BenchmarkLoader = module.Loader(
        _options(module.Options, config.options, f"{where}.options", f"config/benchmark/{name}.yaml")
    )
    return loader


def _proposer_module(name: str, config: ModelConfig) -> ModuleType:
    return find_part(veriloop.models, config.proposer, f"models.{name}.proposer")


def _model_options(name: str, config: ModelConfig) -> Any:
    schema = _proposer_module(name, config).Options
    return _options(schema, config.options, f"models.{name}.options", f"config/model/{name}.yaml")


def needs_ground_truth(name: str, config: ModelConfig) -> bool:
    """Whether a model's proposer makes its answers from the ground truth."""
    return bool(_proposer_module(name, config).NEEDS_GROUND_TRUTH)


def answers_of(name: str, config: ModelConfig) -> str | None:
    """Whose recorded answers a model replays; None where it replays none.

    Raises:
        UserError: no such proposer, or wrong options.
    """
    answer: str | None = _proposer_module(name, config).answers_of(_model_options(name, config))
    return answer


def published_name(name: str, config: ModelConfig) -> str | None:
    """Under which name a benchmark may publish results of this very model; None where it cannot."""
    return "none" if config.proposer == "none" else answers_of(name, config)


def is_chat(name: str, config: ModelConfig) -> bool:
    """Whether a model can be asked anything, as reviewers and scratchpads need it, and not for programs alone."""
    return hasattr(_proposer_module(name, config), "open_chat")


def chat_options(name: str, config: ModelConfig) -> ChatOptions | None:
    """What the file of a model behind an endpoint says; None for every other model."""
    options = _model_options(name, config)
    return options if isinstance(options, ChatOptions) else None


def concurrency(name: str, config: ModelConfig) -> int:
    """How many tasks are worked at at once: as many as the endpoint answers questions, elsewhere one."""
    options = chat_options(name, config)
    return options.limits.concurrency if options else 1


def model_identity(name: str, config: ModelConfig) -> dict[str, Any]:
    """What of a model's configuration can change an answer."""
    operational = getattr(_proposer_module(name, config), "OPERATIONAL", ())
    kept = {option: value for option, value in config.options.items() if option not in operational}
    return {"proposer": config.proposer, "options": kept}


@contextmanager
def open_model(
    name: str, config: ModelConfig, context: ProposerContext, prompts: Mapping[str, str]
) -> Iterator[tuple[Proposer, Chat | None]]:
    """A model's proposer; and the language model itself, if it is one.

    Args:
        name: the model's name.
        config: its file.
        context: what it may use.
        prompts: the texts of the loop's prompt files.
    """
    module, options = _proposer_module(name, config), _model_options(name, config)
    if not is_chat(name, config):
        yield module.make(options, context), None
        return
    with module.open_chat(options, context) as chat:
        yield ChatProposer(chat, prompts), chat


def gate(config: GateConfig, where: str) -> Gate:
    """The gate of an arm.

    Raises:
        UserError: no such gate, or wrong options.
    """
    module = find_part(veriloop.gate, config.name, f"{where}.gate.name")
    made: Gate = module.make(
        _options(module.Options, config.options, f"{where}.gate.options", f"config/gate/{config.name}.yaml")
    )
    return made


def _memory_module(loop: LoopConfig, where: str) -> ModuleType:
    return find_part(veriloop.loop.memories, loop.memory, f"{where}.loop.memory")


def _reviewer_module(loop: LoopConfig, where: str) -> ModuleType | None:
    if loop.reviewer is None:
        return None
    return find_part(veriloop.loop.reviewers, loop.reviewer, f"{where}.loop.reviewer")


def check_loop(loop: LoopConfig, where: str) -> None:
    """Refuse a loop whose parts do not exist, or whose prompt files do not have what its parts need.

    Raises:
        UserError: what is wrong, with the key or the file.
    """
    wanted = ["propose", *(["review"] if _reviewer_module(loop, where) else [])]
    wanted += ["remember"] if memory_writes(loop, where) else []
    folder = f"config/prompts/{loop.prompt}"
    for name in wanted:
        if name not in loop.prompts:
            raise UserError(f"{where}.loop.prompt={loop.prompt}: needs the file {folder}/{name}.txt; write it")
    for name, text in loop.prompts.items():
        if name not in PLACEHOLDERS:
            raise UserError(f"{folder}/{name}.txt: no part asks with it; {nearest(name, PLACEHOLDERS)}")
        unknown = min(set(Template(text).get_identifiers()) - PLACEHOLDERS[name], default="")
        if unknown or not Template(text).is_valid():
            raise UserError(
                f"{folder}/{name}.txt: ${unknown} is no placeholder; {nearest(unknown, PLACEHOLDERS[name])}; "
                "write $$ for a dollar sign"
            )


def memory_writes(loop: LoopConfig, where: str = "arm") -> bool:
    """Whether a language model writes for a loop's memory."""
    return bool(_memory_module(loop, where).NEEDS_CHAT)


def needs_chat(loop: LoopConfig, where: str) -> str | None:
    """Which setting of a loop needs a language model beside the proposer; None where none does."""
    if loop.reviewer is not None:
        return f"{where}.loop.reviewer={loop.reviewer}"
    return f"{where}.loop.memory={loop.memory}" if memory_writes(loop, where) else None


def memory_maker(loop: LoopConfig, where: str, chat: Chat | None) -> Callable[[Task], Memory]:
    """What makes an empty memory of the kind that a loop uses, for one task."""
    module = _memory_module(loop, where)
    tell = describer(loop.feedback, tell_repeats=loop.tell_repeats)

    def make(task: Task) -> Memory:
        made: Memory = module.make(MemoryContext(task, chat, loop.prompts, tell))
        return made

    return make


def reviewer(loop: LoopConfig, where: str, chat: Chat | None) -> Reviewer | None:
    """The loop's reviewer; None where it has none."""
    module = _reviewer_module(loop, where)
    made: Reviewer | None = module.make(chat, loop.prompts) if module else None
    return made


def part_modules(
    *, benchmark: BenchmarkConfig | None = None, arm: Arm | None = None, model: ModelConfig | None = None
) -> list[str]:
    """The dotted names of modules that are found by name, for content hashes."""
    names = [f"veriloop.benchmarks.{benchmark.loader}"] if benchmark else []
    if arm:
        names += [f"veriloop.gate.{arm.gate.name}", f"veriloop.loop.memories.{arm.loop.memory}"]
        names += [f"veriloop.loop.reviewers.{arm.loop.reviewer}"] if arm.loop.reviewer else []
    return names + ([f"veriloop.models.{model.proposer}"] if model else [])
