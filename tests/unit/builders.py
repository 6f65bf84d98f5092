"""Small records for tests."""

from veriloop.attempts import Attempt
from veriloop.outcomes import Outcome, Verdict, VerifierResult
from veriloop.rows import Score
from veriloop.tasks import Task


def task(name: str = "t", **changes: object) -> Task:
    fields = {"id": name, "kind": "fill_hints", "given": "method M() {}\n", "ground_truth": None}
    return Task.model_validate(fields | changes)


def result(outcome: Outcome, **changes: object) -> VerifierResult:
    return VerifierResult.model_validate({"outcome": outcome, "program_sha256": "0"} | changes)


def attempt(number: int = 1, verdict: Verdict = Verdict.REJECTED, **changes: object) -> Attempt:
    of = task()
    fields = {"task": of.id, "task_sha256": of.sha256(), "number": number, "source": "live", "proposer": "p"}
    return Attempt.model_validate(fields | {"synthetic": False, "verdict": verdict} | changes)


def score(name: str, verdict: Verdict, seed: int = 0, **changes: object) -> Score:
    accepted = verdict is Verdict.ACCEPTED
    fields = {"benchmark": "b", "arm": "a", "model": "m", "seed": seed, "task": name, "verdict": verdict}
    fields |= {"solved_at": 1 if accepted else None, "attempts": 1, "last_attempt": 1, "last_outcome": "refuted"}
    fields |= {"checks": 1, "disagreements": 0, "verifier_seconds": 1.5, "shard": 0, "first_line": 1, "last_line": 1}
    return Score.model_validate(fields | {"synthetic": False, "source": "live", "detail": ""} | changes)
