"""Finding a part by its name: a benchmark, a proposer, a gate, a memory.

A part is a module inside its kind's package; adding one is adding that module, nothing else.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType

from veriloop.errors import UserError


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence that helps with an unknown name: the nearest known one, and all of them.

    Args:
        name: what was asked for.
        known: the names that exist; may be empty.
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}Known: {', '.join(names) or 'none'}"


def part_names(package: ModuleType) -> list[str]:
    """The names of all parts in a package, sorted; private modules are left out."""
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))


def find_part(package: ModuleType, name: str, where: str) -> ModuleType:
    """The module that holds the part `name`.

    Args:
        package: the kind's package, for example `veriloop.models`.
        name: the part's name.
        where: the dotted configuration key that asked, for the error message.

    Raises:
        UserError: no part of that name exists.
    """
    known = part_names(package)
    if name not in known:
        raise UserError(f"{where}={name!r}: there is no such part; {nearest(name, known)}")
    return importlib.import_module(f"{package.__name__}.{name}")
