"""Where a result came from: code, commit, packages."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import json
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path

PACKAGE_ROOT = Path(__file__).parent
REPOSITORY = PACKAGE_ROOT.parents[2]


def digest(value: object) -> str:
    """A short hash of a JSON value, independent of the order of keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


@functools.cache
def _parsed(module: str) -> ast.Module | None:
    """The syntax tree of a module of this package, or None if there is no such module.

    Comments, layout and docstrings, which cannot change a result, are not in it.
    """
    base = PACKAGE_ROOT.parent.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return _without_docstrings(ast.parse(path.read_text(encoding="utf-8")))
    return None


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [s for s in node.body if not _is_docstring(s)] or [ast.Pass()]
    return tree


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in names if name.split(".")[0] == "veriloop"}


def dependencies(modules: Iterable[str]) -> dict[str, ast.Module]:
    """All modules of the package that the given ones import, themselves included.

    Args:
        modules: dotted names, for example `veriloop.stages.run`.

    Returns:
        Dotted name to syntax tree. A package counts by its `__init__`.
    """
    found: dict[str, ast.Module] = {}
    todo = list(modules)
    while todo:
        name = todo.pop()
        tree = _parsed(name)
        if tree is None or name in found:
            continue
        found[name] = tree
        todo.extend(_imported(tree))
    return found


@functools.cache
def _code_hash(modules: tuple[str, ...]) -> str:
    return digest({name: ast.dump(tree) for name, tree in dependencies(modules).items()})


def code_hash(*modules: str) -> str:
    """A short hash of the named modules and of every module of this package that they import.

    Snakemake sees a changed script but not a changed imported module, so rules carry this hash.
    """
    return _code_hash(tuple(sorted(modules)))


def folder_hash(folder: Path) -> str:
    """A short hash of the data files of a folder: everything but code, caches and Markdown."""
    files = sorted(
        p
        for p in folder.rglob("*")
        if p.is_file() and p.suffix not in {".py", ".pyc", ".md"} and "__pycache__" not in p.parts
    )
    return digest({str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files})


def commit() -> dict[str, str | bool]:
    """The git commit of this checkout and whether it has changes; `unknown` outside of git."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(REPOSITORY), *words],  # noqa: S607 - whichever git the person uses
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    try:
        return {
            "commit": git("rev-parse", "HEAD"),
            "dirty": bool(git("status", "--porcelain", "--untracked-files=no")),
        }
    except (OSError, subprocess.CalledProcessError):
        return {"commit": "unknown", "dirty": True}


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that can change a number; a job's environment may lack some."""
    names = ("numpy", "scipy", "matplotlib", "mlflow", "snakemake", "hydra-core", "pydantic")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not in this environment"
    return found
