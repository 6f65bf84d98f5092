"""Recorded answers are verified on the real tool, once, and what was done before a kill is not done again."""

from pathlib import Path

import pytest
from veriloop.attempts import Attempt
from veriloop.config.compose import resolve_experiment
from veriloop.dafny.cold import ColdVerifier
from veriloop.loop.journal import read_journal
from veriloop.outcomes import Outcome, Verdict
from veriloop.stages.provide import ToolchainRecord
from veriloop.stages.run import JOURNALS
from veriloop.stages.verified import verified
from veriloop.tasks import Answer, Published, Task, write_records

GIVEN = """method Count(n: nat) returns (i: nat)
  ensures i == n
{
  i := 0;
  while i < n
  {
    i := i + 1;
  }
}
"""
HINTED = GIVEN.replace("while i < n\n", "while i < n\n    invariant i <= n\n")
CODE = HINTED.replace("i := 0;", "i := n;")
ANSWERS = {
    "good": HINTED,
    "refuted": GIVEN.replace("while i < n\n", "while i < n\n    invariant i < n\n"),
    "code": CODE,
    "cheated": GIVEN.replace("i := 0;", "i := 0; assume false;"),
    "unsolved": HINTED,
    "as_given": HINTED,
    "damaged": HINTED,
}
SOLVED_AT = {"as_given": 0, "unsolved": None}


def tasks() -> list[Task]:
    found = []
    for name in ANSWERS:
        at = SOLVED_AT.get(name, 1)
        published = {"m": Published(attempt=10 if at is None else at, solved=at is not None)}
        given = GIVEN + "}" if name == "damaged" else GIVEN
        found.append(Task(id=name, kind="fill_hints", given=given, published=published))
    return found


@pytest.fixture
def cell(tmp_path: Path, any_verifier: ColdVerifier, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the stage is called with: two gates, one of which lets a change of code pass; full acceptance."""
    if any_verifier.toolchain.command_line != "verify":
        pytest.skip("Dafny 2.3.0 has no acceptance")
    monkeypatch.chdir(tmp_path)
    arms = '+arms={strict:["gate=strict"],published:["gate=dafnybench"]}'
    words = ["~arms", arms, "model=[gpt-4o_replay]", "models.gpt-4o_replay.options.answers_of=m", "shards=1"]
    experiment = resolve_experiment("dafnybench_audit_live", words)
    Path("config.yaml").write_text(experiment.dump(), encoding="utf-8")
    write_records(Path("tasks.jsonl"), tasks())
    write_records(Path("answers.jsonl"), [Answer(model="m", task=t, text=text) for t, text in ANSWERS.items()])
    record = ToolchainRecord(
        wanted="dafny-4.11.0", toolchain=any_verifier.toolchain, limits=any_verifier.limits, fallback_reason=""
    )
    Path("toolchain.json").write_text(record.model_dump_json(), encoding="utf-8")
    paths = {name: Path(f"{name}.jsonl") for name in ("tasks", "answers")}
    names = {"benchmark": "b", "model": "gpt-4o_replay", "shard": 0, "output": Path("sealed.jsonl")}
    return {"config": Path("config.yaml"), "toolchain": Path("toolchain.json"), **paths, **names}


def test_each_credited_answer_that_passes_a_gate_is_verified_with_acceptance(cell: dict[str, object]) -> None:
    verified(**cell)
    made = {attempt.task: attempt for attempt in read_journal(Path("sealed.jsonl"))}
    assert set(made) == {"good", "refuted", "code", "cheated", "as_given"}
    assert (made["good"].verdict, outcome(made["good"])) == (Verdict.ACCEPTED, Outcome.VERIFIED)
    assert (made["refuted"].verdict, outcome(made["refuted"])) == (Verdict.REJECTED, Outcome.REFUTED)
    assert outcome(made["code"]) is Outcome.VERIFIED
    assert [(c.name, c.state) for c in made["code"].checks] == [("assumptions", "passed"), ("translation", "failed")]
    assert (made["cheated"].verdict, outcome(made["cheated"])) == (Verdict.CHEATING, None), "no gate lets it pass"
    assert (made["as_given"].candidate, outcome(made["as_given"])) == (GIVEN, Outcome.REFUTED)

    # After a kill the journal is there and the sealed copy is not; nothing is verified a second time.
    (journal,) = JOURNALS.glob("*/*.jsonl")
    before, sealed = journal.read_bytes(), Path("sealed.jsonl").read_bytes()
    Path("sealed.jsonl").unlink()
    verified(**cell)
    assert journal.read_bytes() == before
    assert Path("sealed.jsonl").read_bytes() == sealed


def outcome(attempt: Attempt) -> Outcome | None:
    return attempt.result.outcome if attempt.result else None
