"""Why a program was refuted, on request: counterexamples, and what became of each single assertion.

Each takes one more cold run with options that could change an outcome, so that nothing found here decides anything.
Only a toolchain with the command line `verify` can tell.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Literal

from veriloop.config.toolchain import ExplainName, Limits
from veriloop.dafny.diagnostics import read_json_report
from veriloop.dafny.session import run_on_program, verify_arguments
from veriloop.dafny.toolchain import Toolchain
from veriloop.outcomes import Assertion, Diagnostic, Outcome, VerifierResult

EXPLAINED = frozenset({Outcome.REFUTED, Outcome.TIMEOUT, Outcome.OUT_OF_RESOURCE, Outcome.INCONCLUSIVE})
"""Outcomes of programs that can be read and have something that was not proved."""

COUNTEREXAMPLE = "\nRelated counterexample:\n"
CAVEAT = "WARNING: the following counterexample may be inconsistent or invalid."
LOG_FILE = "assertions.json"

_States = Literal["valid", "invalid", "timeout", "out_of_resource", "undetermined"]
_STATES: dict[str, _States] = {
    "Valid": "valid",
    "Invalid": "invalid",
    "TimeOut": "timeout",
    "OutOfResource": "out_of_resource",
}


class DafnyExplainer:
    """Adds to a result what was asked for; where a run fails nothing is added."""

    def __init__(self, toolchain: Toolchain, limits: Limits, wanted: Collection[ExplainName]) -> None:
        """Take what to add: `counterexamples`, `assertions`, or both."""
        self._toolchain = toolchain
        self._limits = limits
        self._wanted = frozenset(wanted) if toolchain.command_line == "verify" else frozenset()

    def explain(self, program: str, result: VerifierResult) -> VerifierResult:
        """The result with counterexamples in its diagnostics and the state of each assertion, as far as asked for.

        Args:
            program: the text that was checked.
            result: what the verifier said of it; what verified, could not be read, or reached a bound that it would
                reach again, is returned as it is.
        """
        if result.outcome not in EXPLAINED or result.limit_hit not in {None, "resource"}:
            return result
        changes: dict[str, object] = {}
        if "counterexamples" in self._wanted:
            said, _ = self._run(program, ["--extract-counterexample"], "")
            changes["diagnostics"] = with_counterexamples(result.diagnostics, said)
        if "assertions" in self._wanted:
            log = f"json;LogFileName={LOG_FILE}"
            _, written = self._run(program, ["--isolate-assertions", "--log-format", log], LOG_FILE)
            changes["assertions"] = read_assertions(written)
        return result.model_copy(update=changes)

    def _run(self, program: str, options: list[str], keep: str) -> tuple[str, str]:
        """What a run printed, and the text of the kept file; both empty where the program could not be run."""
        arguments = [*verify_arguments(self._toolchain, self._limits), *options]
        try:
            finished, kept = run_on_program(self._toolchain, self._limits, arguments, program, keep)
        except OSError:
            return "", ""
        return finished.stdout, kept.get(keep, "")


def with_counterexamples(diagnostics: tuple[Diagnostic, ...], said: str) -> tuple[Diagnostic, ...]:
    """The diagnostics with the counterexamples of a run with `--extract-counterexample --json-output`.

    A state is a line with a place and a line in Dafny's words, such as `assume 0 == n;`. Dafny warns that it may be
    inconsistent or invalid; the solver gave up on a query with quantifiers, and this is what it had then.
    """
    found: dict[Diagnostic, str] = {}
    for told in read_json_report(said).diagnostics:
        message, _, states = told.message.partition(COUNTEREXAMPLE)
        lines = [line for line in states.splitlines() if line.strip() and not line.startswith(CAVEAT)]
        found[told.model_copy(update={"message": message})] = "\n".join(lines)
    return tuple(d.model_copy(update={"counterexample": found.get(d, "")}) for d in diagnostics)


def read_assertions(log: str) -> tuple[Assertion, ...]:
    """The assertions of a log of `--log-format json` with `--isolate-assertions`, in the order of their places."""
    try:
        results = json.loads(log)["verificationResults"]
        found = [
            Assertion(
                line=one["line"],
                column=one["col"] - 1,
                description=one["description"],
                state=_STATES.get(batch["outcome"], "undetermined"),
                resource=batch["resourceCount"],
            )
            for result in results
            for batch in result["vcResults"]
            for one in batch["assertions"]
        ]
    except (ValueError, KeyError, TypeError):
        # The run was ended by a guard, or the program crashes the verifier.
        return ()
    return tuple(sorted(found, key=lambda a: (a.line, a.column, a.description, a.state)))
