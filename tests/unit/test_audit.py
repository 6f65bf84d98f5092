"""An audit asks gates about recorded answers, believes the release otherwise, and sets damaged tasks apart."""

from pathlib import Path

import pytest
from builders import attempt, result, task
from veriloop.attempts import Attempt, Check, Violation
from veriloop.audit_rows import AuditRow, SideRow, ViolationRow
from veriloop.benchmarks.dafnybench import Loader, Options
from veriloop.benchmarks.dafnybench.facts import MODELS
from veriloop.config.compose import resolve_experiment
from veriloop.errors import UserError
from veriloop.outcomes import Outcome, Verdict
from veriloop.report.details import TABLES
from veriloop.rows import CurationRow, FlagRow, read_rows, write_rows
from veriloop.stages.audit import audit
from veriloop.stages.audited import Answers, audited, damage, row_of
from veriloop.stages.flag import flag
from veriloop.stages.plan import make_plan
from veriloop.stages.score import score
from veriloop.stages.trace import trace
from veriloop.tasks import Answer, BenchmarkCard, Flag, PaperRate, Published, Task, text_sha256, write_records

A, R, C, N = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.CHEATING, Verdict.NOT_SCORED

GIVEN = "method M() {}\n"
BROKEN = "method M() {{\n"
MALFORMED = Flag(name="does_not_parse", detail="malformed", found_by="dafny-4.11.0")


class WordGate:
    """Finds fault with words: `bad` is a change, `evil` cheats."""

    def check(self, given: str, candidate: str) -> list[Violation]:
        kinds = {"bad": False, "evil": True}
        return [Violation(kind=k, sentence=f"has {k}", cheating=c) for k, c in kinds.items() if k in candidate]


def reported(name: str, attempt: int | None, **changes: object) -> Task:
    """A task that model `m` is reported to have solved at an attempt, or never."""
    published = {"m": Published(attempt=10 if attempt is None else attempt, solved=attempt is not None)}
    return task(name, **({"given": GIVEN, "published": published} | changes))


def row(of: Task, answer: str | None, published: str | None = "m") -> Attempt:
    return row_of(of, Answers("replay", published, {} if answer is None else {of.id: answer}), WordGate())


@pytest.mark.parametrize(
    ("answer", "verdict", "kinds"),
    [("good", A, []), ("bad", R, ["bad"]), ("evil", C, ["evil"]), ("bad evil", C, ["bad", "evil"])],
)
def test_a_credited_answer_is_worth_what_the_gate_says(answer: str, verdict: Verdict, kinds: list[str]) -> None:
    found = row(reported("t", 3), answer)
    assert (found.verdict, [v.kind for v in found.violations], found.candidate) == (verdict, kinds, answer)
    assert (found.number, found.source, found.proposer, found.result) == (3, "audited", "replay", None)
    assert not found.synthetic


def test_the_credit_at_attempt_0_is_for_the_given_program_not_for_the_recorded_answer() -> None:
    found = row(reported("t", 0), "evil")
    assert (found.verdict, found.candidate, found.number) == (A, GIVEN, 0)
    assert row(reported("t", 0, given=GIVEN + "// bad\n"), "good").verdict is R


def test_what_was_not_solved_is_rejected_without_asking_the_gate() -> None:
    found = row(reported("t", None), "evil")
    assert (found.verdict, found.candidate, found.violations, found.number) == (R, None, (), 10)
    assert "not solved" in found.reason


def test_a_solved_task_without_a_recorded_answer_is_not_scored() -> None:
    found = row(reported("t", 1), None)
    assert (found.verdict, found.candidate) == (N, None)
    assert "no answer was recorded" in found.reason


@pytest.mark.parametrize("changes", [{"flags": (MALFORMED,)}, {"given": BROKEN}], ids=["flagged", "no structure"])
@pytest.mark.parametrize("attempt", [None, 0, 2])
def test_a_damaged_task_is_not_scored_whatever_the_answer(attempt: int | None, changes: dict[str, object]) -> None:
    for answer in ("good", "evil", None):
        found = row(reported("t", attempt, **changes), answer)
        assert (found.verdict, found.candidate, found.violations) == (N, None, ())
        assert "damaged before any model saw it" in found.reason


def test_other_flags_are_no_damage() -> None:
    assert damage(reported("t", 1, flags=(Flag(name="no_ensures", detail="", found_by="text"),))) == ""


@pytest.mark.parametrize(("truth", "verdict"), [("good", A), ("bad", R)])
def test_the_ground_truths_of_all_tasks_are_judged_damaged_ones_too(truth: str, verdict: Verdict) -> None:
    for given in (GIVEN, BROKEN):
        found = row(reported("t", None, given=given), truth, published=None)
        assert (found.verdict, found.candidate, found.number, found.synthetic) == (verdict, truth, 1, True)


ENSURED = "method M() returns (y: int)\n  ensures y == 1\n{ y := 1; }\n"
"""What the gate `dafnybench` wants kept."""

TASKS = [
    reported("kept", 1, given=ENSURED, facts={"hint_free": False}),
    reported("changed", 2, given=ENSURED, facts={"hint_free": False}),
    reported("cheated", 3, given=ENSURED, facts={"hint_free": True}),
    reported("as_given", 0, given=ENSURED, facts={"hint_free": True}),
    reported("banned_as_given", 0, given=ENSURED + "// assume false\n", facts={"hint_free": True}),
    reported("unsolved", None, given=ENSURED, facts={"hint_free": False}),
    reported("unrecorded", 4, given=ENSURED, facts={"hint_free": True}),
    reported("damaged_solved", 1, given=BROKEN, facts={"hint_free": False}),
    reported("damaged", None, given=ENSURED, flags=(MALFORMED,), facts={"hint_free": False}),
]
RECORDED = {
    "kept": ENSURED + "// kept\n",
    "changed": ENSURED.replace("y == 1", "y > 0"),
    "cheated": ENSURED + "lemma L() { assume false; }\n",
    "as_given": "an answer that counts for nothing",
    "unsolved": ENSURED,
    "damaged_solved": ENSURED,
}


CELL = {"arm": "published_rule", "model": "gpt-4o_replay"}
JOURNAL = "run/dafnybench_audit/b/published_rule/gpt-4o_replay/seed_0/shard_0.jsonl"


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with the audit of the tasks above under the published rule, by the project's own stages."""
    return audit_in(tmp_path_factory.mktemp("audit"), [], [])


def audit_in(folder: Path, more: list[str], verified: list[Attempt]) -> Path:
    """An audit by the project's own stages, with what came of verifying the answers, if any."""
    words = ["~arms", "+arms={published_rule:[]}", "model=[gpt-4o_replay]", "models.gpt-4o_replay.options.answers_of=m"]
    dump = resolve_experiment("dafnybench_audit", words + more).dump()
    config = made(folder / "config/dafnybench_audit.yaml")
    config.write_text(dump.replace("dafnybench_answers:", "b:"), encoding="utf-8")
    tasks = folder / "tasks/dafnybench_audit/b/tasks.jsonl"
    answers, card = tasks.with_name("answers.jsonl"), tasks.with_name("card.json")
    write_records(tasks, TASKS)
    write_records(answers, [Answer(model="m", task=name, text=text) for name, text in RECORDED.items()])
    paper = PaperRate(model="m", percent=75.0, se_percent=None)
    about = BenchmarkCard(name="b", version="1", n=len(TASKS), source="audited", paper_rates=(paper,))
    card.write_text(about.model_dump_json(), encoding="utf-8")
    journal, of_verifying = folder / JOURNAL, folder / "verified.jsonl"
    write_records(of_verifying, verified)
    audited(config, tasks, answers, [of_verifying], **CELL, output=journal)
    scores = made(folder / "score/dafnybench_audit/b/published_rule/gpt-4o_replay.csv")
    score(tasks=tasks, journals=[journal], benchmark="b", **CELL, seeds=[0], output=scores)
    estimates = folder / "estimate/dafnybench_audit"
    flags = made(estimates / "flags.csv")
    flag(config, [scores], [tasks], None, flags=flags, curation=estimates / "curation.csv")
    paths = {name: made(folder / f"tables/dafnybench_audit/{name}.csv") for name in ("violations", "sides")}
    audit_rows = folder / "tables/dafnybench_audit/audit.csv"
    audit(config, [scores], [journal], [tasks], [card], flags, audit_rows=audit_rows, **paths)
    return folder


VERIFIED = {
    "kept": attempt(task="kept", verdict=A, result=result(Outcome.VERIFIED)),
    "as_given": attempt(task="as_given", verdict=R, result=result(Outcome.REFUTED)),
}


def test_a_kept_answer_is_worth_what_came_of_verifying_it_here(tmp_path: Path) -> None:
    folder = audit_in(tmp_path, ["audit.verify=true"], list(VERIFIED.values()))
    (row,) = read_rows(table_of(folder, "audit"), AuditRow)
    assert (row.kept, row.refused, row.cheating, row.unrecorded) == (2, 1, 2, 1), "the gate's part stays as it was"
    assert row.gate_rate == pytest.approx(2 / 6, abs=1e-6)
    assert (row.live_accepted, row.live_refuted, row.live_undecided) == (1, 1, 0)
    assert (row.live_unaccepted, row.live_unscored) == (0, 0)
    assert (row.live_rate, row.hints_live_rate) == pytest.approx((1 / 6, 1 / 3), abs=1e-6)
    text = TABLES["audit"].as_markdown([row])
    assert "live % of undamaged" in text
    assert "16.7 (" in text


@pytest.mark.parametrize(
    ("came", "column"),
    [
        ({"verdict": R, "result": result(Outcome.MALFORMED)}, "live_refuted"),
        ({"verdict": R, "result": result(Outcome.TIMEOUT)}, "live_undecided"),
        ({"verdict": R, "result": result(Outcome.OUT_OF_RESOURCE)}, "live_undecided"),
        ({"verdict": N, "result": result(Outcome.TOOL_FAULT)}, "live_unscored"),
        (
            {
                "verdict": C,
                "result": result(Outcome.VERIFIED),
                "checks": (Check(name="assumptions", state="failed", explanation="e"),),
            },
            "live_unaccepted",
        ),
    ],
)
def test_each_way_in_which_an_answer_can_fail_here_is_counted_apart(
    came: dict[str, object], column: str, tmp_path: Path
) -> None:
    answers = [VERIFIED["kept"], attempt(task="as_given", **came)]
    (row,) = read_rows(table_of(audit_in(tmp_path, ["audit.verify=true"], answers), "audit"), AuditRow)
    assert (row.live_accepted, getattr(row, column)) == (1, 1)
    scored = 5 if column == "live_unscored" else 6
    assert row.live_rate == pytest.approx(1 / scored, abs=1e-6), "a fault is in no denominator"


def test_columns_of_verification_are_empty_where_nothing_was_verified(finished: Path) -> None:
    (row,) = read_rows(table_of(finished, "audit"), AuditRow)
    assert (row.live_accepted, row.live_unscored, row.live_rate, row.hints_live_rate) == (None,) * 4
    assert "live %" not in TABLES["audit"].as_markdown([row])


def test_with_verification_all_arms_have_one_acceptance_and_a_toolchain() -> None:
    words = ["audit.verify=true", "shards=2"]
    plan = make_plan({"experiment": "dafnybench_audit", "overrides": words})
    assert plan.toolchain_record() == ["results/toolchain/dafnybench_audit.json"]
    assert len(plan.verified_journals("dafnybench_answers", "ground_truth")) == 2
    assert make_plan({"experiment": "dafnybench_audit"}).verified_journals("dafnybench_answers", "ground_truth") == []
    other = '+arms.other=["acceptance=full"]'
    with pytest.raises(UserError, match=r"arms.other.acceptance.checks=.*give all arms the same acceptance"):
        make_plan({"experiment": "dafnybench_audit", "overrides": [*words, other]})


def table_of(finished: Path, name: str) -> Path:
    return finished / f"tables/dafnybench_audit/{name}.csv"


def test_every_task_is_counted_once_and_damaged_ones_apart(finished: Path) -> None:
    (row,) = read_rows(table_of(finished, "audit"), AuditRow)
    assert (row.n, row.damaged, row.published_solved, row.at_attempt_0, row.damaged_solved) == (9, 2, 7, 2, 1)
    assert (row.undamaged, row.undamaged_solved) == (7, 6)
    assert (row.kept, row.refused, row.cheating, row.given_refused, row.unrecorded) == (2, 1, 2, 1, 1)
    assert row.paper_percent == 75.0
    rates = (row.published_rate, row.undamaged_rate, row.gate_rate)
    assert rates == pytest.approx((7 / 9, 6 / 7, 2 / 6), abs=1e-6)
    assert row.gate_rate is not None
    assert row.gate_ci_low is not None
    assert row.gate_ci_high is not None
    assert row.gate_ci_low < row.gate_rate < row.gate_ci_high


def test_the_rates_among_needs_hints_tasks_are_over_undamaged_ones(finished: Path) -> None:
    (row,) = read_rows(table_of(finished, "audit"), AuditRow)
    assert row.needs_hints == 3
    assert (row.hints_published_rate, row.hints_gate_rate) == pytest.approx((2 / 3, 1 / 3), abs=1e-6)


def test_kinds_are_counted_over_the_judged_answers(finished: Path) -> None:
    rows = read_rows(table_of(finished, "violations"), ViolationRow)
    assert {(r.kind, r.answers, r.of) for r in rows} == {("contract_changed", 1, 5), ("assume_false", 2, 5)}


def test_each_answer_that_changes_sides_can_be_followed_back(finished: Path) -> None:
    rows = {r.task: r for r in read_rows(table_of(finished, "sides"), SideRow)}
    assert {(r.task, r.published_attempt, r.verdict, r.cheating) for r in rows.values()} == {
        ("changed", 2, R, False),
        ("cheated", 3, C, True),
        ("banned_as_given", 0, C, True),
    }
    lines = (finished / JOURNAL).read_text(encoding="utf-8").splitlines()
    credited = RECORDED | {"banned_as_given": ENSURED + "// assume false\n"}
    for name, row in rows.items():
        assert row.answer_sha256 == text_sha256(credited[name])
        assert row.journal == str(finished / JOURNAL)
        assert Attempt.model_validate_json(lines[row.line - 1]).candidate == credited[name]


def test_flags_that_a_benchmark_knows_are_not_found_twice(finished: Path) -> None:
    rows = [(r.task, r.flag) for r in read_rows(finished / "estimate/dafnybench_audit/flags.csv", FlagRow)]
    assert len(set(rows)) == len(rows)
    assert ("damaged", "does_not_parse") in rows
    counts = {r.flag: r for r in read_rows(finished / "estimate/dafnybench_audit/curation.csv", CurationRow)}
    assert (counts["does_not_parse"].count, counts["does_not_parse"].found_by) == (1, "dafny-4.11.0")


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("audit", AuditRow, ["77.8 (", "33.3 ("]),
        ("violations", ViolationRow, ["contract_changed", "assume_false"]),
        ("sides", SideRow, ["changed", "cheated"]),
    ],
)
def test_the_tables_of_an_audit_can_be_read(name: str, kind: type, words: list[str], finished: Path) -> None:
    text = TABLES[name].as_markdown(read_rows(table_of(finished, name), kind))
    assert all(word in text for word in words)


@pytest.mark.parametrize(
    ("name", "row", "expected"),
    [
        ("audit", 1, {each.id for each in TASKS}),
        ("violations", 1, {"cheated", "banned_as_given"}),
        ("violations", 2, {"changed"}),
        ("sides", 1, {"changed"}),
    ],
)
def test_a_row_of_an_audit_leads_back_to_its_tasks(name: str, row: int, expected: set[str], finished: Path) -> None:
    _, *lines = trace(table_of(finished, name), row).splitlines()
    assert {line.split(": ")[1].partition(",")[0] for line in lines} == expected


def test_nothing_of_ground_truths_is_published(tmp_path: Path) -> None:
    """Their rows count what the gate keeps, and leave empty what no release reports."""
    words = ["~arms", "+arms={published_rule:[]}", "model=[ground_truth]"]
    dump = resolve_experiment("dafnybench_audit", words).dump()
    (tmp_path / "config").write_text(dump.replace("dafnybench_answers:", "b:"), encoding="utf-8")
    truths = [
        task("one", given=ENSURED, ground_truth=ENSURED),
        task("two", given=ENSURED, ground_truth=GIVEN),
        task("damaged", given=ENSURED, ground_truth=GIVEN, flags=(MALFORMED,)),
    ]
    write_records(tmp_path / "tasks", truths)
    write_records(tmp_path / "answers", [])
    card = BenchmarkCard(name="b", version="1", n=3, source="audited")
    (tmp_path / "card").write_text(card.model_dump_json(), encoding="utf-8")
    write_rows(tmp_path / "flags", FlagRow, [])
    names = {"arm": "published_rule", "model": "ground_truth"}
    journal, scores, tasks = tmp_path / "journal", tmp_path / "scores", tmp_path / "tasks"
    audited(tmp_path / "config", tasks, tmp_path / "answers", [], **names, output=journal)
    score(tasks=tasks, journals=[journal], benchmark="b", **names, seeds=[0], output=scores)
    outputs = {name: tmp_path / name for name in ("audit_rows", "violations", "sides")}
    audit(tmp_path / "config", [scores], [journal], [tasks], [tmp_path / "card"], tmp_path / "flags", **outputs)
    (found,) = read_rows(tmp_path / "audit_rows", AuditRow)
    assert (found.n, found.undamaged, found.kept, found.refused) == (3, 2, 1, 1)
    assert (found.published_rate, found.published_solved, found.undamaged_rate) == (None, None, None)
    assert found.synthetic
    sides = read_rows(tmp_path / "sides", SideRow)
    assert [(side.task, side.published_attempt) for side in sides] == [("two", None), ("damaged", None)]


@pytest.mark.parametrize("model", ["none", "oracle_dropout"])
def test_a_model_that_makes_its_answers_anew_cannot_be_audited(model: str) -> None:
    with pytest.raises(UserError, match=rf"models.{model}.proposer='{model}': benchmark dafnybench_answers is audited"):
        make_plan({"experiment": "dafnybench_audit", "overrides": ["~arms", f"model=[{model}]"]})


def test_an_audit_needs_a_model() -> None:
    with pytest.raises(UserError, match=r"models={}: benchmark dafnybench_answers is audited and needs one"):
        make_plan({"experiment": "dafnybench_audit", "overrides": ["~arms", "model=[]"]})


def test_an_audit_needs_no_toolchain_one_seed_and_its_own_tables() -> None:
    plan = make_plan({"experiment": "dafnybench_audit", "overrides": ["~arms", "seeds=[0,1]", "shards=8"]})
    assert plan.toolchain_record() == []
    assert {(cell.seeds, cell.shards) for cell in plan.cells} == {((0,), 1)}
    assert plan.audited_scores() == plan.scores()
    assert len(plan.audited_journals()) == len(plan.cells)
    assert {"audit.csv", "violations.csv", "sides.csv"} <= {Path(path).name for path in plan.tables()}


def test_other_experiments_have_no_tables_of_an_audit() -> None:
    plan = make_plan({"experiment": "demo"})
    assert plan.audited_scores() == []
    assert not {"audit.csv", "violations.csv", "sides.csv"} & {Path(path).name for path in plan.tables()}


def test_the_published_rates_over_all_782_tasks_are_the_papers(dafnybench: Path) -> None:
    assert dafnybench.is_dir()
    loader = Loader(Options(content="answers"))
    tasks = loader.tasks()
    assert len(tasks) == 782
    for model in MODELS:
        (printed,) = (rate.percent for rate in loader.paper_rates if rate.model == model)
        assert round(100 * sum(t.published[model].solved for t in tasks) / len(tasks), 1) == printed


def test_every_released_answer_with_credit_is_judged_unless_its_task_is_damaged(dafnybench: Path) -> None:
    assert dafnybench.is_dir()
    loader = Loader(Options(content="answers", sample="small"))
    texts = {answer.task: answer.text for answer in loader.answers("claude-3-opus")}
    for each in loader.tasks():
        found = row_of(each, Answers("replay", "claude-3-opus", texts), WordGate())
        damaged = found.reason.startswith("the given program was damaged")
        assert damaged or not any(flag.name == "does_not_parse" for flag in each.flags)
        assert (found.verdict is N) == damaged
        assert (found.candidate is not None) == (each.published["claude-3-opus"].solved and not damaged)
