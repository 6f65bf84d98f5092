"""What runs again follows content: code that a rule depends on, and the configuration that it reads."""

import ast
from pathlib import Path

import pytest
import veriloop.provenance as provenance
from veriloop.provenance import code_hash, dependencies, folder_hash
from veriloop.stages.plan import make_plan
from veriloop.stages.run import journal_key


def test_a_stage_depends_on_what_it_imports_and_no_more() -> None:
    assert "veriloop.report.figures" in dependencies(["veriloop.stages.plot"])
    run = dependencies(["veriloop.stages.run"])
    assert {"veriloop.loop.engine", "veriloop.dafny.cold", "veriloop.outcomes"} <= set(run)
    assert not [name for name in run if name.startswith(("veriloop.report", "veriloop.stats", "veriloop.tracking"))]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package of one module whose text a test can change; gives the function that hashes the text."""
    (tmp_path / "veriloop").mkdir()
    monkeypatch.setattr(provenance, "PACKAGE_ROOT", tmp_path / "veriloop")

    def hash_of(text: str) -> str:
        (tmp_path / "veriloop" / "one.py").write_text(text, encoding="utf-8")
        provenance._parsed.cache_clear()
        provenance._code_hash.cache_clear()
        return code_hash("veriloop.one")

    yield hash_of
    provenance._parsed.cache_clear()
    provenance._code_hash.cache_clear()


def test_comments_layout_and_docstrings_change_nothing(package) -> None:
    plain = package("def f(x):\n    return x + 1\n")
    assert package('"""Doc."""\n\n\ndef f(x):\n    """Doc."""\n    # why\n    return (x + 1)\n') == plain
    assert package("def f(x):\n    return x + 2\n") != plain


def test_a_folders_hash_is_of_its_data(tmp_path: Path) -> None:
    (tmp_path / "a.dfy").write_text("1")
    first = folder_hash(tmp_path)
    (tmp_path / "README.md").write_text("text")
    (tmp_path / "code.py").write_text("pass")
    assert folder_hash(tmp_path) == first
    (tmp_path / "a.dfy").write_text("2")
    assert folder_hash(tmp_path) != first


def test_a_setting_changes_the_hash_of_the_rules_that_read_it() -> None:
    def hashes(*overrides: str) -> dict[str, str]:
        plan = make_plan({"experiment": "demo", "overrides": list(overrides)})
        arm = next(iter(plan.experiment.arms))
        return {
            "curate": plan.depends("curate", benchmark="mini"),
            "run": plan.depends("run", arm=arm, model="oracle_dropout"),
            "none": plan.depends("run", arm=arm, model="none"),
            "estimate": plan.depends("estimate"),
            "plot": plan.depends("plot"),
        }

    def changed(*overrides: str) -> set[str]:
        return {stage for stage, value in hashes(*overrides).items() if value != base[stage]}

    base = hashes()
    assert changed() == set()
    assert changed("statistics.resamples=500") == {"estimate"}
    assert changed("loop.max_attempts=2") == {"run", "none"}
    assert changed("models.oracle_dropout.options.drop_probability=0.5") == {"run"}
    assert changed("benchmarks.mini.options.tasks=[linear_search]") == {"curate"}


def test_the_budget_is_not_part_of_a_journals_key_but_all_else_is() -> None:
    from veriloop.dafny.toolchain import Toolchain
    from veriloop.stages.provide import ToolchainRecord

    def key(*overrides: str, seed: int = 0, version: str = "1") -> str:
        experiment = make_plan({"experiment": "demo", "overrides": list(overrides)}).experiment
        toolchain = Toolchain(
            name="t",
            version=version,
            solver="z3",
            command_line="verify",
            command=("x",),
            env={},
            solver_path="z",
            origin="mirror",
            content_sha256="0",
            solver_sha256="0",
        )
        record = ToolchainRecord(wanted="t", toolchain=toolchain, limits=experiment.toolchain.limits)
        return journal_key(experiment, record, arm="budget_3", model="oracle_dropout", seed=seed)

    base = key()
    assert key("loop.max_attempts=2", "loop.fault_retries=0", "shards=9") == base
    others = [
        key("models.oracle_dropout.options.drop_probability=0.5"),
        key("toolchain.limits.resource=5"),
        key("root_seed=5"),
        key(seed=1),
        key(version="2"),
    ]
    assert len({base, *others}) == 6


def test_every_module_parses_into_the_same_tree_twice() -> None:
    for name, tree in dependencies(["veriloop.cli"]).items():
        assert isinstance(tree, ast.Module), name
