"""The `veriloop` command: what is useful outside of a workflow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from veriloop.errors import UserError
from veriloop.stages import toolchains


def main(words: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        words: the arguments; None takes those of the process.

    Returns:
        0, or 1 where something is wrong (a sentence says what), or 2 for wrong use.
    """
    parser = argparse.ArgumentParser(prog="veriloop", description="Verified code generation, reproducibly.")
    commands = parser.add_subparsers(dest="command", required=True)
    toolchain = commands.add_parser("toolchain", help="the pinned verifiers on this machine")
    actions = toolchain.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="which toolchains there are, and which are on this machine")
    install = actions.add_parser("install", help="get a toolchain: mirror, release archive or Debian's package")
    install.add_argument("name")
    doctor = actions.add_parser("doctor", help="try every toolchain on a true and a false program")
    doctor.add_argument("name", nargs="?", help="only this one")
    asked = parser.parse_args(words)
    try:
        if asked.action == "list":
            print(toolchains.listing())
        elif asked.action == "install":
            print(toolchains.install(asked.name))
        else:
            text, healthy = toolchains.doctor(asked.name)
            print(text)
            return 0 if healthy else 1
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
