"""The configuration is closed: whatever is wrong is refused with its dotted path, its value and the nearest name."""

import pytest
from veriloop.config.compose import config_names, read_toolchain, resolve_experiment
from veriloop.config.schema import Experiment
from veriloop.errors import UserError
from veriloop.stages.plan import Plan, make_plan

BAD = [
    # what is asked for, and what the sentence must hold
    ({"experiment": "dem"}, ["experiment='dem'", "did you mean demo?"]),
    ({"experimnt": "demo"}, ["experimnt='demo'", "did you mean experiment?"]),
    ({"overrides": "seeds=[0]"}, ["overrides='seeds=[0]'", "write a list"]),
    ({"overrides": ["sedes=[1]"]}, ["sedes", "'sedes=[1]'", "did you mean seeds?"]),
    ({"overrides": ["seeds=[0,0]"]}, ["seeds=[0, 0]", "'seeds=[0,0]'", "given twice: [0]"]),
    ({"overrides": ["seeds=[-1]"]}, ["seeds.0=-1", "greater than or equal to 0"]),
    ({"overrides": ["seeds=[]"]}, ["seeds=[]", "at least 1 item"]),
    ({"overrides": ["seeds=two"]}, ["seeds='two'", "valid list"]),
    ({"overrides": ["shards=0"]}, ["shards=0", "greater than or equal to 1"]),
    ({"overrides": ["loop.max_attempts=x"]}, ["loop.max_attempts='x'", "valid integer"]),
    ({"overrides": ["loop.max_attemps=3"]}, ["loop.max_attemps", "did you mean max_attempts?"]),
    ({"overrides": ["+loop.max_attemps=3"]}, ["loop.max_attemps=3", "did you mean max_attempts?"]),
    ({"overrides": ["+toolchain.limits.wall=3"]}, ["toolchain.limits.wall=3", "did you mean wall_seconds?"]),
    ({"overrides": ["toolchain.limits.wall_seconds=0"]}, ["toolchain.limits.wall_seconds=0", "greater than 0"]),
    ({"overrides": ["toolchain.limits.resource=0"]}, ["toolchain.limits.resource=0", "greater than or equal to 1"]),
    ({"overrides": ["toolchain.limits.memory_mb=-1"]}, ["toolchain.limits.memory_mb=-1", "greater than or equal to"]),
    ({"overrides": ["loop.explain=[causes]"]}, ["loop.explain", "causes", "counterexamples"]),
    ({"overrides": ["loop=dafnybenc"]}, ["loop=dafnybenc", "did you mean dafnybench?"]),
    ({"overrides": ["benchmark=[mini,minni]"]}, ["benchmark=minni", "did you mean mini?"]),
    ({"overrides": ["benchmark=[]"]}, ["benchmarks={}", "at least 1 item"]),
    ({"overrides": ["model=[]"]}, ["models={}", "model=[none]"]),
    ({"overrides": ["model=[gpt-4o_replay]"]}, ["models.gpt-4o_replay", "'gpt-4o'", "no recorded answers"]),
    ({"overrides": ["gate.name=dafnibench"]}, ["gate.name='dafnibench'", "did you mean dafnybench?"]),
    ({"overrides": ["loop.memory=lastattempt"]}, ["loop.memory='lastattempt'", "did you mean last_attempt?"]),
    ({"overrides": ["loop.prompt=fill"]}, ["loop.prompt=fill", "did you mean fill_hints?"]),
    ({"overrides": ["models.none.proposer=nothing"]}, ["models.none.proposer='nothing'", "Known:"]),
    (
        {"overrides": ["models.oracle_dropout.options.drop_probability=2"]},
        ["models.oracle_dropout.options.drop_probability=2", "less than or equal to 1"],
    ),
    ({"overrides": ["toolchain=dafny-4.11"]}, ["toolchain=dafny-4.11", "did you mean dafny-4.11.0?"]),
    ({"overrides": ["fallback_toolchain=dafny-2"]}, ["fallback_toolchain=dafny-2", "did you mean dafny-2.3.0?"]),
    ({"overrides": ["statistics.confidence=2"]}, ["statistics.confidence=2", "less than 1"]),
    ({"overrides": ["name=../up"]}, ["name='../up'", "pattern"]),
    ({"overrides": ["+arms.published=['loop.max_attempts=7']"]}, ["arms.published", "choose another"]),
    ({"overrides": ["+arms.many=[seeds=[1]]"]}, ["arms.many"]),
    ({"overrides": ["+arms.many=['seeds=[1,2]']"]}, ["arms.many", "changes seeds", "loop, gate, acceptance"]),
    ({"overrides": ["+arms.many=['loop.max_attempts=0']"]}, ["arms.many.loop.max_attempts=0"]),
    ({"overrides": ["+arms.many=3"]}, ["arms.many=3", "list of overrides"]),
    ({"overrides": ["experiment=mini_arms"]}, ["experiment=NAME"]),
    ({"overrides": ["seeds==3"]}, ["seeds==3"]),
    ({"overrides": ["control=budget"]}, ["control=budget", "did you mean budget_3?"]),
    ({"overrides": ["loop=axdafny"]}, ["loop.reviewer=chat", "needs a language model", "models.none"]),
    ({"overrides": ["loop.memory=scratchpad", "loop.prompt=axdafny"]}, ["loop.memory=scratchpad", "models.none"]),
    ({"overrides": ["loop.memory=scratchpad"]}, ["needs the file config/prompts/fill_hints/remember.txt"]),
    ({"overrides": ["loop.reviewer=human"]}, ["loop.reviewer='human'", "Known: chat"]),
    ({"overrides": ["loop.strategy=independent"]}, ["strategy independent needs memory none"]),
    ({"overrides": ["loop.feedback=loud"]}, ["loop.feedback='loud'", "structured"]),
    ({"overrides": ["loop.sampling.temperature=3"]}, ["loop.sampling.temperature=3", "less than or equal to 2"]),
    ({"overrides": ["budget.dollars=0"]}, ["budget.dollars=0", "greater than 0"]),
    (
        {"overrides": ["benchmark=[mini]", "model=[litellm]", "budget.dollars=5"]},
        ["budget.dollars=5", "models.litellm.options.prices is null", "budget.tokens"],
    ),
    (
        {"overrides": ["benchmark=[mini]", "model=[vllm]", "models.vllm.options.base_url=http://u:p@h/v1"]},
        ["models.vllm.options.base_url", "the key belongs into the environment"],
    ),
    (
        {"overrides": ["benchmark=[mini]", "model=[vllm]", "models.vllm.options.base_url=nowhere"]},
        ["models.vllm.options.base_url='nowhere'", "URL"],
    ),
    (
        {"overrides": ["benchmark=[mini]", "model=[vllm]", "+models.vllm.options.api_key=sk-1"]},
        ["models.vllm.options.api_key", "unknown key", "key_variable"],
    ),
]


@pytest.mark.parametrize(("settings", "words"), BAD, ids=[str(settings) for settings, _ in BAD])
def test_what_is_wrong_is_refused_with_a_sentence(settings: dict, words: list[str]) -> None:
    with pytest.raises(UserError) as refused:
        make_plan(settings)
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize("name", config_names("experiment"))
def test_every_experiment_resolves_and_its_file_reads_back(name: str, tmp_path) -> None:
    """The resolved file holds everything: reading it gives the same experiment."""
    plan = Plan(resolve_experiment(name, []))
    assert plan.name == name
    assert plan.cells
    path = tmp_path / "resolved.yaml"
    path.write_text(plan.experiment.dump(), encoding="utf-8")
    assert Experiment.read(path) == plan.experiment


@pytest.mark.parametrize("name", config_names("toolchain"))
def test_every_toolchain_file_is_named_like_its_toolchain(name: str) -> None:
    assert read_toolchain(name, "test").name == name


def test_what_an_experiments_file_says_comes_after_the_roots_defaults() -> None:
    plan = make_plan({"experiment": "mini_arms"})
    assert plan.experiment.seeds == [0, 1, 2]
    assert plan.experiment.fallback_toolchain is not None
    assert plan.experiment.fallback_toolchain.name == "dafny-2.3.0"


def test_an_arm_is_validated_after_merging() -> None:
    plan = make_plan({"experiment": "mini_arms", "overrides": ["loop.fault_retries=0"]})
    budgets = {name: (arm.loop.max_attempts, arm.loop.fault_retries) for name, arm in plan.experiment.arms.items()}
    assert budgets == {"budget_1": (1, 0), "budget_3": (3, 0), "budget_10": (10, 0)}


def test_overrides_change_the_experiment() -> None:
    plan = make_plan({"experiment": "demo", "overrides": ["seeds=[0,1]", "benchmark=[mini]"]})
    assert {cell.benchmark for cell in plan.cells} == {"mini"}
    assert all(cell.seeds == (0, 1) for cell in plan.cells)


def test_a_recorded_benchmark_brings_its_own_models_and_one_seed() -> None:
    plan = make_plan({"experiment": "demo", "overrides": ["seeds=[0,1]"]})
    recorded = [cell for cell in plan.cells if cell.benchmark == "dafnybench_recorded"]
    assert {cell.arm for cell in recorded} == {"published"}
    assert {cell.model for cell in recorded} >= {"none", "claude-3-opus"}
    assert {cell.seeds for cell in recorded} == {(0,)}


def test_a_prompt_with_an_unknown_placeholder_is_refused(tmp_path, repository, monkeypatch) -> None:
    import shutil

    import veriloop.stages.plan as planning

    config = shutil.copytree(repository / "config", tmp_path / "config")
    (config / "prompts" / "fill_hints" / "propose.txt").write_text("Solve $givn")
    monkeypatch.setattr(planning, "resolve_experiment", lambda n, o: resolve_experiment(n, o, config_dir=config))
    with pytest.raises(UserError, match=r"\$givn.*did you mean given"):
        make_plan({"experiment": "demo"})


def test_an_arm_that_is_the_same_as_another_is_refused() -> None:
    """One that overrides nothing beside one that overrides it with what it is already, too."""
    with pytest.raises(
        UserError, match=r"arms.b=\['loop.max_attempts=10'\]: the same loop, gate, acceptance as arms.a=\[\]"
    ):
        resolve_experiment("mini_arms", ["~arms", "+arms={a:[],b:['loop.max_attempts=10']}"])


def test_a_key_that_was_typed_into_an_override_is_not_repeated() -> None:
    words = ["benchmark=[mini]", "model=[vllm]", "+models.vllm.options.api_key=sk-canary"]
    with pytest.raises(UserError, match="key_variable") as refused:
        make_plan({"overrides": words})
    assert "sk-canary" not in str(refused.value)
