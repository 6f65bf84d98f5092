"""The plan of an experiment: its cells, the files of each stage, and the hash that decides what runs again.

It is made while the workflow is parsed, so that whatever is wrong with an experiment stops it before the first job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from veriloop.config.compose import resolve_experiment
from veriloop.config.schema import Experiment, ModelConfig
from veriloop.errors import UserError
from veriloop.protocols import BenchmarkLoader
from veriloop.provenance import PACKAGE_ROOT, code_hash, digest, folder_hash
from veriloop.registry import nearest
from veriloop.report.details import TABLES
from veriloop.stages import parts
from veriloop.stages.flag import KINDS
from veriloop.tasks import Source

PUBLISHED = "published"
"""The arm of results that a release reports; no arm of an experiment may have this name."""

FIGURES = ("rates", "cumulative", "strata", "outcomes")
"""The keys of stages.plot.FIGURES; every job reads the plan, and few of them should load a plotting library."""

SETTINGS = ("experiment", "overrides")


@dataclass(frozen=True)
class Cell:
    """One benchmark, arm and model over its seeds: what becomes one row of the table of rates."""

    benchmark: str
    arm: str
    model: str
    seeds: tuple[int, ...]
    shards: int


class Plan:
    """What an experiment consists of."""

    def __init__(self, experiment: Experiment) -> None:
        """Check all parts and combinations.

        Raises:
            UserError: an unknown part, wrong options, or parts that do not go together.
        """
        self.experiment = experiment
        self.loaders = {name: parts.benchmark_loader(name, c) for name, c in experiment.benchmarks.items()}
        self._check_arms()
        for name in experiment.leave_out:
            if name not in KINDS:
                raise UserError(f"leave_out={experiment.leave_out}: {name} is no flag; {nearest(name, KINDS)}")
        # Asked for every job of a plan.
        options = {name: parts.chat_options(name, config) for name, config in experiment.models.items()}
        self.endpoints = {name: found for name, found in options.items() if found is not None}
        self._check_combinations()
        self.cells = self._cells()
        self._by_names = {(c.benchmark, c.arm, c.model): c for c in self.cells}
        self._hashes: dict[tuple[str, ...], str] = {}

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.experiment.name

    @property
    def is_live(self) -> bool:
        """Whether a verifier is run on any benchmark, so that a toolchain is needed."""
        return bool(self._benchmarks("live")) or self._verifies_answers

    @property
    def _verifies_answers(self) -> bool:
        """Whether recorded answers are audited and verified here."""
        return self.experiment.audit.verify and bool(self._benchmarks("audited"))

    @property
    def compares_published(self) -> bool:
        """Whether a model is run live on a benchmark for which its results are published."""
        published = {m for name in self._benchmarks("live") for m in self.loaders[name].answer_models}
        names = {parts.published_name(name, config) for name, config in self.experiment.models.items()}
        return bool(published) and bool(names & (published | {"none"}))

    def live_benchmarks(self) -> list[str]:
        """The benchmarks that models work at here."""
        return self._benchmarks("live")

    def endpoint_record(self, model: str) -> list[str]:
        """The record of a model's endpoint; empty for a model that has none."""
        return [f"results/endpoint/{self.name}/{model}.json"] if model in self.endpoints else []

    def live_task_lists(self) -> list[str]:
        """The task lists of these benchmarks."""
        return self._task_lists(self.live_benchmarks())

    def _task_lists(self, benchmarks: Iterable[str]) -> list[str]:
        return [f"results/tasks/{self.name}/{benchmark}/tasks.jsonl" for benchmark in benchmarks]

    def _benchmarks(self, source: Source) -> list[str]:
        """The benchmarks whose verdicts come from there."""
        return [name for name, loader in self.loaders.items() if loader.source == source]

    def _check_arms(self) -> None:
        for name, arm in self.experiment.arms.items():
            if name == PUBLISHED:
                raise UserError(f"arms.{name}: this name is kept for results that a release reports; choose another")
            where = f"arms.{name}"
            parts.gate(arm.gate, where)
            parts.check_loop(arm.loop, where)
        control = self.experiment.control
        if control is not None and control not in self.experiment.arms:
            raise UserError(f"control={control}: there is no such arm; {nearest(control, self.experiment.arms)}")

    def _check_combinations(self) -> None:
        for benchmark, loader in self.loaders.items():
            if loader.source == "published":
                continue
            if not self.experiment.models:
                example = "none" if loader.source == "live" else "ground_truth"
                raise UserError(
                    f"models={{}}: benchmark {benchmark} is {loader.source} and needs one; add e.g. model=[{example}]"
                )
            for name, config in self.experiment.models.items():
                _check_model(benchmark, loader, name, config)
                if loader.source == "live":
                    self._check_chat(name, config)
        if self._verifies_answers:
            self._check_one_acceptance()

    def _check_chat(self, name: str, config: ModelConfig) -> None:
        """Refuse an arm that asks a model what it cannot answer, and a budget that cannot be kept."""
        for arm, settings in self.experiment.arms.items():
            wanted = parts.needs_chat(settings.loop, f"arms.{arm}")
            if wanted is not None and not parts.is_chat(name, config):
                raise UserError(
                    f"{wanted}: needs a language model, and models.{name} (proposer {config.proposer}) is none; take "
                    "the model out, or give the arm a loop that needs none, such as loop=dafnybench"
                )
        options = self.endpoints.get(name)
        bound = self.experiment.budget.dollars
        if options is not None and options.prices is None and bound is not None:
            raise UserError(
                f"budget.dollars={bound:g}: models.{name}.options.prices is null, so nobody can "
                f"tell what is spent; write the prices into config/model/{name}.yaml, or bound budget.tokens instead"
            )

    def _check_one_acceptance(self) -> None:
        (first, wanted), *others = ((name, arm.acceptance.checks) for name, arm in self.experiment.arms.items())
        for name, checks in others:
            if set(checks) != set(wanted):
                raise UserError(
                    f"arms.{name}.acceptance.checks={checks}: with audit.verify=true each answer is verified once "
                    f"for all arms, and arms.{first} has {wanted}; give all arms the same acceptance"
                )

    def _cells(self) -> list[Cell]:
        cells: list[Cell] = []
        for benchmark, loader in self.loaders.items():
            if loader.source == "published":
                cells += [Cell(benchmark, PUBLISHED, r.model, (0,), 1) for r in loader.paper_rates]
                continue
            # An audit draws nothing by chance, and is one short job.
            live = loader.source == "live"
            seeds, shards = (tuple(self.experiment.seeds), self.experiment.shards) if live else ((0,), 1)
            cells += [
                Cell(benchmark, arm, model, seeds, shards)
                for arm in self.experiment.arms
                for model in self.experiment.models
            ]
        return cells

    def cell(self, benchmark: str, arm: str, model: str) -> Cell:
        """The cell of these names."""
        return self._by_names[benchmark, arm, model]

    def wildcards(self) -> dict[str, str]:
        """Regular expressions of the names that the rules' wildcards may take."""
        arms = [arm for arm in self.experiment.arms if any(cell.arm == arm for cell in self.cells)]
        return {
            "experiment": re.escape(self.name),
            "benchmark": _any_of(cell.benchmark for cell in self.cells),
            "live": _any_of(self._benchmarks("live")),
            "audited": _any_of(self._benchmarks("audited")),
            "arm": _any_of(arms),
            "any_arm": _any_of(cell.arm for cell in self.cells),
            "model": _any_of(cell.model for cell in self.cells),
            "table": _any_of(self._details()),
        }

    def journals(self, cell: Cell) -> list[str]:
        """The sealed journals of a cell."""
        folder = f"results/run/{self.name}/{cell.benchmark}/{cell.arm}/{cell.model}"
        return [f"{folder}/seed_{seed}/shard_{shard}.jsonl" for seed in cell.seeds for shard in range(cell.shards)]

    def scores(self) -> list[str]:
        """The score files of all cells."""
        return [self._score(cell) for cell in self.cells]

    def _score(self, cell: Cell) -> str:
        return f"results/score/{self.name}/{cell.benchmark}/{cell.arm}/{cell.model}.csv"

    def audited_scores(self) -> list[str]:
        """The score files of the cells of audited benchmarks."""
        return [self._score(cell) for cell in self._audited_cells()]

    def audited_journals(self) -> list[str]:
        """The sealed journals of these cells, one each, in the order of their scores."""
        return [path for cell in self._audited_cells() for path in self.journals(cell)]

    def verified_journals(self, benchmark: str, model: str) -> list[str]:
        """The sealed journals of the verification of a model's recorded answers; empty where none is verified."""
        folder = f"results/verified/{self.name}/{benchmark}/{model}"
        shards = range(self.experiment.shards) if self._verifies_answers else range(0)
        return [f"{folder}/shard_{shard}.jsonl" for shard in shards]

    def _audited_cells(self) -> list[Cell]:
        audited = self._benchmarks("audited")
        return [cell for cell in self.cells if cell.benchmark in audited]

    def cards(self) -> list[str]:
        """The cards of all benchmarks."""
        return [f"results/tasks/{self.name}/{benchmark}/card.json" for benchmark in self.loaders]

    def task_lists(self) -> list[str]:
        """The task lists of all benchmarks, in the experiment's order."""
        return self._task_lists(self.loaders)

    def toolchain_record(self) -> list[str]:
        """The record of the toolchain that was used; empty where nothing runs live."""
        return [f"results/toolchain/{self.name}.json"] if self.is_live else []

    def _details(self) -> list[str]:
        """The tables beside the rates; some only where the experiment has what they are about."""
        arms = self.experiment.arms.values()
        has = {
            "": True,
            "audit": bool(self._benchmarks("audited")),
            "control": self.experiment.control is not None,
            "independent": any(arm.loop.strategy == "independent" for arm in arms),
        }
        return [name for name, table in TABLES.items() if has[table.only]]

    def tables(self) -> list[str]:
        """All tables of the experiment."""
        names = ["rates", *self._details(), *(["differences"] if self.compares_published else [])]
        endings = ("csv", "md", "tex", "provenance.json")
        return [f"results/tables/{self.name}/{name}.{ending}" for name in names for ending in endings]

    def figures(self) -> list[str]:
        """All figures of the experiment, each with its data."""
        return [f"results/figures/{self.name}/{name}.{ending}" for name in FIGURES for ending in ("pdf", "png", "csv")]

    def attempt_pages(self) -> list[str]:
        """The pages of attempts of all cells, in the order of the scores."""
        return [f"results/report/{self.name}/attempts/{c.benchmark}/{c.arm}/{c.model}.html" for c in self.cells]

    def page(self) -> str:
        """The page of the experiment."""
        return f"results/report/{self.name}/index.html"

    def targets(self) -> list[str]:
        """What the workflow is to make."""
        ends = [self.page(), f"results/track/{self.name}.json", f"results/checks/{self.name}.txt"]
        return [*self.tables(), *self.figures(), *ends]

    def depends(self, stage: str, **names: str) -> str:
        """A hash of the code and of the configuration that a rule's result depends on, beside its input files.

        Args:
            stage: the module under veriloop/stages that the rule's script calls.
            names: the rule's wildcards: `benchmark`, `arm`, `model`.
        """
        # Asked for every job of a plan, and the same for all seeds and shards.
        key = (stage, *(f"{name}={value}" for name, value in sorted(names.items())))
        if key not in self._hashes:
            self._hashes[key] = self._depends(stage, names)
        return self._hashes[key]

    def _depends(self, stage: str, names: dict[str, str]) -> str:
        experiment = self.experiment
        benchmark = experiment.benchmarks[names["benchmark"]] if "benchmark" in names else None
        model = experiment.models.get(names.get("model", ""))
        arm = experiment.arms.get(names.get("arm", ""))
        content = {
            "code": code_hash(
                f"veriloop.stages.{stage}", *parts.part_modules(benchmark=benchmark, arm=arm, model=model)
            ),
            "benchmark": benchmark.model_dump() if benchmark else None,
            "data": folder_hash(PACKAGE_ROOT / "benchmarks" / benchmark.loader) if benchmark else None,
            "model": model.model_dump() if model else None,
            "arm": arm.model_dump() if arm else None,
            "templates": folder_hash(PACKAGE_ROOT / "report") if stage == "render" else None,
            "settings": _settings(experiment, stage),
        }
        return digest(content)

    def write_config(self) -> Path:
        """Write the resolved experiment beside the results, if it is not there already."""
        path = Path("results/config") / f"{self.name}.yaml"
        text = self.experiment.dump()
        try:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_name(path.name + ".part")
                part.write_text(text, encoding="utf-8")
                part.replace(path)
        except OSError as error:
            raise UserError(f"{path}: cannot be written ({error}); make the results folder writable") from None
        return path


def _check_model(benchmark: str, loader: BenchmarkLoader, name: str, config: ModelConfig) -> None:
    """Refuse a model that does not go together with a benchmark."""
    wanted = parts.answers_of(name, config)
    if wanted is not None and wanted not in loader.answer_models:
        raise UserError(
            f"models.{name}.options.answers_of={wanted!r}: benchmark {benchmark} has no recorded answers "
            f"of it; {nearest(wanted, loader.answer_models)}"
        )
    if parts.needs_ground_truth(name, config) and not loader.has_ground_truths:
        raise UserError(f"models.{name}: needs ground truths, and benchmark {benchmark} has none")
    if loader.source == "audited" and wanted is None and config.proposer != "ground_truth":
        raise UserError(
            f"models.{name}.proposer={config.proposer!r}: benchmark {benchmark} is audited, which asks gates about "
            f"programs that exist; take replay or ground_truth, such as model=[ground_truth]"
        )


def _any_of(names: Iterable[str]) -> str:
    """A regular expression for any of the names; for none of them, one that nothing matches."""
    return "|".join(re.escape(name) for name in dict.fromkeys(names)) or "(?!)"


def _settings(experiment: Experiment, stage: str) -> object:
    """The part of the configuration that a stage reads beside benchmark, model and arm."""
    if stage == "provide":
        fallback = experiment.fallback_toolchain
        return [experiment.toolchain.model_dump(), fallback.model_dump() if fallback else None]
    if stage == "run":
        return experiment.root_seed
    if stage == "endpoint":
        return [arm.loop.model_dump() for arm in experiment.arms.values()]
    if stage == "audited":
        return experiment.audit.model_dump()
    if stage == "verified":
        arms = experiment.arms.values()
        return [[arm.model_dump() for arm in arms], code_hash(*(f"veriloop.gate.{arm.gate.name}" for arm in arms))]
    if stage == "curate":
        return sorted({m.options.get("answers_of", "") for m in experiment.models.values()})
    if stage == "flag":
        return {name: model.proposer for name, model in experiment.models.items()}
    if stage == "audit":
        named = {name: model.model_dump() for name, model in experiment.models.items()}
        drawn = [experiment.statistics.model_dump(), experiment.root_seed, experiment.leave_out]
        return [named, *drawn, experiment.audit.model_dump()]
    if stage in {"estimate", "breakdown", "compare"}:
        return [experiment.statistics.model_dump(), experiment.root_seed, experiment.leave_out]
    return experiment.model_dump() if stage in {"track", "tabulate", "render"} else None


def make_plan(settings: dict[str, object]) -> Plan:
    """The plan for what was given as `snakemake --config`.

    Args:
        settings: `experiment`, a name, and `overrides`, a list of Hydra overrides.

    Raises:
        UserError: whatever is wrong with the experiment.
    """
    for key in settings:
        if key not in SETTINGS:
            raise UserError(f"--config {key}={settings[key]!r}: unknown setting; {nearest(key, SETTINGS)}")
    overrides = settings.get("overrides", [])
    if not isinstance(overrides, list) or not all(isinstance(word, str) for word in overrides):
        raise UserError(f"--config overrides={overrides!r}: write a list, such as overrides='[\"seeds=[0,1]\"]'")
    if any(word.partition("=")[0] == "experiment" for word in overrides):
        raise UserError(f"--config overrides={overrides!r}: name the experiment with --config experiment=NAME")
    return Plan(resolve_experiment(str(settings.get("experiment", "demo")), overrides))
