"""What is wrong with tasks: found in their text before anything runs, and by the runs that need no model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from veriloop.config.schema import Experiment
from veriloop.dafny.lexer import without_comments
from veriloop.gate.dafnybench import FORBIDDEN
from veriloop.outcomes import Outcome, Verdict
from veriloop.rows import CurationRow, FlagRow, Score, read_rows, write_rows
from veriloop.stages.provide import read_record
from veriloop.tasks import Flag, Task, read_tasks


@dataclass(frozen=True)
class Kind:
    """A kind of flag: whether it is a fault of the task, and what it means."""

    fault: bool
    meaning: str


KINDS = {
    "does_not_parse": Kind(fault=True, meaning="the given program does not parse or resolve"),
    "ground_truth_fails": Kind(fault=True, meaning="the ground truth does not verify within the limits"),
    "ground_truth_refused": Kind(fault=True, meaning="the gate refuses the ground truth"),
    "banned_text": Kind(fault=True, meaning="the given program holds text that the published scorer bans"),
    "duplicate": Kind(fault=True, meaning="the same program as an earlier task, comments and blanks aside"),
    "no_ensures": Kind(fault=True, meaning="no ensures clause: there is no contract to prove"),
    "name_clash": Kind(fault=True, meaning="declares `abs`, which the published scorer appends to each candidate"),
    "hint_free": Kind(fault=False, meaning="the given program verifies as it is"),
}
"""Every flag. The published scorer's two faults are utils.py:154 and utils.py:8,112 of the release 0cd28feed9cd."""

FAULT_FLAGS = tuple(name for name, kind in KINDS.items() if kind.fault)
BY_NONE = ("does_not_parse", "hint_free")
BY_GROUND_TRUTH = ("ground_truth_fails", "ground_truth_refused")

_ENSURES = re.compile(r"\bensures\b")
_OWN_ABS = re.compile(r"\b(?:function|method|predicate|lemma|const)\b(?:\s*\{:[^}]*\})*\s+abs\b")


def text_flags(tasks: Sequence[Task]) -> list[tuple[Flag, ...]]:
    """What the programs' text tells, for each task; nothing for tasks without programs."""
    seen: dict[str, str] = {}
    return [tuple(_in_text(task, seen)) if task.given else () for task in tasks]


def _in_text(task: Task, seen: dict[str, str]) -> Iterator[Flag]:
    code = without_comments(task.given)
    first = seen.setdefault("".join(code.split()), task.id)
    if first != task.id:
        yield Flag(name="duplicate", detail=f"of {first}", found_by="text")
    if not _ENSURES.search(code):
        yield Flag(name="no_ensures", detail="", found_by="text")
    if _OWN_ABS.search(code):
        yield Flag(name="name_clash", detail="abs", found_by="text")
    banned = [text for text in FORBIDDEN.values() if text in task.given]
    if banned:
        yield Flag(name="banned_text", detail=", ".join(banned), found_by="text")


def flag(
    config: Path, scores: Sequence[Path], tasks: Sequence[Path], toolchain: Path | None, *, flags: Path, curation: Path
) -> None:
    """Gather the flags of all benchmarks and count them.

    Args:
        config: the resolved experiment.
        scores: one file per cell.
        tasks: one file per benchmark, in the experiment's order.
        toolchain: the toolchain's record; None where nothing ran live.
        flags: where the flags go, one row for each task and flag.
        curation: where the counts go.
    """
    experiment = Experiment.read(config)
    name = read_record(toolchain).toolchain.name if toolchain else ""
    cells = [read_rows(path, Score) for path in scores]
    rows: list[FlagRow] = []
    counts: list[CurationRow] = []
    for benchmark, path in zip(experiment.benchmarks, tasks, strict=True):
        known = read_tasks(path)
        live = _live_flags(experiment, [c for c in cells if c[0].benchmark == benchmark], name)
        found = {
            task.id: [*task.flags, *_new(task, in_text), *live.get(task.id, [])]
            for task, in_text in zip(known, text_flags(known), strict=True)
        }
        rows += [_row(benchmark, task, one) for task, several in found.items() for one in several]
        counts += _counts(benchmark, known, rows, _told(experiment, cells, benchmark, name))
    write_rows(flags, FlagRow, rows)
    write_rows(curation, CurationRow, counts)


def _new(task: Task, found: Sequence[Flag]) -> Iterator[Flag]:
    """Those that the benchmark does not know already."""
    known = {one.name for one in task.flags}
    yield from (one for one in found if one.name not in known)


def _row(benchmark: str, task: str, found: Flag) -> FlagRow:
    fault = KINDS[found.name].fault
    return FlagRow(
        benchmark=benchmark, task=task, flag=found.name, fault=fault, detail=found.detail, found_by=found.found_by
    )


def _live_flags(experiment: Experiment, cells: Sequence[list[Score]], toolchain: str) -> dict[str, list[Flag]]:
    """What the runs of given programs and of ground truths found, under the first arm that has them."""
    found: dict[str, list[Flag]] = {}
    told: set[str] = set()
    for cell in cells:
        proposer = _proposer(experiment, cell)
        if cell[0].source != "live" or proposer in told:
            continue
        told.add(proposer)
        seed = cell[0].seed
        for score in (s for s in cell if s.seed == seed):
            name = _live_flag(proposer, score)
            if name:
                one = Flag(name=name, detail=_detail(score), found_by=toolchain)
                found.setdefault(score.task, []).append(one)
    return found


def _proposer(experiment: Experiment, cell: Sequence[Score]) -> str:
    model = experiment.models.get(cell[0].model)
    return model.proposer if model else ""


def _live_flag(proposer: str, score: Score) -> str | None:
    """The flag that a score of a run without a model means; faults of the tool mean none."""
    if proposer == "none":
        if score.verdict is Verdict.ACCEPTED:
            return "hint_free"
        return "does_not_parse" if score.last_outcome == Outcome.MALFORMED else None
    if proposer == "ground_truth" and score.verdict not in {Verdict.ACCEPTED, Verdict.NOT_SCORED}:
        return "ground_truth_refused" if score.last_outcome == "gate" else "ground_truth_fails"
    return None


def _detail(score: Score) -> str:
    return "" if score.verdict is Verdict.ACCEPTED else f"{score.last_outcome}: {score.detail}".rstrip(": ")


def _told(experiment: Experiment, cells: Sequence[list[Score]], benchmark: str, toolchain: str) -> dict[str, str]:
    """The flags that the live runs of a benchmark could tell, with the toolchain that told them."""
    proposers = {_proposer(experiment, c) for c in cells if c[0].benchmark == benchmark and c[0].source == "live"}
    names = (*(BY_NONE if "none" in proposers else ()), *(BY_GROUND_TRUTH if "ground_truth" in proposers else ()))
    return dict.fromkeys(names, toolchain)


def _counts(
    benchmark: str, tasks: Sequence[Task], rows: Sequence[FlagRow], told: dict[str, str]
) -> Iterator[CurationRow]:
    """One row for each flag that there is, those of which nothing is known too."""
    mine = [row for row in rows if row.benchmark == benchmark]
    for name, kind in KINDS.items():
        having = [row for row in mine if row.flag == name]
        by = dict.fromkeys(row.found_by for row in having)
        if name in told:
            by.setdefault(told[name])
        elif any(task.given for task in tasks) and name not in (*BY_NONE, *BY_GROUND_TRUTH):
            by.setdefault("text")
        yield CurationRow(
            benchmark=benchmark,
            flag=name,
            fault=kind.fault,
            count=len({row.task for row in having}) if by else None,
            of=len(tasks),
            found_by=", ".join(by) or "not looked for",
            meaning=kind.meaning,
        )


def faulty(rows: Sequence[FlagRow], names: Sequence[str]) -> dict[str, set[str]]:
    """The tasks of each benchmark that have one of the named flags."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.flag in names:
            found.setdefault(row.benchmark, set()).add(row.task)
    return found
