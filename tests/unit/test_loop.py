"""The loop over one task: early stop, budget, feedback, verdicts, faults, resumption; with scripted parts."""

from contextlib import nullcontext

import pytest
from builders import result, task
from veriloop.attempts import Attempt, Check, Proposal, Request, Review, Violation
from veriloop.exchanges import Exchange, Question
from veriloop.loop.engine import Parts, verdict_of, work_at
from veriloop.loop.feedback import MOST_CHARACTERS, describe, describer
from veriloop.loop.memories import attempt_and_scratchpad, last_attempt, none, scratchpad
from veriloop.outcomes import Assertion, Diagnostic, Outcome, Verdict, VerifierResult
from veriloop.protocols import MemoryContext
from veriloop.tasks import Task

WITHOUT_PROGRAM = ("infra_fault", "empty", "without_code", "truncated", "refused", "too_long")


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
        if text is None or text in WITHOUT_PROGRAM:
            return Proposal(text=None, missing=text or "no_answer", reason="nothing to be read")
        return Proposal(text=text)


class Rules:
    """Gate, verifier and reviewer in one: the words in a candidate say what each finds."""

    def __init__(self) -> None:
        self.verified: list[str] = []
        self.reviewed: list[str] = []
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

    def review(self, of: Task, number: int, candidate: str) -> Review:
        self.reviewed.append(candidate)
        said = next((word for word in ("unreadable", "fault") if f"review:{word}" in candidate), None)
        state = said or ("refused" if "vacuous" in candidate else "passed")
        return Review(state=state, reason="the predicate was made true")


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
        found = [word.split(":") for word in candidate.split() if ":" in word and "review:" not in word]
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
    fields |= {"make_memory": remembering(), "explainer": Blame(), "prompts": {"propose": "$given$memory"}}
    fields |= {"max_attempts": 10, "fault_retries": 2, "independent": False, "turns": nullcontext()}
    return Parts(**(fields | changes))


def remembering(make=last_attempt.make, feedback: str = "structured", chat: object = None, **settings: bool):
    """What makes a memory with this feedback."""
    tell = describer(feedback, tell_repeats=settings.get("tell_repeats", True))
    prompts = {"remember": "$notes|$candidate|$findings"}
    return lambda of: make(MemoryContext(task=of, chat=chat, prompts=prompts, describe=tell))


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
    assert "  a counterexample may be:\n    initial state:\n    assume x == 1;" in prompt
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
    assert made[0].reason == "nothing to be read"


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
    review = None if refused is None else Review(state="refused" if refused else "passed")
    assert verdict_of(violations, None if outcome is None else result(outcome), (), review) is expected


def test_an_answer_that_cannot_be_read_is_the_models_failure_and_told_to_it() -> None:
    kinds = [kind for kind in WITHOUT_PROGRAM if kind != "infra_fault"]
    proposer = Script(*kinds, "good")
    made = work_at(task(), parts(proposer, Rules()), Log())
    assert verdicts(made) == ["rejected"] * len(kinds) + ["accepted"]
    assert [one.missing for one in made] == [*kinds, ""]
    assert all("nothing to be read" in request.prompt for request in proposer.requests[1:])


def test_where_no_language_model_answers_the_task_is_not_scored_and_left_for_the_next_run() -> None:
    proposer = Script("bad", "infra_fault", "good")
    assert verdicts(work_at(task(), parts(proposer, Rules()), Log())) == ["rejected", "not_scored"]
    assert len(proposer.requests) == 2


def test_a_review_that_fails_is_not_scored_and_an_unreadable_one_refuses_nothing() -> None:
    rules = Rules()
    made = work_at(task(), parts(Script("good review:fault", "good"), rules, reviewer=rules), Log())
    assert verdicts(made) == ["not_scored"]
    (made,) = work_at(task(), parts(Script("good review:unreadable"), rules, reviewer=rules), Log())
    assert (made.verdict, made.review.state) == (Verdict.ACCEPTED, "unreadable")


@pytest.mark.parametrize("answer", ["bad", "forbidden", "good vacuous", "good assumptions:failed"])
def test_a_repeated_answer_is_told_and_counted_and_nobody_is_asked_about_it_again(answer: str) -> None:
    rules, after, proposer = Rules(), After(), Script(answer, "bad other", answer, answer)
    made = work_at(task(), parts(proposer, rules, acceptance=after, reviewer=rules, max_attempts=4), Log())
    assert [one.repeats for one in made] == [None, None, 1, 1]
    assert made[2].verdict == made[0].verdict
    assert made[2].result == made[0].result
    asked = (rules.verified.count(answer), after.asked, rules.reviewed.count(answer))
    assert asked == ("forbidden" not in answer, "assumptions" in answer or "vacuous" in answer, "vacuous" in answer)
    assert "the same program as in attempt 1" in proposer.requests[3].prompt
    assert "the same program" not in proposer.requests[2].prompt


def test_a_repeated_answer_is_only_told_if_that_is_wanted() -> None:
    proposer = Script("bad", "bad", "good")
    work_at(task(), parts(proposer, Rules(), make_memory=remembering(tell_repeats=False)), Log())
    assert "the same program" not in proposer.requests[2].prompt


def test_an_answer_that_met_a_fault_is_checked_again_when_it_comes_again() -> None:
    rules = Rules()
    rules.faults = {"good": 3}
    made = work_at(task(), parts(Script("good", "good"), rules), Log())
    assert verdicts(made) == ["not_scored", "accepted"]
    assert made[1].repeats is None


def test_independent_samples_are_all_made_with_the_same_prompt() -> None:
    proposer = Script("good", "bad", "good", "bad 2")
    wanted = {"independent": True, "max_attempts": 4, "make_memory": remembering(none.make)}
    made = work_at(task(), parts(proposer, Rules(), **wanted), Log())
    assert verdicts(made) == ["accepted", "rejected", "accepted", "rejected"]
    assert {request.prompt for request in proposer.requests} == {task().given}


@pytest.mark.parametrize(
    ("feedback", "says", "never"),
    [
        ("failed", "It was not accepted.", "it fails"),
        ("raw", "p(7,1): Error: it fails", "Assertions that may not hold"),
        ("structured", "Assertions that may not hold:\n(7,1): error: it fails", "p(7,1)"),
    ],
)
def test_feedback_says_as_much_as_is_wanted(feedback: str, says: str, never: str) -> None:
    proposer = Script("bad", "good")
    work_at(task(), parts(proposer, Rules(), make_memory=remembering(feedback=feedback)), Log())
    assert says in proposer.requests[1].prompt
    assert never not in proposer.requests[1].prompt


class Writer:
    """A language model that writes the findings of which it is told into its notes."""

    name = "writer"
    synthetic = True

    def __init__(self, *failures: str) -> None:
        self.failures = list(failures)
        self.questions: list[Question] = []

    def ask(self, question: Question) -> Exchange:
        self.questions.append(question)
        failure = self.failures.pop(0) if self.failures else ""
        told = question.model_dump(include={"purpose", "task", "attempt", "template_sha256"})
        fields = told | {"model": "writer", "request": {}, "response": None, "failure": failure}
        return Exchange.model_validate(
            fields | {"text": f"notes({question.messages[-1].content})", "explanation": "down"}
        )


def test_a_scratchpad_carries_facts_over_several_attempts_and_is_written_only_when_needed() -> None:
    writer, proposer = Writer(), Script("bad one", "forbidden two", "good")
    made = work_at(task(), parts(proposer, Rules(), make_memory=remembering(scratchpad.make, chat=writer)), Log())
    assert [(q.purpose, q.attempt) for q in writer.questions] == [("remember", 2), ("remember", 3)]
    third = proposer.requests[2].prompt
    assert "it fails" in third
    assert "remove the forbidden word" in third
    assert "Your previous answer" not in third
    assert [len(one.exchanges) for one in made] == [0, 1, 1]
    assert made[1].memory in proposer.requests[1].prompt


def test_axdafnys_memory_has_the_notes_and_the_previous_attempt() -> None:
    proposer = Script("bad one", "bad two", "good")
    wanted = remembering(attempt_and_scratchpad.make, chat=Writer())
    work_at(task(), parts(proposer, Rules(), make_memory=wanted), Log())
    third = proposer.requests[2].prompt
    assert "Your notes from all earlier attempts:\nnotes(notes(" in third
    assert "Your previous answer:\nbad two" in third


def test_notes_that_cannot_be_written_leave_the_task_for_the_next_run() -> None:
    log = Log()
    loop = parts(
        Script("bad one", "good"), Rules(), make_memory=remembering(scratchpad.make, chat=Writer("infra_fault"))
    )
    made = work_at(task(), loop, log)
    assert verdicts(made) == ["rejected", "not_scored"]
    assert made[1].reason == "no notes: down"
    loop = parts(Script("bad one", "good"), Rules(), make_memory=remembering(scratchpad.make, chat=Writer()))
    log.rows = [row for row in log.rows if row.verdict is not Verdict.NOT_SCORED]
    assert verdicts(work_at(task(), loop, log)) == ["rejected", "accepted"]


def test_long_counterexamples_do_not_crowd_out_messages_and_findings_have_a_bound() -> None:
    places = [
        Diagnostic(
            severity="error",
            category="assertion",
            message=f"no {n}",
            file="p",
            line=n,
            column=1,
            counterexample="x" * 9999,
        )
        for n in range(1, 20)
    ]
    fields = {"task": "t", "task_sha256": "0" * 64, "number": 1, "source": "live", "proposer": "m", "synthetic": False}
    row = Attempt(
        **fields, candidate="p", result=result(Outcome.REFUTED, diagnostics=tuple(places)), verdict=Verdict.REJECTED
    )
    for feedback in ("raw", "structured"):
        told = describe(row, feedback=feedback)
        assert all(f"no {n}" in told for n in range(1, 20))
        assert len(told) <= MOST_CHARACTERS
        huge = row.model_copy(update={"violations": (Violation(kind="k", sentence="v" * 99_999),)})
        assert describe(huge, feedback=feedback).endswith("(cut off)")
