"""The trusted path: one cold process of a pinned command line on exactly the bytes that are recorded."""

from __future__ import annotations

from veriloop.config.toolchain import Limits
from veriloop.dafny.diagnostics import Counters, Report, read_json_report, read_text_report
from veriloop.dafny.process import Finished
from veriloop.dafny.session import run_on_program, verify_arguments, why_refused
from veriloop.dafny.toolchain import Toolchain
from veriloop.outcomes import Outcome, VerifierResult
from veriloop.tasks import text_sha256

KEPT_OUTPUT = 20_000
"""Characters of raw output kept in a record; the diagnostics are complete beside it."""


class ColdVerifier:
    """Runs a toolchain's command line once per program, in a working folder of its own."""

    def __init__(self, toolchain: Toolchain, limits: Limits) -> None:
        self.toolchain = toolchain
        self.limits = limits

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        """Check a program.

        Args:
            program: the text; its UTF-8 bytes are what is checked.
            minimum_verified: fewer verified items than this are not a success, whatever the exit code says.

        Returns:
            A result with one of the closed set of outcomes; faults of tool and machine are outcomes too.
        """
        sha256 = text_sha256(program)
        refused = why_refused(program, self.limits)
        if refused is not None:
            return VerifierResult(outcome=Outcome.MALFORMED, diagnostics=(refused,), program_sha256=sha256)
        try:
            finished, _ = run_on_program(self.toolchain, self.limits, self.arguments(), program)
        except OSError as error:
            return VerifierResult(
                outcome=Outcome.INFRA_FAULT,
                explanation=f"could not run the verifier: {error}",
                program_sha256=sha256,
            )
        return judge(finished, self.toolchain.command_line, minimum_verified, sha256)

    def arguments(self) -> list[str]:
        """The pinned command line; the resource limit decides, no time limit is given to the solver."""
        solver, resource = self.toolchain.solver_path, str(self.limits.resource)
        if self.toolchain.command_line == "legacy":
            return ["/compile:0", "/vcsCores:1", f"/rlimit:{resource}", f"/z3exe:{solver}"]
        return verify_arguments(self.toolchain, self.limits)


def judge(finished: Finished, command_line: str, minimum_verified: int, sha256: str) -> VerifierResult:
    """The outcome of a finished run, from limits, exit code, all counters and the minimum of verified items."""
    report = read_json_report(finished.stdout) if command_line == "verify" else read_text_report(finished.stdout)
    outcome, explanation = _outcome(finished, report, minimum_verified)
    counters = report.summaries[0] if len(report.summaries) == 1 else Counters(0, 0)
    return VerifierResult(
        outcome=outcome,
        exit_code=finished.exit_code,
        verified=counters.verified,
        errors=counters.errors,
        time_outs=counters.time_outs,
        out_of_resource=counters.out_of_resource,
        inconclusive=counters.inconclusive,
        limit_hit=finished.limit_hit or ("resource" if outcome is Outcome.OUT_OF_RESOURCE else None),
        diagnostics=report.diagnostics,
        explanation=explanation,
        output=(finished.stdout + finished.stderr)[:KEPT_OUTPUT],
        program_sha256=sha256,
        wall_seconds=round(finished.seconds, 3),
    )


def _outcome(finished: Finished, report: Report, minimum_verified: int) -> tuple[Outcome, str]:
    limits = {
        "wall": (Outcome.TIMEOUT, "the wall clock guard ended the run"),
        "memory": (Outcome.OUT_OF_RESOURCE, "the memory guard ended the run"),
        "output": (Outcome.INCONCLUSIVE, "the verifier printed more than the output bound"),
    }
    if finished.limit_hit:
        return limits[finished.limit_hit]
    if report.failed:
        return Outcome.TOOL_FAULT, next(d.message for d in report.diagnostics if d.severity == "error")
    if report.malformed:
        return Outcome.MALFORMED, ""
    if not report.summaries:
        return _without_summary(finished)
    if len(report.summaries) > 1:
        return Outcome.INCONCLUSIVE, "more than one summary line; a message of the program imitates it"
    counters = report.summaries[0]
    against = _from_counters(counters, finished.exit_code) or _from_messages(report)
    if against is not None:
        return against
    if counters.verified < minimum_verified:
        return Outcome.INCONCLUSIVE, f"{counters.verified} verified items, at least {minimum_verified} expected"
    return Outcome.VERIFIED, ""


def _without_summary(finished: Finished) -> tuple[Outcome, str]:
    # Dafny 2.3.0 dies of an unhandled exception when its solver exhausts the resource limit between two queries.
    if "max. resource limit exceeded" in finished.stdout + finished.stderr:
        return Outcome.OUT_OF_RESOURCE, "the solver exhausted its resource limit and the verifier gave up"
    return Outcome.TOOL_FAULT, f"no summary line; exit code {finished.exit_code}"


def _from_counters(counters: Counters, exit_code: int | None) -> tuple[Outcome, str] | None:
    """What the counters and the exit code have against the program; None for nothing."""
    if counters.errors:
        return Outcome.REFUTED, ""
    if counters.time_outs:
        return Outcome.TIMEOUT, ""
    if counters.out_of_resource:
        return Outcome.OUT_OF_RESOURCE, ""
    if counters.inconclusive:
        return Outcome.INCONCLUSIVE, ""
    if counters.others or exit_code != 0:
        return Outcome.TOOL_FAULT, f"summary without errors, but exit code {exit_code}"
    return None


def _from_messages(report: Report) -> tuple[Outcome, str] | None:
    """What the messages have against it: Dafny 2.3.0 can run out of resource, count 0 errors and exit with 0."""
    found = {d.category for d in report.diagnostics if d.severity == "error"}
    if "out_of_resource" in found:
        return Outcome.OUT_OF_RESOURCE, ""
    if "timeout" in found:
        return Outcome.TIMEOUT, ""
    if found:
        return Outcome.INCONCLUSIVE, "the summary counts no error, but an error was reported"
    return None
