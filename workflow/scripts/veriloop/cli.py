"""The `veriloop` command: what is useful outside of a workflow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from veriloop.errors import UserError
from veriloop.stages import caches, toolchains
from veriloop.stages.cost import cost_text
from veriloop.stages.judge import judge
from veriloop.stages.plan import make_plan
from veriloop.stages.show import show
from veriloop.stages.suite import export_suite, suite_table
from veriloop.stages.trace import trace


def main(words: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        words: the arguments; None takes those of the process.

    Returns:
        0, or 1 where something is wrong (a sentence says what), or 2 for wrong use. `check`: 0 for an accepted answer,
        1 for another, 2 for wrong use or input that cannot be read, 3 for a fault of the verifier or the machine.
    """
    asked = _parser().parse_args(words)
    try:
        text, code = _answer(asked)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2 if asked.command == "check" else 1
    print(text)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="veriloop", description="Verified code generation, reproducibly.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="one verdict for one answer")
    check.add_argument("--given", type=Path, required=True, help="the program as it was given")
    check.add_argument("--candidate", type=Path, required=True, help="the answer")
    check.add_argument("--gate", default="strict", help="strict, contract, dafnybench or axdafny")
    check.add_argument("--allow", help="what gate strict lets an answer add: hints or ghost")
    check.add_argument("--toolchain", default="dafny-4.11.0", help="see: veriloop toolchain list")
    check.add_argument("--json", action="store_true", help="everything that was found, by docs/check.schema.json")
    check.add_argument("--vacuity", action="store_true", help="also refuse what is proved from a contradiction")
    check.add_argument("--no-verify", action="store_true", help="ask the gate only")
    suite = commands.add_parser("suite", help="every gate against the adversarial suite")
    suite.add_argument("--export", type=Path, metavar="FOLDER", help="write the suite's programs there instead")
    showing = commands.add_parser("show", help="what happened in the attempts of a journal")
    showing.add_argument(
        "journal", type=Path, help="for example results/run/demo/mini/budget_3/none/seed_0/shard_0.jsonl"
    )
    showing.add_argument("--task", help="one task, with questions, changes, findings, and what was remembered")
    cost = commands.add_parser("estimate-cost", help="what an experiment's language models cost at most")
    cost.add_argument("experiment", help="a file of config/experiment/, without its ending")
    cost.add_argument("overrides", nargs="*", help="Hydra overrides, such as seeds=[0,1]")
    explain = commands.add_parser("explain", help="the journal rows behind a row of a table")
    explain.add_argument("table", type=Path, help="for example results/tables/demo/rates.csv")
    explain.add_argument("row", type=int, help="its number, from 1")
    toolchain = commands.add_parser("toolchain", help="the pinned verifiers on this machine")
    actions = toolchain.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="which toolchains there are, and which are on this machine")
    install = actions.add_parser("install", help="get a toolchain: mirror, release archive or Debian's package")
    install.add_argument("name")
    doctor = actions.add_parser("doctor", help="try every toolchain on a true and a false program")
    doctor.add_argument("name", nargs="?", help="only this one")
    _add_cache(commands.add_parser("cache", help="what the verifier said before, remembered on this machine"))
    return parser


def _add_cache(cache: argparse.ArgumentParser) -> None:
    actions = cache.add_subparsers(dest="action", required=True)
    actions.add_parser("stats", help="where it is, how large it is and may be, and its entries by outcome")
    prune = actions.add_parser("prune", help="give room back to the disk")
    prune.add_argument("--all", action="store_true", help="remove every entry, not only those beyond the bound")
    verify = actions.add_parser("verify", help="check a sample again with the command line; 1 if anything differs")
    verify.add_argument("--sample", type=int, default=20, metavar="N", help="how many entries (20)")
    verify.add_argument("--seed", type=int, default=0, help="another seed draws other entries (0)")
    verify.add_argument("--toolchain", default="dafny-4.11.0", help="see: veriloop toolchain list")


def _answer(asked: argparse.Namespace) -> tuple[str, int]:
    """What the command prints, and what it exits with."""
    if asked.command == "check":
        return _check(asked)
    if asked.command == "suite":
        return (export_suite(asked.export) if asked.export else suite_table()), 0
    if asked.command == "estimate-cost":
        plan = make_plan({"experiment": asked.experiment, "overrides": asked.overrides})
        return cost_text(plan) or f"{plan.name}: asks no language model behind an endpoint", 0
    if asked.command == "show":
        return show(asked.journal, asked.task), 0
    if asked.command == "explain":
        return trace(asked.table, asked.row), 0
    if asked.command == "cache":
        return _cache(asked)
    if asked.action == "list":
        return toolchains.listing(), 0
    if asked.action == "install":
        return toolchains.install(asked.name), 0
    report, well = toolchains.doctor(asked.name)
    return report, 0 if well else 1


def _cache(asked: argparse.Namespace) -> tuple[str, int]:
    if asked.action == "stats":
        return caches.stats(), 0
    if asked.action == "prune":
        return caches.prune(everything=asked.all), 0
    report, well = caches.verify(asked.toolchain, sample=asked.sample, seed=asked.seed)
    return report, 0 if well else 1


def _check(asked: argparse.Namespace) -> tuple[str, int]:
    found = judge(
        asked.given,
        asked.candidate,
        gate=asked.gate,
        allow=asked.allow,
        toolchain=asked.toolchain,
        verify=not asked.no_verify,
        vacuity=asked.vacuity,
    )
    return (found.model_dump_json(indent=2) if asked.json else found.text()), found.exit_code()
