"""Whole workflows with a language model over HTTP: killed with questions in flight, or stopped before any is asked."""

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest
import standin
from running import REPOSITORY, environment, run_snakemake, snakemake_command
from standin import KEY, Reply, StandIn
from test_dialogues import TASKS, oracle, overrides_for
from veriloop.config.compose import resolve_experiment
from veriloop.errors import UserError
from veriloop.llm.probe import probe
from veriloop.llm.settings import ChatOptions
from veriloop.loop.journal import read_journal
from veriloop.stages.endpoint import endpoint
from veriloop.tasks import write_records

EIGHT = ["linear_search", "duplicate_check", "sequence_sum", "triangular_numbers", "integer_sqrt", "reverse_sequence"]
EIGHT += ["quotient_remainder", "move_between_sets"]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STANDIN_KEY", KEY)


def settings(server: StandIn, *more: str) -> list[str]:
    quick = ["loop.memory=last_attempt", "loop.explain=[]", "loop.reviewer=null", "loop.max_attempts=3"]
    return overrides_for(server, EIGHT, *quick, "statistics.resamples=200", *more)


def kill(process: subprocess.Popen[bytes]) -> None:
    for one in [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]:
        if one.is_running():
            os.kill(one.pid, signal.SIGKILL)
    process.wait()


def on_disk(folder: Path) -> set[str]:
    """The requests whose answers a killed workflow has written down."""
    found: set[str] = set()
    for path in (folder / "results/exchanges").rglob("*.jsonl"):
        for line in path.read_bytes().split(b"\n")[:-1]:
            found.add(json.dumps(json.loads(line)["exchange"]["request"], sort_keys=True))
    return found


def test_no_answered_question_is_asked_again_after_a_kill_with_eight_in_flight(
    tmp_path: Path, any_verifier: object
) -> None:
    def slow(request: dict) -> Reply:
        reply = oracle(request)
        reply.delay = 0.2 + 1.3 * ("What was wrong with it" in request["messages"][-1]["content"])
        return reply

    with StandIn(slow) as server:
        words = settings(server)
        command = snakemake_command(
            "--cores", "1", experiment="axdafny_ablation", overrides=words, snakefile=REPOSITORY / "Snakefile"
        )
        with (tmp_path / "killed.log").open("wb") as log:
            process = subprocess.Popen(command, cwd=tmp_path, env=environment(REPOSITORY), stdout=log, stderr=log)
        deadline = time.monotonic() + 180
        while len(server.requests) < len(EIGHT) + 3 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        kill(process)
        asked_before = [json.dumps(request, sort_keys=True) for request in server.requests]
        answered = on_disk(tmp_path)
        assert len(answered) >= len(EIGHT), (tmp_path / "killed.log").read_text()
        run_snakemake(tmp_path, "--unlock", experiment="axdafny_ablation", overrides=words)
        done = run_snakemake(
            tmp_path, "--cores", "1", "--rerun-incomplete", experiment="axdafny_ablation", overrides=words
        )
        assert done.returncode == 0, done.stdout + done.stderr
        asked_later = [json.dumps(request, sort_keys=True) for request in server.requests[len(asked_before) :]]
    assert not answered & set(asked_later)
    assert server.most_at_once == 8
    (journal,) = (tmp_path / "results/run/axdafny_ablation/mini/main/vllm").rglob("*.jsonl")
    attempts = read_journal(journal)
    assert {one.task for one in attempts if str(one.verdict) == "accepted"} == set(EIGHT)
    assert all(one.exchanges for one in attempts)
    shown = next((tmp_path / "results/report/axdafny_ablation/attempts/mini/main/vllm").glob("linear_search*"))
    assert "Remembered from earlier attempts" in shown.read_text()
    assert KEY not in "".join(p.read_text(errors="replace") for p in tmp_path.rglob("*") if p.is_file())


def asked_about_tasks(server: StandIn) -> list[dict]:
    return [r for r in server.requests if any(t.given in r["messages"][-1]["content"] for t in TASKS.values())]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["models.vllm.options.key_variable=NOBODY_SET_THIS"], ["models.vllm.options.key_variable=NOBODY_SET_THIS"]),
        (["models.vllm.options.base_url=http://127.0.0.1:9/v1"], ["nothing was asked yet", "does a server run there"]),
        (["models.vllm.options.model=nobody"], ["nothing was asked yet", "model nobody does not exist", "stand-in"]),
        (["models.vllm.options.context_tokens=1100"], ["models.vllm.options.context_tokens=1100: task ", "tokens"]),
    ],
    ids=["no key", "wrong endpoint", "unknown model", "small context"],
)
def test_what_cannot_work_is_said_before_any_task_is_asked_about(
    more: list[str], words: list[str], tmp_path: Path
) -> None:
    with StandIn(oracle) as server:
        wanted = settings(server, "loop.sampling.max_tokens=1000", *more)
        (tmp_path / "config.yaml").write_text(resolve_experiment("axdafny_ablation", wanted).dump(), encoding="utf-8")
        write_records(tmp_path / "tasks.jsonl", [TASKS[name] for name in EIGHT])
        with pytest.raises(UserError) as refused:
            endpoint(tmp_path / "config.yaml", [tmp_path / "tasks.jsonl"], "vllm", tmp_path / "endpoint.json")
    assert all(word in str(refused.value) for word in words), str(refused.value)
    assert asked_about_tasks(server) == []
    assert not (tmp_path / "endpoint.json").exists()


@pytest.mark.parametrize("knows_models", [True, False])
def test_an_endpoint_that_can_be_used_is_recorded(knows_models: bool, tmp_path: Path) -> None:
    with StandIn(lambda request: Reply("ready"), knows_models=knows_models) as server:
        (tmp_path / "config.yaml").write_text(
            resolve_experiment("axdafny_ablation", settings(server)).dump(), encoding="utf-8"
        )
        endpoint(tmp_path / "config.yaml", [], "vllm", tmp_path / "endpoint.json")
    assert asked_about_tasks(server) == []
    found = json.loads((tmp_path / "endpoint.json").read_text())
    assert found["found"] == ("the endpoint lists the model" if knows_models else "the model answered")


def test_a_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ChatOptions.model_validate(standin.options("http://127.0.0.1:9/v1"))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mute = options.model_copy(update={"base_url": f"http://127.0.0.1:{silent.getsockname()[1]}/v1"})
        with pytest.raises(UserError, match=r"nothing was asked yet.*no answer within"):
            probe(mute, KEY, "models.m.options", timeout_seconds=0.3)


def test_a_workflow_says_what_it_can_cost_before_it_asks_for_a_key(tmp_path: Path) -> None:
    with StandIn(oracle) as server:
        done = run_snakemake(
            tmp_path,
            "--cores",
            "1",
            "results/endpoint/axdafny_ablation/vllm.json",
            experiment="axdafny_ablation",
            overrides=settings(server, "models.vllm.options.key_variable=NOBODY_SET_THIS"),
        )
    told = done.stdout + done.stderr
    assert done.returncode != 0
    assert "dollars at most" in told
    assert "this environment variable is not set" in told
    assert "Traceback" not in told
    assert server.requests == []
