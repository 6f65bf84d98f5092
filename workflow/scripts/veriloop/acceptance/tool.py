"""Running a toolchain for a check, and what a check can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veriloop.config.toolchain import Limits
from veriloop.dafny.diagnostics import read_text_report
from veriloop.dafny.process import Finished
from veriloop.dafny.session import run_on_program, verify_arguments
from veriloop.dafny.toolchain import Toolchain


class ToolFaultError(Exception):
    """The tool, or the machine, gave no answer; this says nothing about the program."""


class ToolCrashError(ToolFaultError):
    """The tool itself failed on a program, with no message about it; it will do so again."""


@dataclass(frozen=True)
class Said:
    """What a check says of a candidate; the explanation is empty for `passed`."""

    state: Literal["passed", "failed", "not_applicable"]
    explanation: str = ""


@dataclass(frozen=True)
class Refused:
    """The tool does not take the program; `reason` is its first message."""

    reason: str


@dataclass(frozen=True)
class Tool:
    """A toolchain with the new command line, and the limits of its runs."""

    toolchain: Toolchain
    limits: Limits

    def files(self, arguments: list[str], program: str, keep: str) -> dict[str, str] | Refused:
        """Run a subcommand for the files that it writes.

        Args:
            arguments: subcommand and options.
            program: what it runs on.
            keep: a pattern of the files.

        Returns:
            The files' texts by path, or why the tool does not take the program.

        Raises:
            ToolFaultError: a guard ended the run.
            ToolCrashError: it failed without a message about the program.
        """
        finished, files = self._run(arguments, program, keep)
        if finished.exit_code == 0:
            return files
        errors = [d for d in read_text_report(finished.stdout).diagnostics if d.severity == "error"]
        if not errors:
            said = (finished.stderr or finished.stdout).strip()[:200]
            raise ToolCrashError(f"dafny {arguments[0]} ended with exit code {finished.exit_code}: {said}")
        return Refused(f"line {errors[0].line}: {errors[0].message}")

    def verify(self, program: str, *options: str) -> Finished:
        """Run the verifier as it is pinned, with some more options.

        Raises:
            ToolFaultError: a guard ended the run.
        """
        return self._run([*verify_arguments(self.toolchain, self.limits), *options], program, "")[0]

    def _run(self, arguments: list[str], program: str, keep: str) -> tuple[Finished, dict[str, str]]:
        try:
            finished, files = run_on_program(self.toolchain, self.limits, arguments, program, keep)
        except OSError as error:
            raise ToolFaultError(f"could not run dafny {arguments[0]}: {error}") from None
        if finished.limit_hit:
            raise ToolFaultError(f"the {finished.limit_hit} guard ended dafny {arguments[0]}")
        return finished, files
