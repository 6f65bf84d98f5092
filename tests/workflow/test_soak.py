"""A long row of checks on one pool: right answers, memory within its bound, no descriptor and no process left."""

import logging

import psutil
import pytest
from veriloop.benchmarks.mini import Loader, Options
from veriloop.config.compose import read_toolchain
from veriloop.dafny.provide import find_toolchain
from veriloop.dafny.warm.pool import WarmVerifier
from veriloop.outcomes import Outcome

CHECKS = 5000


@pytest.mark.long
def test_five_thousand_checks_in_a_row_leak_nothing() -> None:
    config = read_toolchain("dafny-4.11.0", "test")
    toolchain = find_toolchain(config)
    if toolchain is None:
        pytest.skip("dafny-4.11.0 is not on this machine")
    truths = [task.ground_truth or "" for task in Loader(Options()).tasks()]
    mine, most, bound = psutil.Process(), 0.0, config.limits.memory_mb / 2
    with WarmVerifier(toolchain, config.limits) as verifier:
        descriptors: set[int] = set()
        for number in range(CHECKS):
            # Every text is new; one of 50 is a program of some size.
            if number % 50 == 0:
                expected, program = Outcome.VERIFIED, f"// {number}\n{truths[number // 50 % len(truths)]}"
            elif number % 2:
                expected, program = Outcome.REFUTED, f"method M(x: int) {{ assert x != {number}; }}\n"
            else:
                expected, program = Outcome.VERIFIED, f"method M(x: int) {{ assert x + {number} > x - 1; }}\n"
            assert verifier.verify(program).outcome is expected, (number, program)
            if number % 100 == 99:
                descriptors.add(mine.num_fds())
                most = max(most, *(server.resident_mb() for server in verifier._live), 0.0)
    logging.getLogger(__name__).info("at most %.0f MB, descriptors %s", most, sorted(descriptors))
    assert most <= bound, "a server above this is replaced after its check"
    assert max(descriptors) - min(descriptors) <= 8, "a server that was replaced between two looks, no more"
    assert mine.children(recursive=True) == []
