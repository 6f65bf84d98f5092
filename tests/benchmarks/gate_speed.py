"""How long the gates take, as multiples of reading the tokens alone: `make bench-gates`.

First each gate on every ground truth of DafnyBench (where VERILOOP_DATA_MIRROR or an earlier download has them, else of
mini). Then gate strict on programs that grow to a megabyte: time per kilobyte must not grow with them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

from veriloop.benchmarks import dafnybench, mini
from veriloop.dafny.lexer import tokens
from veriloop.errors import UserError
from veriloop.gate.strict import StrictGate
from veriloop.stages import parts
from veriloop.stages.suite import GATES
from veriloop.tasks import Task

UNIT = """method M{0}(n: nat) returns (i: nat)
  ensures i == n
{{
  i := 0;
  while i < n
    invariant i <= n
  {{
    assert i < n by {{ assert true; }}
    i := i + 1;
  }}
}}
"""
KILOBYTES = (16, 64, 256, 1024)
REPEATS = 3


def seconds(call: Callable[[], object]) -> float:
    """The shortest of a few runs."""
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def load() -> tuple[str, list[Task]]:
    """DafnyBench's programs if they can be had, else our own."""
    try:
        return "DafnyBench", dafnybench.Loader(dafnybench.Options(content="programs")).tasks()
    except UserError:
        return "mini (DafnyBench is not on this machine)", mini.Loader(mini.Options()).tasks()


def compare_gates() -> None:
    """Print each gate's median and slowest time, and the ratio of the sums to lexing both programs."""
    name, tasks = load()
    pairs = [(task.given, task.ground_truth or "") for task in tasks]
    size = statistics.median(len(truth) for _, truth in pairs)
    print(f"{len(pairs)} ground truths of {name}, median {size:.0f} characters")
    lexing = [seconds(lambda g=g, t=t: (list(tokens(g)), list(tokens(t)))) for g, t in pairs]
    print(f"{'':16} {'median ms':>10} {'slowest ms':>11} {'x tokens alone':>15}")
    report("tokens alone", lexing, lexing)
    for gate_name, config in GATES.items():
        gate = parts.gate(config, gate_name)
        report(gate_name, [seconds(partial(gate.check, *pair)) for pair in pairs], lexing)


def report(name: str, times: list[float], baseline: list[float]) -> None:
    """One line."""
    median, slowest = 1000 * statistics.median(times), 1000 * max(times)
    print(f"{name:16} {median:10.2f} {slowest:11.1f} {sum(times) / sum(baseline):15.1f}")


def compare_sizes() -> None:
    """Print the time per kilobyte of growing programs, as a ratio to the smallest one."""
    gate = StrictGate("ghost")
    first = 0.0
    print(f"\n{'strict, ghost':16} {'seconds':>10} {'ms per KB':>11} {'x the smallest':>15}")
    for kilobytes in KILOBYTES:
        count = kilobytes * 1024 // len(UNIT.format(0)) + 1
        program = "".join(UNIT.format(number) for number in range(count))
        given = program.replace("    invariant i <= n\n", "").replace("    assert i < n by { assert true; }\n", "")
        taken = seconds(lambda g=given, p=program: gate.check(g, p))
        per = 1000 * taken / kilobytes
        first = first or per
        print(f"{kilobytes:13} KB {taken:10.2f} {per:11.2f} {per / first:15.2f}")


if __name__ == "__main__":
    compare_gates()
    compare_sizes()
