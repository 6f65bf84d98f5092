"""Every experiment plans, and what is wrong stops while the workflow is parsed."""

import re
import subprocess
from pathlib import Path

import pytest
from running import REPOSITORY, run_snakemake
from veriloop.config.compose import config_names


@pytest.mark.parametrize("experiment", config_names("experiment"))
def test_every_experiment_plans(experiment: str, tmp_path: Path) -> None:
    done = run_snakemake(tmp_path, "--dry-run", experiment=experiment, overrides=[])
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^check_results +1$", done.stdout, re.MULTILINE)
    assert (tmp_path / "results" / "config" / f"{experiment}.yaml").is_file()


@pytest.mark.parametrize(
    ("experiment", "overrides", "words"),
    [
        ("dem", [], ["experiment='dem'", "did you mean demo?"]),
        ("demo", ["sedes=[1]"], ["sedes", "did you mean seeds?"]),
        ("demo", ["seeds=[0,0]"], ["seeds=[0, 0]", "given twice"]),
        ("mini_arms", ["model=[gpt-4o_replay]"], ["models.gpt-4o_replay", "no recorded answers"]),
    ],
)
def test_what_is_wrong_stops_before_any_job_without_a_traceback(
    experiment: str, overrides: list[str], words: list[str], tmp_path: Path
) -> None:
    done = run_snakemake(tmp_path, "--cores", "1", experiment=experiment, overrides=overrides)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in said
    assert not (tmp_path / "results" / "run").exists()
    for word in words:
        assert word in said


def test_the_workflow_passes_snakemakes_own_lint() -> None:
    done = subprocess.run(
        ["snakemake", "--lint"], cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_that_a_job_meets_is_a_sentence_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERILOOP_DATA_MIRROR", "/no/such/mirror")
    target = "results/tasks/dafnybench_live_small/dafnybench_small/tasks.jsonl"
    done = run_snakemake(tmp_path, target, "--cores", "1", experiment="dafnybench_live_small", overrides=[])
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Traceback" not in said
    sentence = "VERILOOP_DATA_MIRROR=/no/such/mirror: has no folder dafnybench/ground_truth"
    assert sentence in said
    log = tmp_path / "logs" / "curate_benchmark" / "dafnybench_live_small" / "dafnybench_small.log"
    assert sentence in log.read_text(encoding="utf-8")


def test_a_name_that_the_experiment_does_not_have_is_no_target(tmp_path: Path) -> None:
    done = run_snakemake(
        tmp_path, "results/score/demo/mini/budget_99/none.csv", "--dry-run", experiment="demo", overrides=[]
    )
    assert done.returncode != 0
    assert "MissingRuleException" in done.stdout + done.stderr
