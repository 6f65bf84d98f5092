"""From a name and overrides to a resolved experiment, or to a sentence that says what is wrong.

Hydra composes the groups under config/; each arm is composed again with its overrides added, so that a wrong
override is refused exactly as if a person had typed it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from veriloop.config.explain import explain
from veriloop.config.schema import Experiment, LoopConfig
from veriloop.config.toolchain import ToolchainConfig
from veriloop.errors import UserError
from veriloop.provenance import REPOSITORY
from veriloop.registry import nearest

CONFIG_DIR = REPOSITORY / "config"
GROUPS = ("experiment", "benchmark", "model", "loop", "gate", "acceptance", "toolchain")
ARM_MAY_CHANGE = ("loop", "gate", "acceptance")


def config_names(group: str, config_dir: Path = CONFIG_DIR) -> list[str]:
    """The names that exist in a group, sorted."""
    return sorted(path.stem for path in (config_dir / group).glob("*.yaml"))


def resolve_experiment(name: str, overrides: list[str], config_dir: Path = CONFIG_DIR) -> Experiment:
    """Compose, merge, and validate an experiment.

    Args:
        name: a file of config/experiment/, without its ending.
        overrides: Hydra overrides, such as `seeds=[0,1]` or `loop.max_attempts=3`.
        config_dir: the folder with the groups.

    Raises:
        UserError: an unknown name, key, type or combination, with its dotted path and the nearest known name.
    """
    known = config_names("experiment", config_dir)
    if name not in known:
        raise UserError(f"experiment={name!r}: there is no config/experiment/{name}.yaml; {nearest(name, known)}")
    words = [f"experiment={name}", *overrides]
    base = _compose(words, f"experiment {name}", config_dir)
    arms = base.pop("arms", None) or {"main": []}
    if not isinstance(arms, dict):
        raise UserError(f"arms={arms!r}: write a name and a list of overrides for each arm")
    merged = {arm: _compose_arm(arm, extra, words, base, config_dir) for arm, extra in arms.items()}
    _check_different(merged)
    for key in ARM_MAY_CHANGE:
        base.pop(key)
    base["fallback_toolchain"] = _fallback(base, config_dir)
    try:
        return Experiment.model_validate(base | {"arms": merged})
    except ValidationError as error:
        where = f"config/experiment/{name}.yaml"
        raise UserError(explain(error, Experiment, prefix="", where=where, overrides=overrides)) from None


def _compose(words: list[str], what: str, config_dir: Path) -> dict[str, Any]:
    """One composition by Hydra as a plain dictionary."""
    for word in words:
        _check_choice(word, config_dir)
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(config_dir)):
            resolved = OmegaConf.to_container(
                compose(config_name="config", overrides=words), resolve=True, throw_on_missing=True
            )
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(_hydra_reason(str(error), what, words, config_dir)) from None
    if not isinstance(resolved, dict):
        raise UserError(f"{what}: config/config.yaml must be a mapping")
    plain: dict[str, Any] = {str(key): value for key, value in resolved.items()}
    return plain


def _hydra_reason(message: str, what: str, words: list[str], config_dir: Path) -> str:
    """Hydra's complaint as a sentence; for a key that does not exist, with the nearest one that does."""
    refused = re.search(r"Could not override '([^']+)'", message)
    if refused is None or len(words) == 1:
        return f"{what}: {words[1:] or words}: {' '.join(message.split())}"
    key = refused[1]
    word = next((w for w in words if w.partition("=")[0] == key), key)
    level: Any = _compose(words[:1], what, config_dir)
    *path, last = key.split(".")
    for part in path:
        level = level.get(part, {}) if isinstance(level, dict) else {}
    known = level if isinstance(level, dict) else {}
    return f"{key} (from the override {word!r} of {what}): unknown key; {nearest(last, map(str, known))}"


def _check_choice(word: str, config_dir: Path) -> None:
    """Refuse `group=name` for a name that no file has, with the nearest one: Hydra only says no."""
    key, _, value = word.partition("=")
    group = key.lstrip("+~")
    if group not in GROUPS:
        return
    chosen = yaml.safe_load(value) if value else []
    for name in chosen if isinstance(chosen, list) else [chosen]:
        known = config_names(group, config_dir)
        if str(name) not in known:
            raise UserError(f"{group}={name}: there is no config/{group}/{name}.yaml; {nearest(str(name), known)}")


def _compose_arm(arm: str, extra: object, words: list[str], base: dict[str, Any], config_dir: Path) -> dict[str, Any]:
    """The loop, gate and acceptance of one arm; anything else that its overrides would change is refused."""
    if not isinstance(extra, list) or not all(isinstance(word, str) for word in extra):
        raise UserError(f"arms.{arm}={extra!r}: an arm is a list of overrides, such as ['loop.max_attempts=3']")
    merged = _compose([*words, *extra], f"arms.{arm}", config_dir)
    merged.pop("arms", None)
    for key, value in merged.items():
        if key not in ARM_MAY_CHANGE and value != base.get(key):
            raise UserError(f"arms.{arm}={extra!r}: changes {key}; an arm may change {', '.join(ARM_MAY_CHANGE)}")
    try:
        loop = LoopConfig.model_validate(merged["loop"])
    except ValidationError as error:
        typed = [*words, *extra]
        sentence = explain(error, LoopConfig, prefix=f"arms.{arm}.loop", where="config/loop/", overrides=typed)
        raise UserError(sentence) from None
    texts = _prompt_texts(loop.prompt, f"arms.{arm}.loop.prompt", config_dir)
    return {
        "overrides": extra,
        "loop": loop.model_copy(update={"prompts": texts}).model_dump(),
        "gate": merged["gate"],
        "acceptance": merged["acceptance"],
    }


def _check_different(arms: dict[str, dict[str, Any]]) -> None:
    """Refuse two arms that lead to the same parts: one of them overrides nothing, or the same as the other."""
    seen: dict[str, str] = {}
    for name, arm in arms.items():
        other = seen.setdefault(json.dumps([arm[key] for key in ARM_MAY_CHANGE], sort_keys=True), name)
        if other != name:
            raise UserError(
                f"arms.{name}={arm['overrides']!r}: the same {', '.join(ARM_MAY_CHANGE)} as arms.{other}="
                f"{arms[other]['overrides']!r}; change an override in the experiment's file, or take one arm out"
            )


def _prompt_texts(name: str, where: str, config_dir: Path) -> dict[str, str]:
    """The texts of a folder of prompt files, by their names without ending."""
    folder = config_dir / "prompts" / name
    if not folder.is_dir():
        known = [path.name for path in (config_dir / "prompts").iterdir() if path.is_dir()]
        raise UserError(f"{where}={name}: there is no folder config/prompts/{name}; {nearest(name, known)}")
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}


def _fallback(base: dict[str, Any], config_dir: Path) -> dict[str, Any] | None:
    """The fallback toolchain; none where the experiment asks for that very toolchain."""
    name = base.get("fallback_toolchain")
    if name is None or name == base["toolchain"]["name"]:
        return None
    return read_toolchain(name, "fallback_toolchain", config_dir).model_dump()


def read_toolchain(name: str, where: str, config_dir: Path = CONFIG_DIR) -> ToolchainConfig:
    """One file of config/toolchain/, validated.

    Args:
        name: the toolchain's name, such as `dafny-4.11.0`.
        where: the key or command that asked for it, for the error message.
        config_dir: the folder with the groups.

    Raises:
        UserError: no such toolchain, or a wrong file.
    """
    known = config_names("toolchain", config_dir)
    if name not in known:
        raise UserError(f"{where}={name}: there is no config/toolchain/{name}.yaml; {nearest(name, known)}")
    path = config_dir / "toolchain" / f"{name}.yaml"
    try:
        return ToolchainConfig.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise UserError(explain(error, ToolchainConfig, prefix="", where=str(path))) from None
