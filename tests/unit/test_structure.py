"""The architecture can be seen from the names, and stays so."""

import ast
import re
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = sorted((REPOSITORY / "workflow" / "scripts").glob("*.py"))
MODULES = sorted((REPOSITORY / "workflow" / "scripts" / "veriloop").rglob("*.py"))
RULES = sorted((REPOSITORY / "workflow" / "rules").glob("*.smk"))
VERBS = {"provide", "curate", "run", "score", "estimate", "compare", "tabulate", "plot", "render", "track", "check"}


def named(paths: list[Path]) -> list:
    return [pytest.param(path, id=str(path.relative_to(REPOSITORY / "workflow"))) for path in paths]


def test_the_snakefile_is_a_table_of_contents() -> None:
    assert len((REPOSITORY / "Snakefile").read_text().splitlines()) <= 60


@pytest.mark.parametrize("path", named(RULES))
def test_rules_are_named_like_their_file_script_and_log(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= (80 if path.stem == "common" else 150)
    assert not re.search(r"^\s+run:", text, re.MULTILINE)
    rules = re.split(r"^rule ", text, flags=re.MULTILINE)[1:]
    for rule in rules:
        name = rule.partition(":")[0]
        assert name.split("_")[0] == path.stem
        assert name.split("_")[0] in VERBS
        assert f'"../scripts/{name}.py"' in rule
        assert f'"logs/{name}/' in rule
        for directive in ("message:", "output:", "params:", "log:", "conda:", "script:"):
            assert directive in rule, (name, directive)


def test_every_script_belongs_to_a_rule() -> None:
    rules = {m for path in RULES for m in re.findall(r"^rule (\w+):", path.read_text(), re.MULTILINE)}
    assert rules == {path.stem for path in SCRIPTS}


@pytest.mark.parametrize("path", named(SCRIPTS))
def test_a_script_is_one_call(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    main = ast.parse(text).body[-1]
    assert isinstance(main, ast.If)
    (block,) = main.body
    assert isinstance(block, ast.With)
    assert len(block.body) == 1
    assert "snakemake.config" not in text
    for statement in ast.parse(text).body[:-1]:
        assert not [node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == "snakemake"]


@pytest.mark.parametrize("path", named(MODULES))
def test_modules_and_functions_stay_small_and_know_no_snakemake(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert path.stem not in {"utils", "helpers", "misc"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert "snakemake" not in ast.unparse(node)


def test_the_pins_of_every_environment_are_those_of_the_lock_file() -> None:
    """For Python 3.11, which the environments name; the lock file has other versions for newer Pythons."""
    locked: dict[str, str] = {}
    for line in (REPOSITORY / "envs" / "requirements.lock").read_text().splitlines():
        match = re.match(r"([a-z0-9-]+)==(\S+)(?: ; (.*?))? \\", line)
        if match and not (match[3] or "").startswith("python_full_version >= '3.12'"):
            locked[match[1]] = match[2]
    files = [REPOSITORY / "environment.yml", *sorted((REPOSITORY / "envs").glob("*.yaml"))]
    assert len(files) == 4
    for file in files:
        for pin in yaml.safe_load(file.read_text())["dependencies"]:
            if isinstance(pin, str) and pin not in {"python=3.11", "pip"}:
                name, _, version = pin.partition("=")
                assert locked[name] == version, (file.name, pin)


def test_nothing_else_joins_the_top_level() -> None:
    import subprocess

    files = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert {line.split("/")[0] for line in files.splitlines()} <= {
        *("Snakefile", "config", "workflow", "envs", "tests", "environment.yml", "README.md", "CONTRIBUTING.md"),
        *("CHANGELOG.md", "LICENSE", "pyproject.toml", "Makefile", "docs", ".ci", ".gitignore"),
    }
