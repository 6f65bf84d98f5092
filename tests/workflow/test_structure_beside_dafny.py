"""The structural parser sees the declarations that Dafny sees: compared with Dafny's own print of resolved programs."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from veriloop.benchmarks.dafnybench import Loader, Options
from veriloop.benchmarks.mini import Loader as MiniLoader
from veriloop.benchmarks.mini import Options as MiniOptions
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.process import run_bounded
from veriloop.dafny.statements import Node
from veriloop.dafny.structure import structure

OLD_NAMES = {"copredicate": "predicate", "colemma": "lemma", "comethod": "method"}
"""Words of old versions, which Dafny prints as new ones with a modifier."""

MEMBERS = {"const", "function", "predicate", "method", "lemma", "constructor", "var"}
SCOPES = {"module", "datatype", "codatatype", "type", "newtype", "class", "trait"}
OTHERS = SCOPES | {"import", "export", "iterator"}


def printed(program: str, verifier: ColdVerifier) -> str | None:
    """Dafny's print of a program; None if it does not resolve."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.dfy").write_bytes(program.encode())
        command = [*verifier.toolchain.command, "resolve", "--allow-warnings", "--print", "printed.dfy", "program.dfy"]
        done = run_bounded(
            command,
            cwd=Path(folder),
            extra_env=verifier.toolchain.env,
            wall_seconds=120,
            memory_mb=4096,
            output_bytes=5_000_000,
        )
        found = Path(folder) / "printed.dfy"
        return found.read_text(encoding="utf-8") if done.exit_code == 0 and found.is_file() else None


def declared(nodes: list[Node]) -> list[list[tuple]]:
    """Members, then other declarations of a scope, each in order; Dafny prints a module's own members together."""
    found: list[list[tuple]] = [[], []]
    for node in nodes:
        kind = OLD_NAMES.get(node.kind, node.kind)
        if kind in MEMBERS | OTHERS:
            inner = declared(node.parts) if kind in SCOPES else None
            together = [node, *node.parts] if kind == "var" else [node]
            found[kind in OTHERS] += [(kind, one.name, inner) for one in together]
    return found


def differs(program: str, verifier: ColdVerifier) -> bool | None:
    """Whether the two see different declarations; None if Dafny cannot resolve the program."""
    text = printed(program, verifier)
    return None if text is None else declared(structure(program)[1]) != declared(structure(text)[1])


@pytest.fixture(scope="module")
def standard(any_verifier: ColdVerifier) -> ColdVerifier:
    if any_verifier.toolchain.command_line != "verify":
        pytest.skip("Dafny 2.3.0 cannot print what it has resolved in this way")
    return any_verifier


@pytest.mark.parametrize("task", MiniLoader(MiniOptions()).tasks()[::9], ids=lambda task: task.id)
def test_declarations_of_mini_are_those_that_dafny_sees(task, standard: ColdVerifier) -> None:
    assert differs(task.ground_truth, standard) is False


@pytest.mark.long
def test_declarations_of_dafnybench_are_those_that_dafny_sees(dafnybench: Path, standard: ColdVerifier) -> None:
    tasks = Loader(Options(content="programs")).tasks()
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda task: differs(str(task.ground_truth), standard), tasks))
    assert [task.id for task, differ in zip(tasks, found, strict=True) if differ] == []
    assert sum(differ is False for differ in found) > 700
