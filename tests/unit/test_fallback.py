"""Where the wanted toolchain cannot be had, a fallback is used only if the experiment allows it, and always said."""

from pathlib import Path

import pytest
from veriloop.config.compose import resolve_experiment
from veriloop.config.toolchain import ToolchainConfig
from veriloop.dafny.toolchain import Toolchain
from veriloop.errors import UserError
from veriloop.stages import provide
from veriloop.stages.provide import read_record
from veriloop.stages.tabulate import toolchain_line


def toolchain(name: str) -> Toolchain:
    fields = {"name": name, "version": "1", "solver": "z3 4", "command_line": "verify", "command": ["x"], "env": {}}
    return Toolchain.model_validate(
        fields | {"solver_path": "z", "origin": "debian", "content_sha256": "0", "solver_sha256": "0"}
    )


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the stage on a machine that can have only the named toolchains."""

    def with_only(*names: str, experiment: str = "demo"):
        def give(config: ToolchainConfig) -> Toolchain:
            if config.name not in names:
                raise UserError(f"{config.name} cannot be had")
            return toolchain(config.name)

        monkeypatch.setattr(provide, "provide_toolchain", give)
        (tmp_path / "config.yaml").write_text(resolve_experiment(experiment, []).dump(), encoding="utf-8")
        provide.provide(tmp_path / "config.yaml", tmp_path / "record.json")
        return read_record(tmp_path / "record.json")

    return with_only


def test_the_wanted_toolchain_is_used_where_it_can_be_had(run) -> None:
    record = run("dafny-4.11.0", "dafny-2.3.0")
    assert (record.toolchain.name, record.fallback_reason) == ("dafny-4.11.0", "")
    assert "fallback" not in toolchain_line(record)


def test_the_fallback_is_named_with_its_reason_and_its_own_limits(run, capsys) -> None:
    record = run("dafny-2.3.0")
    assert record.toolchain.name == "dafny-2.3.0"
    assert record.limits == resolve_experiment("demo", []).fallback_toolchain.limits
    assert "dafny-4.11.0 cannot be had" in record.fallback_reason
    assert "This is the fallback: dafny-4.11.0 was wanted" in toolchain_line(record)
    assert "every table says so" in capsys.readouterr().err


def test_an_experiment_without_a_fallback_stops(run) -> None:
    with pytest.raises(UserError, match=r"dafny-4\.11\.0 cannot be had"):
        run("dafny-2.3.0", experiment="dafnybench_live_small")


def test_where_neither_can_be_had_both_reasons_are_told(run) -> None:
    with pytest.raises(UserError, match=r"dafny-4\.11\.0 cannot be had\n.*dafny-2\.3\.0 cannot be had"):
        run()


def test_without_a_verifier_the_table_says_so() -> None:
    assert toolchain_line(None) == "No verifier was run."
