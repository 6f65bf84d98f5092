"""How fast programs are checked, as ratios to the peers' way, all in one run: `make bench`.

    (a) one       one cold process for each check, in sequence: what the published systems do
    (b) all       cold, on all cores
    (c) warm      one language server that stays up
    (d) confirmed warm, and the cold command line for all that it accepts
    (e) cached    what was checked before
    floor         CPU time of the solver itself in (a)

Then checks per second and memory by the number of warm workers. Programs: ground truths and given ones of DafnyBench
where VERILOOP_DATA_MIRROR has them, else of mini. Tables go to results/tables/bench/, the chart to
results/figures/bench/. Times are of this machine; ratios are of times that were taken in the same minutes.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
import numpy as np
import psutil
from veriloop.benchmarks import dafnybench, mini
from veriloop.config.compose import read_toolchain
from veriloop.dafny.cache import CachedVerifier, Store, conditions_of
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.confirmed import ConfirmedVerifier
from veriloop.dafny.provide import provide_toolchain
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.errors import UserError
from veriloop.protocols import Verifier

TOOLCHAIN = "dafny-4.11.0"
LOOK_SECONDS = 0.05
Times = dict[str, float]


def programs(count: int) -> tuple[str, dict[str, str]]:
    """So many programs by name, half of them ground truths; a fixed draw."""
    try:
        name, tasks = "DafnyBench", dafnybench.Loader(dafnybench.Options(content="programs")).tasks()
    except UserError:
        name, tasks = "mini", mini.Loader(mini.Options()).tasks()
    order = np.random.default_rng(7).permutation(len(tasks))[: (count + 1) // 2]
    found: dict[str, str] = {}
    for task in (tasks[number] for number in order):
        found |= {f"{task.id} (given)": task.given, f"{task.id} (ground truth)": task.ground_truth or ""}
    return name, dict(list(found.items())[:count])


@contextmanager
def solver_seconds() -> Iterator[list[float]]:
    """The CPU seconds that solvers of this process used in between, as the one element of a list."""
    seen: dict[int, float] = {}
    done = threading.Event()

    def look() -> None:
        me = psutil.Process()
        while not done.wait(LOOK_SECONDS):
            for child in me.children(recursive=True):
                try:
                    if child.name().startswith("z3"):
                        times = child.cpu_times()
                        seen[child.pid] = times.user + times.system
                except psutil.Error:
                    continue

    total = [0.0]
    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield total
    finally:
        done.set()
        thread.join()
        total[0] = sum(seen.values())


def each(verifier: Verifier, chosen: dict[str, str], outcomes: dict[str, set[str]]) -> Times:
    """The wall clock of each program, in sequence."""
    found: Times = {}
    for name, program in chosen.items():
        start = time.perf_counter()
        outcomes.setdefault(name, set()).add(str(verifier.verify(program).outcome))
        found[name] = time.perf_counter() - start
    return found


def all_cores(verifier: Verifier, chosen: dict[str, str]) -> float:
    """The wall clock of all programs, as many at once as there are cores."""
    start = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(verifier.verify, chosen.values()))
    return time.perf_counter() - start


def one_round(chosen: dict[str, str], folder: Path, outcomes: dict[str, set[str]]) -> tuple[dict[str, Times], Times]:
    """Times by way and program, and sums of what has no time of a program."""
    config = read_toolchain(TOOLCHAIN, "bench")
    toolchain, limits = provide_toolchain(config), config.limits
    cold = ColdVerifier(toolchain, limits)
    times: dict[str, Times] = {}
    with solver_seconds() as floor:
        times["one"] = each(cold, chosen, outcomes)
    sums = {"floor": floor[0], "all": all_cores(cold, chosen)}
    with WarmVerifier(toolchain, limits) as warm:
        warm.verify("method M() {}")
        times["warm"] = each(warm, chosen, outcomes)
        # With an empty cache, which is full afterwards: writing an entry takes about a millisecond.
        cached = CachedVerifier(ConfirmedVerifier(warm, cold), Store(folder, 10**9), conditions_of(cold))
        times["confirmed"] = each(cached, chosen, outcomes)
        times["cached"] = each(cached, chosen, outcomes)
    return times, sums


def by_workers(chosen: dict[str, str], most: int) -> list[dict[str, object]]:
    """Checks per second and the memory of each worker, for 1, 2, 4 and so many warm workers; the first is the base."""
    config = read_toolchain(TOOLCHAIN, "bench")
    toolchain, limits = provide_toolchain(config), config.limits
    numbers = sorted({2**power for power in range(most.bit_length()) if 2**power <= most} | {most})
    found: list[dict[str, object]] = []
    for workers in numbers:
        with WarmVerifier(toolchain, limits, workers=workers) as warm, ThreadPoolExecutor(workers) as pool:
            list(pool.map(warm.verify, [f"method M{number}() {{}}" for number in range(4 * workers)]))
            start = time.perf_counter()
            list(pool.map(warm.verify, chosen.values()))
            seconds = time.perf_counter() - start
            memory = sum(server.resident_mb() for server in warm._live) / workers
        rate = len(chosen) / seconds
        first = float(str(found[0]["checks_per_second"])) if found else rate
        row: dict[str, object] = {"workers": workers, "programs": len(chosen), "seconds": round(seconds, 2)}
        row |= {"checks_per_second": round(rate, 3), "times_one_worker": round(rate / first, 2)}
        found.append(row | {"mb_per_worker": round(memory)})
    return found


def rows(rounds: list[tuple[dict[str, Times], Times]], cores: int) -> list[dict[str, object]]:
    """A row for each way: sums in seconds, ratios to (a) as the median of programs and of the sums, with ranges."""
    found = []
    for way in ("one", "all", "warm", "confirmed", "cached", "floor"):
        totals = [sum(times[way].values()) if way in times else sums[way] for times, sums in rounds]
        bases = [sum(times["one"].values()) for times, _ in rounds]
        by_sum = [base / total for base, total in zip(bases, totals, strict=True)]
        medians = [
            statistics.median(times["one"][name] / times[way][name] for name in times["one"])
            for times, _ in rounds
            if way in times
        ]
        found.append(
            {
                "way": way,
                "programs": len(rounds[0][0]["one"]),
                "rounds": len(rounds),
                "cores": cores if way == "all" else 1,
                "seconds": round(statistics.median(totals), 2),
                "times_faster_by_sum": round(statistics.median(by_sum), 2),
                "by_sum_low": round(min(by_sum), 2),
                "by_sum_high": round(max(by_sum), 2),
                "times_faster_by_program": round(statistics.median(medians), 2) if medians else "",
                "by_program_low": round(min(medians), 2) if medians else "",
                "by_program_high": round(max(medians), 2) if medians else "",
            }
        )
    return found


def per_program(rounds: list[tuple[dict[str, Times], Times]], outcomes: dict[str, set[str]]) -> list[dict[str, object]]:
    """The median seconds of each program on each way: what the ratios are made of."""
    return [
        {"program": name, "outcome": " and ".join(sorted(outcomes[name]))}
        | {way: round(statistics.median(times[way][name] for times, _ in rounds), 4) for way in rounds[0][0]}
        for name in rounds[0][0]["one"]
    ]


def write_csv(table: list[dict[str, object]], path: Path) -> None:
    """A table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def summary(table: list[dict[str, object]], workers: list[dict[str, object]], head: str) -> str:
    """Both tables in words that a page can hold, and how far the warm path is from the floor."""
    seconds = {str(row["way"]): float(str(row["seconds"])) for row in table}
    count = int(str(table[0]["programs"]))
    bound = 1.3 * seconds["floor"] + 0.3 * count
    lines = [f"# How fast programs are checked\n\n{head}\n"]
    for rows_of in (table, workers):
        lines.append("| " + " | ".join(rows_of[0]) + " |\n|" + " --- |" * len(rows_of[0]))
        lines += ["| " + " | ".join(str(value) for value in row.values()) + " |" for row in rows_of]
        lines.append("")
    above = seconds["warm"] - seconds["floor"]
    lines.append(
        f"Warm takes {seconds['warm']:.1f} s where the solver alone used {seconds['floor']:.1f} s of CPU: "
        f"{above / count:.2f} s more for each program. 1.3 floors plus 0.3 s for each program are {bound:.1f} s."
    )
    return "\n".join(lines) + "\n"


def draw(table: list[dict[str, object]], root: Path) -> None:
    """The chart of ratios."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    shown = [row for row in table if row["way"] != "floor"]
    bars = axis.barh([str(row["way"]) for row in shown], [float(str(row["times_faster_by_sum"])) for row in shown])
    axis.bar_label(bars, fmt="{:,.3g}", padding=3)
    axis.set_xlim(left=0.5, right=4 * max(float(str(row["times_faster_by_sum"])) for row in shown))
    axis.set_xscale("log")
    axis.set_xlabel("times faster than one cold process for each check (sum over programs)")
    axis.invert_yaxis()
    figures = root / "results" / "figures" / "bench"
    figures.mkdir(parents=True, exist_ok=True)
    figure.savefig(figures / "verifier.png", dpi=150)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2 * (os.cpu_count() or 1), help="the most warm workers")
    asked = parser.parse_args()
    name, chosen = programs(asked.programs)
    outcomes: dict[str, set[str]] = {}
    rounds = []
    for _ in range(asked.rounds):
        with tempfile.TemporaryDirectory(prefix="veriloop-") as folder:
            rounds.append(one_round(chosen, Path(folder), outcomes))
    table, workers = rows(rounds, os.cpu_count() or 1), by_workers(chosen, asked.workers)
    folder = Path("results/tables/bench")
    write_csv(table, folder / "verifier.csv")
    write_csv(workers, folder / "workers.csv")
    write_csv(per_program(rounds, outcomes), folder / "programs.csv")
    draw(table, Path.cwd())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    head = (
        f"Printed by `make bench` at commit {commit.strip()}: {len(chosen)} programs of {name}, {asked.rounds} rounds, "
        f"{os.cpu_count()} cores, {TOOLCHAIN}. Ratios are to way `one`, one cold process for each check in sequence, "
        "in the same round; seconds are the median round's."
    )
    text = summary(table, workers, head)
    (folder / "README.md").write_text(text, encoding="utf-8")
    print(text)
    for program, found in outcomes.items():
        if len(found) > 1:
            print(f"outcomes differ: {program}: {', '.join(sorted(found))}")


if __name__ == "__main__":
    main()
