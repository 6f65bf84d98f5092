"""A small real run from end to end, and what one sees of it."""

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from PIL import Image
from running import run_snakemake
from veriloop.cli import main


def rates(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    with (folder / "results/tables/demo/rates.csv").open(encoding="utf-8", newline="") as file:
        return {(row["benchmark"], row["model"]): row for row in csv.DictReader(file)}


def test_the_table_has_live_and_recorded_rows(finished: Path) -> None:
    found = rates(finished)
    none = found["mini", "none"]
    assert (none["n"], none["accepted"], none["rate"], none["synthetic"]) == ("2", "1", "0.5", "false")
    assert found["mini", "oracle_dropout"]["synthetic"] == "true"
    assert found["dafnybench_recorded", "claude-3-opus"]["accepted"] == "530"
    assert found["dafnybench_recorded", "none"]["paper_percent"] == "26.9"


def test_the_end_shows_the_headline_and_where_things_are(finished: Path) -> None:
    said = (finished / "finished.log").read_text(encoding="utf-8")
    assert "67.8 ± 1.7" in said
    assert "oracle_dropout (synthetic)" in said
    for place in (
        "results/tables/demo/",
        "results/figures/demo/",
        "results/run/demo/",
        "make ui",
        "results/report/demo/index.html",
    ):
        assert place in said


def test_a_number_leads_back_to_its_journal_rows(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line names a file and a line of it, and the lines are all attempts of the cell."""
    table = finished / "results/tables/demo/rates.csv"
    row = list(rates(finished)).index(("mini", "none")) + 1
    assert main(["explain", str(table), str(row)]) == 0
    head, *lines = capsys.readouterr().out.strip().splitlines()
    assert "benchmark=mini" in head
    assert {re.sub(r".*: (\w+), attempt 0: (\w+) .*", r"\1 \2", line) for line in lines} == {
        "linear_search rejected",
        "quotient_remainder accepted",
    }
    for line in lines:
        path, number, _ = line.split(":", 2)
        assert json.loads(Path(path).read_text(encoding="utf-8").splitlines()[int(number) - 1])["proposer"] == "none"


@pytest.mark.parametrize(
    ("table", "chosen", "expected"),
    [
        ("conditional", {"model": "oracle_dropout", "among": "needs_hints_by_flag"}, {"linear_search"}),
        ("conditional", {"model": "oracle_dropout", "among": "needs_hints_by_none"}, {"linear_search"}),
        (
            "strata",
            {"model": "none", "measure": "hint_characters", "bins": "fixed", "bin": "2"},
            {"quotient_remainder"},
        ),
        ("outcomes", {"model": "none", "kind": "verdict", "value": "rejected"}, {"linear_search"}),
        ("cost", {"model": "none"}, {"linear_search", "quotient_remainder"}),
        ("comparison", {"first": "none"}, {"linear_search", "quotient_remainder"}),
        ("flags", {"flag": "hint_free"}, {"quotient_remainder"}),
        ("curation", {"flag": "hint_free"}, {"quotient_remainder"}),
    ],
)
def test_a_row_of_any_table_leads_back_to_its_tasks(
    finished: Path, capsys: pytest.CaptureFixture[str], table: str, chosen: dict[str, str], expected: set[str]
) -> None:
    path = finished / f"results/tables/demo/{table}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = {"benchmark": "mini"} | chosen
    (number,) = [i for i, row in enumerate(rows, start=1) if wanted.items() <= row.items()]
    assert main(["explain", str(path), str(number)]) == 0
    _, *lines = capsys.readouterr().out.strip().splitlines()
    assert {re.sub(r".*: (\w+), attempt .*", r"\1", line) for line in lines} == expected


@pytest.mark.parametrize(
    ("name", "row", "words"),
    [("rates.csv", "99", "no row 99"), ("rates.csv", "0", "no row 0"), ("benchmark.csv", "1", "not made of attempts")],
)
def test_a_row_that_is_not_there_is_a_sentence(
    finished: Path, capsys: pytest.CaptureFixture[str], name: str, row: str, words: str
) -> None:
    assert main(["explain", str(finished / "results/tables/demo" / name), row]) == 1
    assert words in capsys.readouterr().err


def test_one_worker_in_another_folder_gives_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    """All tables, and the data and bitmaps of figures, but measured times; the fixture ran with 4 jobs at once."""
    made = {path.relative_to(finished): path.read_bytes() for path in numbers(finished)}
    assert len(made) == 10 * 3 + 4 * 3
    done = run_snakemake(tmp_path, "--cores", "1", "--until", "tabulate_rates", "tabulate_details", *FIGURES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.relative_to(tmp_path): path.read_bytes() for path in numbers(tmp_path)} == made


FIGURES = ("plot_rates", "plot_cumulative", "plot_strata", "plot_outcomes")


def numbers(folder: Path) -> list[Path]:
    """The files whose bytes are to be the same: what was measured and where it was made are in other ones."""
    places = [folder / "results" / place / "demo" for place in ("tables", "figures")]
    found = [path for place in places for path in sorted(place.iterdir())]
    return [path for path in found if path.stem != "cost" and not path.name.endswith(".provenance.json")]


@pytest.fixture(scope="session")
def browser() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        pytest.skip("no Chromium on this machine (apt-get install chromium)")
    return found


def test_a_browser_shows_the_page_without_any_other_file_or_connection(
    finished: Path, browser: str, tmp_path: Path
) -> None:
    page = shutil.copy(finished / "results/report/demo/index.html", tmp_path)
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=2000"]
    done = subprocess.run(
        [*command, "--dump-dom", f"file://{page}"], capture_output=True, text=True, timeout=120, check=True
    )
    assert "oracle_dropout (synthetic)" in done.stdout
    assert "67.8 ± 1.7" in done.stdout
    assert "No task was left out." in done.stdout
    picture = tmp_path / "page.png"
    subprocess.run(
        [*command, f"--screenshot={picture}", "--window-size=1200,3000", f"file://{page}"],
        capture_output=True,
        timeout=120,
        check=True,
    )
    with Image.open(picture) as shot:
        assert shot.size == (1200, 3000)
        assert len(shot.convert("RGB").getcolors(1 << 20) or []) > 100  # not an empty page


def test_a_second_run_has_nothing_to_do(finished: Path) -> None:
    done = run_snakemake(finished, "--dry-run", repository=finished)
    assert "Nothing to be done" in done.stdout, done.stdout


def planned(folder: Path, old: str, new: str, file: str) -> set[str]:
    """The rules that a dry run lists after an edit of one file, which is undone afterwards."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    try:
        done = run_snakemake(folder, "--dry-run", repository=folder)
    finally:
        path.write_text(text, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return set(re.findall(r"^(\w+) +\d+$", done.stdout, re.MULTILINE)) - {"all", "total"}


PACKAGE = "workflow/scripts/veriloop"


def test_editing_the_plotting_module_lists_plots_and_no_run(finished: Path) -> None:
    rules = planned(finished, "linewidth=1.5", "linewidth=2.5", f"{PACKAGE}/report/figures.py")
    assert "plot_cumulative" in rules
    assert not {rule for rule in rules if rule.startswith(("run", "score", "estimate", "curate", "provide"))}


def test_editing_a_comment_or_docstring_lists_nothing(finished: Path) -> None:
    old = '"""The journal: an append-only record'
    assert planned(finished, old, '# a comment\n"""The log: a record', f"{PACKAGE}/loop/journal.py") == set()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("config/prompts/fill_hints/propose.txt", "Give back the whole", "Return the whole"),
        (f"{PACKAGE}/loop/engine.py", "range(first, first + ", "range(first, 0 + first + "),
        (f"{PACKAGE}/gate/strict/alignment.py", "NEARBY = 60", "NEARBY = 61"),
        (f"{PACKAGE}/acceptance/minimum.py", "return max(1,", "return max(0, 1,"),
    ],
    ids=["prompt", "loop", "gate", "acceptance"],
)
def test_editing_a_prompt_the_loop_or_the_gate_lists_runs(finished: Path, file: str, old: str, new: str) -> None:
    rules = planned(finished, old, new, file)
    assert {"run_loop", "score_tasks", "plot_cumulative"} <= rules
    assert "run_published" not in rules


def test_a_mirror_that_was_deleted_is_made_again(finished: Path, tmp_path: Path) -> None:
    """Deleting the MLflow store loses nothing; mirroring twice makes no second run."""
    copy = shutil.copytree(finished, tmp_path / "copy")
    for _ in range(2):
        done = run_snakemake(copy, "--cores", "1", "--forcerun", "track_experiment", repository=copy)
        assert done.returncode == 0, done.stdout + done.stderr
    runs = json.loads((copy / "results/track/demo.json").read_text())
    assert set(runs) == {"parent"} | {
        *(f"mini/budget_3/{m}/seed_0" for m in ("none", "oracle_dropout")),
        *(f"dafnybench_recorded/published/{m}/seed_0" for m in ("none", "claude-3-opus", "gpt-4-turbo")),
        *(f"dafnybench_recorded/published/{m}/seed_0" for m in ("gpt-4o", "gpt-3.5-turbo", "codellama-7b")),
    }
    before = runs
    shutil.rmtree(copy / "results/mlartifacts")
    (copy / "results/mlflow.db").unlink()
    done = run_snakemake(copy, "--cores", "1", "--forcerun", "track_experiment", repository=copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(json.loads((copy / "results/track/demo.json").read_text())) == set(before)


def test_a_real_mlflow_server_shows_the_experiment(finished: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            "mlflow",
            "server",
            "--backend-store-uri",
            "sqlite:///results/mlflow.db",
            "--port",
            str(port),
            "--workers",
            "1",
        ],
        cwd=finished,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        base = f"http://127.0.0.1:{port}"
        wait_for(f"{base}/health")
        read_back(base, json.loads((finished / "results/track/demo.json").read_text()), rates(finished))
    finally:
        os.killpg(server.pid, 9)
        server.wait()


def wait_for(url: str) -> None:
    deadline = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def read_back(base: str, ids: dict[str, str], table: dict[tuple[str, str], dict[str, str]]) -> None:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=base)
    experiment = client.get_experiment_by_name("demo")
    assert experiment is not None
    runs = {run.info.run_id: run for run in client.search_runs([experiment.experiment_id])}
    assert set(runs) == set(ids.values())
    child = runs[ids["mini/budget_3/oracle_dropout/seed_0"]]
    row = table["mini", "oracle_dropout"]
    for name in ("rate", "ci_low", "ci_high", "n", "accepted", "not_scored"):
        if name not in {"ci_low", "ci_high"}:  # a seed's interval has its own stream of chance
            assert child.data.metrics[name] == pytest.approx(float(row[name]), abs=1e-6)
        assert name in child.data.metrics
    assert child.data.params["max_attempts"] == "2"
    assert child.data.params["acceptance.checks"] == "minimum,assumptions,translation"
    assert child.data.params["gate"] == "strict"
    assert child.data.params["model.drop_probability"] == "0.3"
    assert child.data.tags["mlflow.parentRunId"] == ids["parent"]
    assert child.data.tags["veriloop.toolchain"].startswith("dafny-")
    assert {"veriloop.commit", "veriloop.config_hash"} <= set(child.data.tags)
    assert child.info.status == "FINISHED"
    files = {f.path for folder in ("tables", "figures") for f in client.list_artifacts(ids["parent"], folder)}
    assert {"tables/rates.csv", "figures/cumulative.png", "tables/rates.provenance.json"} <= files
