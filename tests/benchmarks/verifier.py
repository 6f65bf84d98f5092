"""How fast programs are checked, as ratios to the peers' way, all in one run: `make bench`.

    (a) one       one cold process for each check, in sequence: what the published systems do
    (b) all       cold, on all cores
    (c) warm      one language server that stays up
    (d) confirmed warm, and the cold command line for all that it accepts
    (e) cached    what was checked before
    floor         CPU time of the solver itself in (a)

Programs: ground truths and given ones of DafnyBench where VERILOOP_DATA_MIRROR has them, else of mini. The table goes
to results/tables/bench/verifier.csv, the chart to results/figures/bench/. Times are of this machine; ratios are of
times that were taken in the same minutes.
"""

from __future__ import annotations

import argparse
import csv
import os
import statistics
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
        confirmed = ConfirmedVerifier(warm, cold)
        times["confirmed"] = each(confirmed, chosen, outcomes)
        cached = CachedVerifier(cold, Store(folder, 10**9), conditions_of(cold))
        each(cached, chosen, outcomes)
        times["cached"] = each(cached, chosen, outcomes)
    return times, sums


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


def write(table: list[dict[str, object]], root: Path) -> None:
    """The table and its chart."""
    folder = root / "results" / "tables" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "verifier.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    shown = [row for row in table if row["way"] != "floor"]
    axis.barh([str(row["way"]) for row in shown], [float(str(row["times_faster_by_sum"])) for row in shown])
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
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args()
    name, chosen = programs(asked.programs)
    outcomes: dict[str, set[str]] = {}
    rounds = []
    for _ in range(asked.rounds):
        with tempfile.TemporaryDirectory(prefix="veriloop-") as folder:
            rounds.append(one_round(chosen, Path(folder), outcomes))
    table = rows(rounds, os.cpu_count() or 1)
    write(table, Path.cwd())
    print(f"{len(chosen)} programs of {name}, {asked.rounds} rounds, {os.cpu_count()} cores")
    for row in table:
        print("  ".join(f"{key}={value}" for key, value in row.items() if value != ""))
    for program, found in outcomes.items():
        if len(found) > 1:
            print(f"outcomes differ: {program}: {', '.join(sorted(found))}")


if __name__ == "__main__":
    main()
