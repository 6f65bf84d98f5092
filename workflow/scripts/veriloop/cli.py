"""The `veriloop` command: what is useful outside of a workflow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from veriloop.errors import UserError
from veriloop.stages import toolchains
from veriloop.stages.trace import trace


def main(words: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        words: the arguments; None takes those of the process.

    Returns:
        0, or 1 where something is wrong (a sentence says what), or 2 for wrong use.
    """
    asked = _parser().parse_args(words)
    try:
        text, well = _answer(asked)
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    print(text)
    return 0 if well else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="veriloop", description="Verified code generation, reproducibly.")
    commands = parser.add_subparsers(dest="command", required=True)
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
    return parser


def _answer(asked: argparse.Namespace) -> tuple[str, bool]:
    """What the command prints, and whether all is well."""
    if asked.command == "explain":
        return trace(asked.table, asked.row), True
    if asked.action == "list":
        return toolchains.listing(), True
    if asked.action == "install":
        return toolchains.install(asked.name), True
    return toolchains.doctor(asked.name)
