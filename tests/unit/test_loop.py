"""The loop over one task: early stop, budget, feedback, verdicts, faults, resumption; with scripted parts."""

import pytest
from builders import result, task
from veriloop.attempts import Attempt, Check, Proposal, Request, Review, Violation
from veriloop.loop.engine import Parts, verdict_of, work_at
from veriloop.loop.memories.last_attempt import make as make_memory
from veriloop.outcomes import Assertion, Diagnostic, Outcome, Verdict, VerifierResult
from veriloop.tasks import Task


class Script:
    """A proposer that reads its answers from a list and ends when they run out."""

    name = "script"
    synthetic = False
    first_attempt = 1

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    def propose(self, request: Request) -> Proposal | None:
        self.requests.append(request)
        if request.attempt > len(self.answers):
            return None
        text = self.answers[request.attempt - 1]
        return Proposal(text=text, reason="" if text is not None else "no answer")


class Rules:
    """Gate, verifier and reviewer in one: the words in a candidate say what each finds."""

    def __init__(self) -> None:
        self.verified: list[str] = []
        self.faults: dict[str, int] = {}

    def check(self, given: str, candidate: str) -> list[Violation]:
        if "forbidden" in candidate:
            return [Violation(kind="k", sentence="remove the forbidden word", cheating="cheat" in candidate)]
        return []

    def verify(self, program: str, minimum_verified: int = 1):
        self.verified.append(program)
        if self.faults.get(program, 0) > 0:
            self.faults[program] -= 1
            return result(Outcome.TOOL_FAULT)
        place = Diagnostic(severity="error", category="assertion", message="it fails", file="p", line=7, column=1)
        if "good" in program:
            return result(Outcome.VERIFIED, verified=minimum_verified)
        return result(Outcome.REFUTED, diagnostics=(place,))

    def review(self, of: Task, candidate: str) -> Review:
        return Review(refused="vacuous" in candidate, reason="the predicate was made true")


class Contradicted:
    """A verifier whose two paths contradict each other."""

    def __init__(self) -> None:
        self.asked = 0

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        self.asked += 1
        return result(Outcome.TOOL_FAULT, contradicted=Outcome.REFUTED)


class Blame:
    """Explains a refutation with the words of the program that follow `because`."""

    def explain(self, program: str, result: VerifierResult) -> VerifierResult:
        _, _, why = program.partition("because ")
        if result.outcome is not Outcome.REFUTED or not why:
            return result
        (said,) = result.diagnostics
        unproved = Assertion(line=9, column=2, description="index in range", state="invalid", resource=5)
        proved = unproved.model_copy(update={"state": "valid", "description": "all is well"})
        blamed = said.model_copy(update={"counterexample": f"initial state:\nassume {why};"})
        return result.model_copy(update={"diagnostics": (blamed,), "assertions": (proved, unproved)})


class After:
    """Acceptance: the words in a candidate, such as `assumptions:failed`, say what each check finds."""

    def __init__(self) -> None:
        self.asked = 0

    def minimum(self, given: str) -> int:
        return 3

    def check(self, given: str, candidate: str, *, code_frozen: bool) -> tuple[Check, ...]:
        self.asked += 1
        found = [word.split(":") for word in candidate.split() if ":" in word]
        return tuple(Check(name=name, state=state, explanation=f"why {state}") for name, state in found)


class Log:
    """A journal in memory."""

    def __init__(self) -> None:
        self.rows: list[Attempt] = []

    def find(self, of: Task, number: int, prompt_sha256: str) -> Attempt | None:
        same = (r for r in self.rows if (r.task, r.number, r.prompt_sha256) == (of.id, number, prompt_sha256))
        return next(same, None)

    def append(self, attempt: Attempt) -> None:
        self.rows.append(attempt)


def parts(proposer: Script, rules: Rules, **changes: object) -> Parts:
    fields = {"proposer": proposer, "gate": rules, "verifier": rules, "acceptance": After(), "reviewer": None}
    fields |= {"make_memory": make_memory, "explainer": Blame()}
    return Parts(**(fields | {"prompt": "$given$memory", "max_attempts": 10, "fault_retries": 2} | changes))


def verdicts(attempts: list[Attempt]) -> list[str]:
    return [str(attempt.verdict) for attempt in attempts]


def test_it_stops_at_the_first_accepted_attempt() -> None:
    made = work_at(task(), parts(Script("bad", "good", "good"), Rules()), Log())
    assert verdicts(made) == ["rejected", "accepted"]
    assert [attempt.number for attempt in made] == [1, 2]


def test_it_stops_when_the_attempts_are_used_up() -> None:
    assert len(work_at(task(), parts(Script(*["bad"] * 9), Rules(), max_attempts=3), Log())) == 3


def test_a_contradiction_is_written_down_at_once_and_not_asked_again() -> None:
    verifier = Contradicted()
    (made,) = work_at(task(), parts(Script("good"), Rules(), verifier=verifier, max_attempts=1), Log())
    assert (made.verdict, verifier.asked) == (Verdict.NOT_SCORED, 1)
    assert made.result is not None
    assert made.result.contradicted is Outcome.REFUTED


def test_the_next_prompt_and_the_journal_have_what_was_found_out_about_a_refutation() -> None:
    proposer, log = Script("bad because x == 1", "good because y == 2"), Log()
    first, second = work_at(task(), parts(proposer, Rules()), log)
    prompt = proposer.requests[1].prompt
    assert "a counterexample may be:\n    initial state:\n    assume x == 1;" in prompt
    assert "(9,2): invalid on its own: index in range" in prompt
    assert "all is well" not in prompt
    assert first.result is not None
    assert [one.state for one in first.result.assertions] == ["valid", "invalid"]
    assert second.result is not None
    assert second.result.assertions == ()
    assert log.rows == [first, second]


def test_the_next_prompt_tells_what_was_wrong() -> None:
    proposer = Script("bad one", "forbidden two", "good")
    work_at(task(), parts(proposer, Rules()), Log())
    first, second, third = (request.prompt for request in proposer.requests)
    assert first == task().given
    assert "bad one" in second
    assert "(7,1): error: it fails" in second
    assert "forbidden two" in third
    assert "remove the forbidden word" in third
    assert "bad one" not in third


def test_what_the_gate_refuses_is_not_verified() -> None:
    rules = Rules()
    made = work_at(task(), parts(Script("forbidden", "forbidden cheat"), rules), Log())
    assert verdicts(made) == ["rejected", "cheating"]
    assert rules.verified == []


def test_a_fault_is_tried_again_a_bounded_number_of_times() -> None:
    rules = Rules()
    rules.faults = {"good": 2}
    assert verdicts(work_at(task(), parts(Script("good"), rules), Log())) == ["accepted"]
    rules.faults = {"good": 9}
    rules.verified.clear()
    assert verdicts(work_at(task(), parts(Script("good"), rules), Log())) == ["not_scored"]
    assert len(rules.verified) == 3


def test_a_missing_answer_is_not_scored() -> None:
    made = work_at(task(), parts(Script(None), Rules()), Log())
    assert verdicts(made) == ["not_scored"]
    assert made[0].reason == "no answer"


def test_acceptance_decides_after_the_verifier() -> None:
    proposer, rules = Script("good assumptions:failed", "good translation:failed", "good vacuity:failed"), Rules()
    made = work_at(task(), parts(proposer, rules), Log())
    assert verdicts(made) == ["cheating", "rejected", "vacuous"]
    assert "assumptions: why failed" in proposer.requests[1].prompt
    passed = Script("good assumptions:passed translation:not_applicable")
    (last,) = work_at(task(), parts(passed, rules), Log())
    assert (last.verdict, last.result.verified) == (Verdict.ACCEPTED, 3)
    assert [check.state for check in last.checks] == ["passed", "not_applicable"]


def test_acceptance_is_not_asked_about_what_does_not_verify_and_again_after_a_fault() -> None:
    after = After()
    wrong = parts(Script("bad assumptions:failed", "forbidden"), Rules(), acceptance=after)
    assert verdicts(work_at(task(), wrong, Log())) == ["rejected"] * 2
    assert after.asked == 0
    faulty = parts(Script("good assumptions:fault"), Rules(), acceptance=after)
    assert verdicts(work_at(task(), faulty, Log())) == ["not_scored"]
    assert after.asked == 3


def test_a_reviewer_is_not_asked_about_what_acceptance_refuses() -> None:
    rules = Rules()
    (made,) = work_at(task(), parts(Script("good translation:failed"), rules, reviewer=rules), Log())
    assert made.review is None


def test_a_reviewer_can_refuse_what_verifies() -> None:
    rules = Rules()
    made = work_at(task(), parts(Script("good vacuous", "good"), rules, reviewer=rules), Log())
    assert verdicts(made) == ["cheating", "accepted"]


@pytest.mark.parametrize("killed_after", range(4))
def test_attempts_in_the_journal_are_not_made_again(killed_after: int) -> None:
    """Resuming after any number of finished attempts gives the same rows and asks only for the missing ones."""
    answers = ("bad 1", "bad 2", "bad 3", "good")
    whole, log = Log(), Log()
    expected = work_at(task(), parts(Script(*answers), Rules()), whole)
    log.rows = whole.rows[:killed_after]
    proposer = Script(*answers)
    assert work_at(task(), parts(proposer, Rules()), log) == expected
    assert [request.attempt for request in proposer.requests] == list(range(killed_after + 1, 5))
    assert log.rows == whole.rows


def test_a_smaller_budget_is_a_shorter_stretch_of_the_same_attempts() -> None:
    log = Log()
    work_at(task(), parts(Script("bad", "bad", "good"), Rules()), log)
    proposer = Script()
    assert verdicts(work_at(task(), parts(proposer, Rules(), max_attempts=2), log)) == ["rejected", "rejected"]
    assert proposer.requests == []


def test_an_answer_that_utf8_cannot_hold_is_still_a_row() -> None:
    made = work_at(task(), parts(Script("good \ud800"), Rules()), Log())
    assert made[0].candidate == "good ?"
    assert Attempt.model_validate_json(made[0].model_dump_json()) == made[0]


VIOLATION, CHEAT = Violation(kind="k", sentence="s"), Violation(kind="k", sentence="s", cheating=True)


@pytest.mark.parametrize(
    ("violations", "outcome", "refused", "expected"),
    [
        ([], Outcome.VERIFIED, None, Verdict.ACCEPTED),
        ([], Outcome.VERIFIED, False, Verdict.ACCEPTED),
        ([], Outcome.VERIFIED, True, Verdict.CHEATING),
        ([], Outcome.REFUTED, None, Verdict.REJECTED),
        ([], Outcome.MALFORMED, None, Verdict.REJECTED),
        ([], Outcome.TIMEOUT, None, Verdict.REJECTED),
        ([], Outcome.OUT_OF_RESOURCE, None, Verdict.REJECTED),
        ([], Outcome.INCONCLUSIVE, None, Verdict.REJECTED),
        ([], Outcome.TOOL_FAULT, None, Verdict.NOT_SCORED),
        ([], Outcome.INFRA_FAULT, None, Verdict.NOT_SCORED),
        ([], None, None, Verdict.NOT_SCORED),
        ([VIOLATION], None, None, Verdict.REJECTED),
        ([VIOLATION, CHEAT], None, None, Verdict.CHEATING),
    ],
)
def test_the_verdict_follows_the_table(violations, outcome, refused, expected) -> None:
    review = None if refused is None else Review(refused=refused, reason="")
    assert verdict_of(violations, None if outcome is None else result(outcome), (), review) is expected
