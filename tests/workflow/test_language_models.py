"""The chat client against a server on this machine: what is asked, tried again, written down, and paid for."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from standin import KEY, Reply, StandIn, options
from veriloop.errors import UserError
from veriloop.exchanges import Exchange, Message, Question
from veriloop.llm import client, turns
from veriloop.loop.proposing import read_proposal
from veriloop.models import chat
from veriloop.protocols import ProposerContext

PROGRAM = "method M() ensures true { }\n"
FENCED = f"Here it is:\n```dafny\n{PROGRAM}```\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty results folder, the key in the environment, and short waits between tries."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STANDIN_KEY", KEY)
    monkeypatch.setattr(client, "FIRST_WAIT_SECONDS", 0.01)


def question(text: str = "prove it", attempt: int = 1, task: str = "t") -> Question:
    messages = (Message(role="system", content="be honest"), Message(role="user", content=text))
    return Question(purpose="propose", task=task, attempt=attempt, messages=messages, template_sha256="0" * 64)


def context(**changes: object) -> ProposerContext:
    rng = partial(lambda *key: np.random.default_rng(0))
    return ProposerContext(**({"rng": rng, "experiment": "e", "model": "m", "job": "j"} | changes))


def ask(server: StandIn, *questions: Question, changes: dict | None = None, **settings: object) -> list[Exchange]:
    wanted = chat.Options.model_validate(options(server.url, **(changes or {})))
    with chat.open_chat(wanted, context(**settings)) as model:
        return [model.ask(one) for one in questions]


def test_the_request_is_what_the_model_file_and_the_loop_say_and_both_bodies_are_kept() -> None:
    with StandIn(lambda request: Reply(FENCED)) as server:
        changes = {"extra": {"provider": {"only": ["x"]}}, "max_tokens_field": "max_completion_tokens"}
        (got,) = ask(server, question(), changes=changes, sampling={"temperature": 0.3, "max_tokens": 4096})
    (sent,) = server.requests
    messages = [{"role": "system", "content": "be honest"}, {"role": "user", "content": "prove it"}]
    fields = {"model": "stand-in", "messages": messages, "temperature": 0.3, "max_completion_tokens": 4096}
    assert sent == fields | {"provider": {"only": ["x"]}}
    assert got.request == sent
    assert got.response is not None
    assert got.response["choices"][0]["message"]["content"] == FENCED
    assert (got.text, got.finish, got.tries, got.failure) == (FENCED, "stop", 1, "")
    assert got.dollars == pytest.approx((got.prompt_tokens * 1.0 + got.completion_tokens * 10.0) / 1e6)
    assert read_proposal(got).text == PROGRAM


def test_a_setting_that_the_endpoint_refuses_is_not_sent_and_a_seed_only_where_wanted() -> None:
    with StandIn(lambda request: Reply(FENCED)) as server:
        ask(server, question(), changes={"not_sent": ["temperature"]}, sampling={"temperature": 0.3})
        one, other, again = (
            ask(server, question(attempt=n), changes={"send_seed": True}, seed=seed, job=f"j{n}{seed}")[0].request[
                "seed"
            ]
            for n, seed in ((1, 0), (2, 0), (1, 5))
        )
    assert "temperature" not in server.requests[0]
    assert len({one, other, again}) == 3


def test_a_question_that_was_answered_is_never_asked_again_but_another_sample_is() -> None:
    with StandIn(lambda request: Reply(FENCED)) as server:
        first, same, sample = ask(server, question(), question(), question(attempt=2))
        (later,) = ask(server, question(), job="another")
        ask(server, question(), seed=1)
    assert first == same == later
    assert sample.text == first.text
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "trouble",
    [
        Reply("slow down", status=429, headers={"Retry-After": "0"}),
        Reply("out of order", status=500),
        Reply("busy", status=503, headers={"Retry-After": "0"}),
        Reply(FENCED, cut=True),
        Reply(body=b"<html>gateway</html>"),
        Reply(body=b'{"choices": []}'),
        Reply(body=b'{"choices": [{"message": 7}]}'),
        Reply(body=b'{"error": {"message": "upstream", "code": 502}}'),
        Reply(body=b'{"choices": [{"message": {"content": 7}}]}'),
        Reply(body=b""),
        Reply(body=b"[]"),
    ],
    ids=lambda reply: (reply.body or str(reply.status).encode()).decode()[:20] + ("cut" if reply.cut else ""),
)
def test_trouble_that_passes_changes_no_answer(trouble: Reply) -> None:
    replies = [trouble, trouble, Reply(FENCED)]
    with StandIn(lambda request: replies.pop(0)) as server:
        (got,) = ask(server, question())
    assert (got.text, got.tries, got.failure) == (FENCED, 3, "")


def test_trouble_that_stays_is_an_infra_fault_that_a_later_run_asks_again() -> None:
    with StandIn(lambda request: Reply("out of order", status=500)) as server:
        (got,) = ask(server, question())
        assert (got.failure, got.tries, len(server.requests)) == ("infra_fault", 4, 4)
        assert "HTTP 500: out of order" in got.explanation
        assert read_proposal(got).missing == "infra_fault"
        server.answer = lambda request: Reply(FENCED)
        assert ask(server, question())[0].text == FENCED


def test_a_server_that_never_answers_is_given_up_after_bounded_tries() -> None:
    with StandIn(lambda request: Reply(FENCED, delay=3)) as server:
        start = time.monotonic()
        (got,) = ask(server, question(), changes={"patience": {"timeout_seconds": 0.2, "tries": 2}})
        assert time.monotonic() - start < 3
    assert got.failure == "infra_fault"
    assert "no answer within 0.2 s" in got.explanation


def test_it_waits_as_long_as_the_server_asks() -> None:
    replies = [Reply("slow down", status=429, headers={"Retry-After": "1"}), Reply(FENCED)]
    with StandIn(lambda request: replies.pop(0)) as server:
        start = time.monotonic()
        ask(server, question())
    assert time.monotonic() - start >= 1


@pytest.mark.parametrize(
    ("reply", "missing"),
    [
        (Reply(""), "empty"),
        (Reply(None), "empty"),
        (Reply("I would rather talk about the weather."), "without_code"),
        (Reply(f"```dafny\n{PROGRAM}", finish="length"), "truncated"),
        (Reply("", message={"refusal": "I cannot help with this"}), "refused"),
        (Reply("", finish="content_filter"), "refused"),
        (Reply("maximum context length is 10 tokens", status=400), "too_long"),
        (Reply("exceeds", status=400, message={"code": "context_length_exceeded"}), "too_long"),
        (Reply("This model's maximum prompt length is 8 but", status=400), "too_long"),
        (Reply("too large", status=413), "too_long"),
        (Reply("blocked by the content filter", status=400), "refused"),
    ],
)
def test_an_answer_without_a_program_is_a_recorded_kind_and_the_models_own(reply: Reply, missing: str) -> None:
    with StandIn(lambda request: reply) as server:
        (got,) = ask(server, question())
        assert len(server.requests) == 1
    assert read_proposal(got).missing == missing


@pytest.mark.parametrize(
    ("reply", "changes", "words"),
    [
        (Reply(), {"key_variable": "NOT_SET"}, ["NOT_SET", "not set", "export"]),
        (Reply(), {"model": "nobody"}, ["nobody", "404", "options.model"]),
        (Reply("no such page", status=404), {}, ["404", "options.base_url"]),
        (Reply("no money", status=429, message={"code": "insufficient_quota"}), {}, ["429", "no money"]),
        (Reply("pay first", status=402), {}, ["402", "pay first"]),
        (Reply("temperature is not supported", status=400), {}, ["temperature", "options.not_sent"]),
    ],
)
def test_what_no_question_can_get_over_ends_the_job_with_a_sentence(reply: Reply, changes: dict, words: list) -> None:
    with StandIn(lambda request: reply) as server, pytest.raises(UserError) as error:
        ask(server, question(), changes=changes)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_an_odd_refusal_after_answers_costs_one_task_and_not_the_run() -> None:
    replies = [Reply(FENCED), Reply("invalid unicode in prompt", status=400), Reply(FENCED)]
    with StandIn(lambda request: replies.pop(0)) as server:
        got = ask(server, question("a"), question("b"), question("c"))
    assert [one.failure for one in got] == ["", "infra_fault", ""]


def test_a_key_shows_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not even where the endpoint repeats it."""
    caplog.set_level("DEBUG")
    replies = [Reply(f"your key {KEY} is fine"), *[Reply(f"internal: {KEY}", status=500)] * 4]
    with StandIn(lambda request: replies.pop(0)) as server:
        got = ask(server, question("a"), question("b"))
        monkeypatch.setenv("STANDIN_KEY", f"{KEY}-wrong")
        with pytest.raises(UserError, match="refuses the key") as error:
            ask(server, question("c"))
    assert "[key]" in got[0].text
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 1
    everything = [str(error.value), caplog.text, *(one.model_dump_json() for one in got)]
    assert all(KEY not in text for text in everything)
    assert all(KEY.encode() not in content for content in files)


def test_no_more_questions_at_once_than_the_endpoint_allows_even_from_several_jobs() -> None:
    limits = {"requests_per_minute": None, "tokens_per_minute": None, "concurrency": 3}

    def job(number: int) -> None:
        with ThreadPoolExecutor(4) as pool:
            wanted = chat.Options.model_validate(options(server.url, limits=limits))
            with chat.open_chat(wanted, context(job=f"job{number}")) as model:
                list(pool.map(lambda n: model.ask(question(task=f"{number}-{n}")), range(4)))

    with StandIn(lambda request: Reply(FENCED, delay=0.1)) as server:
        jobs = [threading.Thread(target=job, args=(number,)) for number in range(3)]
        for one in jobs:
            one.start()
        for one in jobs:
            one.join()
    assert len(server.requests) == 12
    assert server.most_at_once == 3


def test_the_rate_is_kept_by_all_jobs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"requests_per_minute": 600, "tokens_per_minute": None, "concurrency": 8}
    with StandIn(lambda request: Reply(FENCED)) as server:
        start = time.monotonic()
        for number in range(6):
            ask(server, question(task=str(number)), changes={"limits": limits}, job=f"j{number}")
        assert time.monotonic() - start >= 0.5


def test_a_moment_of_a_clock_that_was_set_back_is_not_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "pace"
    folder.mkdir()
    (folder / "pace.json").write_text(json.dumps({"requests": time.time() + 1e6}))
    limits = chat.Options.model_validate(options("http://127.0.0.1:9/v1")).limits
    limits = limits.model_copy(update={"requests_per_minute": 60.0})
    start = time.monotonic()
    with turns.Turns(folder, limits).turn(1):
        assert time.monotonic() - start < 5


@pytest.mark.parametrize(("budget", "answered"), [({"dollars": 0.024}, 2), ({"tokens": 3500}, 3), ({"tokens": 10}, 0)])
def test_a_budget_ends_the_job_before_it_is_exceeded_and_a_larger_one_goes_on(budget: dict, answered: int) -> None:
    reply = Reply(FENCED, usage={"prompt_tokens": 200, "completion_tokens": 700})
    questions = [question(task=str(number)) for number in range(6)]
    with StandIn(lambda request: reply) as server:
        with pytest.raises(UserError, match=r"budget\.(dollars|tokens).*raise the budget.*not asked again"):
            ask(server, *questions, budget=budget)
        assert len(server.requests) == answered
        assert len(ask(server, *questions, budget={"dollars": 100.0, "tokens": None})) == 6
    assert len(server.requests) == 6


def test_a_question_that_was_refused_costs_nothing_and_one_without_an_answer_its_most() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 900}
    replies = [Reply("later", status=429, headers={"Retry-After": "0"}), Reply(FENCED, cut=True)]
    replies.append(Reply(FENCED, usage=usage))
    with StandIn(lambda request: replies.pop(0)) as server, pytest.raises(UserError, match=r"(\d+) are spent") as error:
        ask(server, question(), question(task="next"), budget={"tokens": 2300.0})
    assert len(server.requests) == 3
    spent = float(str(error.value).split("are spent")[0].split()[-1])
    assert 2000 < spent < 2300
