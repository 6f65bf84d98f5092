"""Whether warm workers say of each DafnyBench program what the pinned command line says: `make compare-paths`.

Every given program and every ground truth is checked on both paths. A row is written as soon as both have answered, so
that a run that was ended goes on where it was. The tables are docs/results/warm_beside_cold/programs.csv and README.md.
A difference is on the safe side if the warm path refuses what the cold path accepts: that can cost an answer, and never
credits one. The other way round the run's verifier makes a fault of it, since what warm accepts is confirmed cold.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from veriloop.benchmarks.dafnybench import Loader, Options
from veriloop.config.compose import read_toolchain
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.provide import provide_toolchain
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.outcomes import VerifierResult
from veriloop.tasks import text_sha256

TOOLCHAIN = "dafny-4.11.0"
FOLDER = Path("docs/results/warm_beside_cold")
COLUMNS = ("task", "part", "sha256", "cold", "warm", "cold_verified", "warm_verified", "same_messages", "explanation")
Row = dict[str, str]


def programs(count: int) -> Iterator[tuple[str, str, str]]:
    """Task, part and text; all in the benchmark's order, or of so many a fixed draw, half of them ground truths."""
    tasks = Loader(Options(content="programs")).tasks()
    if count:
        tasks = [tasks[number] for number in sorted(np.random.default_rng(7).permutation(len(tasks))[: count // 2])]
    for task in tasks:
        yield task.id, "given", task.given
        if task.ground_truth is not None:
            yield task.id, "ground truth", task.ground_truth


def compared(task: str, part: str, program: str, cold: ColdVerifier, warm: WarmVerifier) -> Row:
    """What both paths say of a program."""
    slow, fast = cold.verify(program, 0), warm.verify(program, 0)
    row: dict[str, object] = {"task": task, "part": part, "sha256": text_sha256(program)}
    row |= {"cold": slow.outcome, "warm": fast.outcome}
    row |= {"cold_verified": slow.verified, "warm_verified": fast.verified}
    row |= {"same_messages": "yes" if _messages(slow) == _messages(fast) else "no"}
    row |= {"explanation": " | ".join(said for said in (slow.explanation, fast.explanation) if said)}
    return {name: " ".join(str(value).split())[:300] for name, value in row.items()}


def _messages(result: VerifierResult) -> list[tuple[str, int, int]]:
    return sorted((d.message, d.line, d.column) for d in result.diagnostics if d.severity == "error")


def compare(chosen: list[tuple[str, str, str]], table: Path) -> None:
    """Write a row for each program that has none yet."""
    config = read_toolchain(TOOLCHAIN, "compare-paths")
    toolchain, workers = provide_toolchain(config), os.cpu_count() or 1
    known = {(row["task"], row["part"], row["sha256"]) for row in read(table)} if table.exists() else set()
    todo = [(task, part, text) for task, part, text in chosen if (task, part, text_sha256(text)) not in known]
    table.parent.mkdir(parents=True, exist_ok=True)
    with (
        table.open("a", encoding="utf-8", newline="") as file,
        WarmVerifier(toolchain, config.limits, workers=workers) as warm,
        ThreadPoolExecutor(workers) as pool,
    ):
        writer = csv.DictWriter(file, fieldnames=COLUMNS, lineterminator="\n")
        if table.stat().st_size == 0:
            writer.writeheader()
        cold = ColdVerifier(toolchain, config.limits)
        for row in pool.map(lambda one: compared(*one, cold, warm), todo):
            writer.writerow(row)
            file.flush()


def read(table: Path) -> list[Row]:
    """The rows of a table."""
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def summary(rows: list[Row], total: int) -> str:
    """Counts of pairs of outcomes, and each program on which the paths differ."""
    pairs = Counter((row["cold"], row["warm"]) for row in rows)
    differ = [row for row in rows if row["cold"] != row["warm"]]
    unsafe = [row for row in differ if row["warm"] == "verified"]
    alike = [row for row in rows if row["cold"] == row["warm"] == "verified"]
    counts = sum(row["cold_verified"] == row["warm_verified"] for row in alike)
    refuted = [row for row in rows if row["cold"] == row["warm"] == "refuted"]
    messages = sum(row["same_messages"] == "yes" for row in refuted)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    lines = [
        "# Warm workers beside the pinned command line",
        "",
        f"Printed by `make compare-paths` at commit {commit.strip()} with {TOOLCHAIN}, over {len(rows)} of the {total}"
        " programs of DafnyBench (given ones and ground truths). The rows are in programs.csv, with the hash of each.",
        "",
        f"Equal outcomes: {len(rows) - len(differ)} of {len(rows)}. Warm accepts and cold does not: {len(unsafe)}."
        f" The number of verified items is equal for {counts} of {len(alike)} that both accept, every error with its"
        f" place for {messages} of {len(refuted)} that both refute.",
        "",
        "| cold | warm | programs |",
        "| --- | --- | --- |",
        *(f"| {cold} | {warm} | {number} |" for (cold, warm), number in sorted(pairs.items())),
    ]
    if differ:
        lines += ["", "| program | part | cold | warm | explanation |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {r['task']} | {r['part']} | {r['cold']} | {r['warm']} | {r['explanation']} |" for r in differ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compare, write and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=0, help="how many; all if 0")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    asked = parser.parse_args()
    table = asked.folder / "programs.csv"
    chosen = list(programs(asked.programs))
    compare(chosen, table)
    wanted = {(task, part): number for number, (task, part, _) in enumerate(chosen)}
    rows = sorted(read(table), key=lambda row: wanted.get((row["task"], row["part"]), len(wanted)))
    text = summary(rows, len(chosen))
    (asked.folder / "README.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
