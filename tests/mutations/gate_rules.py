"""Each rule of the gates, removed in turn, must make a test fail: `make mutate-gates` prints the table.

A rule is a condition (never true), an operand of one, a violation or an insertion that is yielded, or a word of a set.
Each is taken out of the loaded package, and the gates' unit tests, without those that draw examples by chance, run
until one fails. What no test notices is listed as `survived`, and the program ends with 1.
"""

from __future__ import annotations

import ast
import copy
import multiprocessing
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import veriloop.gate.contract
import veriloop.stages.suite  # noqa: F401 - loaded here, once for all processes

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "workflow" / "scripts" / "veriloop"
MODULES = ("gate/strict/insertions.py", "gate/strict/alignment.py", "gate/strict/__init__.py", "gate/contract.py")
"""In the order in which they import each other."""

TESTS = ("test_adversarial_suite.py", "test_gate_strict.py", "test_gate_contract.py")
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


class FirstFailure:
    """A plugin of pytest that remembers the first test that fails."""

    name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest after each part of a test."""
        if report.failed and not self.name:
            self.name = report.nodeid.removeprefix("tests/unit/")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Called by pytest after the collection of a file."""
        if report.failed and not self.name:
            self.name = f"{Path(report.nodeid).name} cannot be loaded"


def failing_test(mutant: Mutant) -> str:
    """The first test that fails with a mutant in the place of its module; empty where it survives."""
    seen = FirstFailure()
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            for module in MODULES:
                text = mutant.text if module == mutant.module else (PACKAGE / module).read_text(encoding="utf-8")
                # Modules that import from the mutated one are run again after it.
                exec(compile(text, module, "exec"), sys.modules[dotted(module)].__dict__)
        except Exception as error:  # noqa: BLE001 - whatever a mutant does while it is loaded is told
            return f"the module cannot be loaded ({type(error).__name__})"
        pytest.main(
            ["-x", "-q", "-m", "not hypothesis", "-p", "no:cacheprovider", *(f"tests/unit/{test}" for test in TESTS)],
            plugins=[seen],
        )
    return seen.name


def dotted(module: str) -> str:
    """The name by which a module is imported."""
    return ".".join(["veriloop", *Path(module.removesuffix("/__init__.py")).with_suffix("").parts])


def main() -> int:
    """Print the table; 1 if a mutant survived."""
    every = [mutant for module in MODULES for mutant in mutants(module)]
    print("| where | without | first test that fails |\n| --- | --- | --- |")
    survived = 0
    os.chdir(REPOSITORY)
    # Each mutant has a process of its own, forked when everything is loaded.
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for mutant, test in zip(every, pool.imap(failing_test, every), strict=True):
            survived += not test
            removed = mutant.removed.replace("|", "\\|")
            print(f"| {mutant.module}: {mutant.place} | {removed} | {test or '**survived**'} |", flush=True)
    print(f"\n{len(every)} rules removed in turn, {survived} survived.")
    return 1 if survived else 0


if __name__ == "__main__":
    raise SystemExit(main())
