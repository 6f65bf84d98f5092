"""DafnyBench (Loughridge et al., 2024): its programs, fetched and checked by hash, and its published results.

`content: programs` gives the 782 tasks to run live; `content: answers` gives them to audit what was published of the
recorded answers; `content: published` gives the released facts alone, of which the published numbers are re-estimated
without any program. README.md says what is where.
"""

from __future__ import annotations

import csv
from typing import Literal

from pydantic import BaseModel, ConfigDict

from veriloop.benchmarks.dafnybench.facts import FOLDER, MODELS, PAPER_COUNTS, PAPER_RATES, Fact, read_facts
from veriloop.benchmarks.dafnybench.source import read_answer_file, read_checked, release_folder
from veriloop.dafny.members import target_of
from veriloop.errors import UserError
from veriloop.registry import nearest
from veriloop.tasks import Answer, Source, Task


class Options(BaseModel):
    """What of the benchmark is wanted.

    Attributes:
        content: `programs` to run live, `answers` to audit, or `published` facts alone.
        sample: a file of samples/, without its ending; None means all 782 tasks.
    """

    model_config = ConfigDict(extra="forbid")

    content: Literal["programs", "answers", "published"]
    sample: str | None = None


SOURCES: dict[str, Source] = {"programs": "live", "answers": "audited", "published": "published"}


class Loader:
    """Reads the committed facts, and the programs of the pinned commit where they are wanted."""

    version = "0cd28feed9cd"

    def __init__(self, options: Options) -> None:
        self.options = options
        self.source = SOURCES[options.content]
        self.has_ground_truths = self.source != "published"
        self.answer_models = MODELS if self.source != "published" else ()
        self.paper_rates = PAPER_RATES if self.source != "live" else ()
        self.paper_counts = () if options.sample else PAPER_COUNTS

    def tasks(self) -> list[Task]:
        """The tasks in the order of their names.

        Raises:
            UserError: the programs cannot be had, or are not those of the pinned commit.
        """
        facts = self._facts()
        return [fact.task() if self.source == "published" else self._with_programs(fact) for fact in facts]

    def answers(self, model: str) -> list[Answer]:
        """The final answer that the release holds of a model, for each task of this benchmark that has one."""
        wanted = {fact.name for fact in self._facts()}
        found = read_answer_file(release_folder(), model)
        return [Answer(model=model, task=task, text=text) for task, text in found.items() if task in wanted]

    def _facts(self) -> list[Fact]:
        facts = read_facts()
        if self.options.sample is None:
            return facts
        known = [path.stem for path in (FOLDER / "samples").glob("*.csv")]
        if self.options.sample not in known:
            raise UserError(f"sample={self.options.sample}: {nearest(self.options.sample, known)}")
        with (FOLDER / "samples" / f"{self.options.sample}.csv").open(encoding="utf-8", newline="") as rows:
            wanted = {row["task"] for row in csv.DictReader(rows)}
        return [fact for fact in facts if fact.name in wanted]

    def _with_programs(self, fact: Fact) -> Task:
        folder = release_folder()
        given = read_checked(folder / "hints_removed" / f"{fact.name}_no_hints.dfy", fact.given_sha256)
        truth = read_checked(folder / "ground_truth" / f"{fact.name}.dfy", fact.ground_truth_sha256)
        texts = {"given": given, "ground_truth": truth, "target": target_of(given)}
        task = fact.task().model_copy(update={"kind": "fill_hints", **texts})
        # A live run finds the flags anew.
        return task.model_copy(update={"flags": ()}) if self.source == "live" else task
