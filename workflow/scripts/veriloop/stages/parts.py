"""From configuration to parts: finding a part's module and checking its options against that part's own schema."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

import veriloop.benchmarks
import veriloop.gate
import veriloop.loop.memories
import veriloop.models
from veriloop.config.explain import explain
from veriloop.config.schema import Arm, BenchmarkConfig, GateConfig, LoopConfig, ModelConfig
from veriloop.errors import UserError
from veriloop.protocols import BenchmarkLoader, Gate, Memory, Proposer, ProposerContext
from veriloop.registry import find_part


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


def proposer(name: str, config: ModelConfig, context: ProposerContext) -> Proposer:
    """A model's proposer."""
    made: Proposer = _proposer_module(name, config).make(_model_options(name, config), context)
    return made


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


def find_memory(loop: LoopConfig, where: str) -> Callable[[], Memory]:
    """What makes an empty memory of the kind that a loop uses.

    Raises:
        UserError: no such memory.
    """
    make: Callable[[], Memory] = find_part(veriloop.loop.memories, loop.memory, f"{where}.loop.memory").make
    return make


def part_modules(
    *, benchmark: BenchmarkConfig | None = None, arm: Arm | None = None, model: ModelConfig | None = None
) -> list[str]:
    """The dotted names of modules that are found by name, for content hashes."""
    names = [f"veriloop.benchmarks.{benchmark.loader}"] if benchmark else []
    if arm:
        names += [f"veriloop.gate.{arm.gate.name}", f"veriloop.loop.memories.{arm.loop.memory}"]
    return names + ([f"veriloop.models.{model.proposer}"] if model else [])
