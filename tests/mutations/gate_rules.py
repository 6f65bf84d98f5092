"""Each rule of the gates, removed in turn, must make a test fail: `make mutate-gates` prints the table.

A rule is a condition (never true), an operand of one, a violation or an insertion that is yielded, or a word of a set.
For each, the package is copied with that piece replaced, and the gates' unit tests run on the copy until one
fails. What no test notices is listed as `survived`, and the program ends with 1.
"""

from __future__ import annotations

import ast
import copy
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "workflow" / "scripts" / "veriloop"
MODULES = ("gate/strict/__init__.py", "gate/strict/alignment.py", "gate/strict/insertions.py", "gate/contract.py")
TESTS = ("test_adversarial_suite.py", "test_gate_strict.py", "test_gate_contract.py")
PYTEST = ("-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".")
MOST_TEXT = 70


@dataclass(frozen=True)
class Mutant:
    """A module with one rule less: what was removed, where, and the new text."""

    module: str
    place: str
    removed: str
    text: str


def mutants(module: str) -> Iterator[Mutant]:
    """All mutants of a module."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    for number, node in enumerate(ast.walk(tree)):
        for what, change in changes(node):
            mutated = copy.deepcopy(tree)
            target = next(other for at, other in enumerate(ast.walk(mutated)) if at == number)
            change(target)
            yield Mutant(module, enclosing(tree, node), what, ast.unparse(ast.fix_missing_locations(mutated)))


def changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    """What can be taken away at a node: a sentence, and a function that does it to a copy of the node."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
        yield f"`{short(node)}`", remove_yield
    if isinstance(node, ast.If) and not isinstance(node.test, ast.BoolOp):
        yield f"`if {short(node.test)}`", lambda n: setattr(n, "test", ast.Constant(False))
    if isinstance(node, ast.BoolOp):
        for at, operand in enumerate(node.values):
            yield f"`{short(operand)}` of `{short(node)}`", lambda n, i=at: n.values.pop(i)
    if isinstance(node, ast.comprehension):
        for at, test in enumerate(node.ifs):
            yield f"`if {short(test)}`", lambda n, i=at: n.ifs.pop(i)
    if isinstance(node, ast.Set) and all(isinstance(word, ast.Constant) for word in node.elts):
        for at, word in enumerate(node.elts):
            yield f"{short(word)} of {{{short(node)[1:-1]}}}", lambda n, i=at: n.elts.pop(i)


def remove_yield(node: ast.Expr) -> None:
    """Yield nothing instead."""
    node.value = ast.YieldFrom(ast.Tuple([], ast.Load()))


def short(node: ast.AST) -> str:
    """The code of a node in one line."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"


def enclosing(tree: ast.Module, node: ast.AST) -> str:
    """The function or constant that a node is part of."""
    found = ""
    for outer in ast.walk(tree):
        names = outer.targets if isinstance(outer, ast.Assign) else [getattr(outer, "target", None)]
        name = getattr(outer, "name", None) or next((n.id for n in names if isinstance(n, ast.Name)), None)
        if name and any(inner is node for inner in ast.walk(outer)) and not isinstance(outer, ast.ClassDef):
            found = found or name
    return found


def snapshot(source: Path, target: Path) -> None:
    """A copy of what the tests need."""
    for part in ("config", "docs", "workflow/scripts/veriloop", "tests/unit"):
        shutil.copytree(source / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))


def failing_test(mutant: Mutant, source: Path) -> str:
    """The first test that fails on a mutant of the source; empty where it survives."""
    with tempfile.TemporaryDirectory(prefix="veriloop-") as folder:
        root = Path(folder)
        snapshot(source, root)
        (root / "workflow" / "scripts" / "veriloop" / mutant.module).write_text(mutant.text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", *PYTEST, *(f"tests/unit/{test}" for test in TESTS)],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root / "workflow" / "scripts"), "HYPOTHESIS_STORAGE_DIRECTORY": folder},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode == 0:
            return ""
        found = re.search(r"^(?:FAILED|ERROR) .*?(test_\w+\.py)(?:::([^\s]+))?", done.stdout, re.MULTILINE)
        return f"{found[1]}: {found[2]}" if found else done.stdout.strip().splitlines()[-1][:100]


def main() -> int:
    """Print the table; 1 if a mutant survived."""
    every = [mutant for module in MODULES for mutant in mutants(module)]
    print("| where | without | first test that fails |\n| --- | --- | --- |")
    survived = 0
    # The tests run on what is there now, whatever is edited meanwhile.
    with tempfile.TemporaryDirectory(prefix="veriloop-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        snapshot(REPOSITORY, Path(folder))
        found = pool.map(partial(failing_test, source=Path(folder)), every)
        for mutant, test in zip(every, found, strict=True):
            survived += not test
            removed = mutant.removed.replace("|", "\\|")
            print(f"| {mutant.module}: {mutant.place} | {removed} | {test or '**survived**'} |", flush=True)
    print(f"\n{len(every)} rules removed in turn, {survived} survived.")
    return 1 if survived else 0


if __name__ == "__main__":
    raise SystemExit(main())
