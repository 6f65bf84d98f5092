"""The budget of an experiment, in money and tokens, kept by all its jobs together.

Before a question is sent the most that it can cost is put down; with the answer, what it did cost takes its place. So
no answer can exceed the budget. A question whose answer never arrived may have been billed and stays at its most; one
that was refused costs nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from veriloop.errors import UserError

T = TypeVar("T")
WAIT_SECONDS = 60.0
KINDS = ("dollars", "tokens")


@dataclass(frozen=True)
class Cost:
    """What a question costs."""

    dollars: float
    tokens: int


class Ledger:
    """The file that all jobs of an experiment share; processes and threads may use it at once."""

    def __init__(self, path: Path, budget: Mapping[str, float | None]) -> None:
        """Take the bounds.

        Args:
            path: the SQLite file; made if it is not there.
            budget: `dollars` and `tokens`; None: unbounded.
        """
        self._path = path
        self._budget = {kind: budget.get(kind) for kind in KINDS}

    def reserve(self, most: Cost) -> Callable[[Cost], None]:
        """Put down the most that a question can cost.

        Returns:
            What puts its cost in place of that, once it is known.

        Raises:
            UserError: it could exceed the budget.
        """

        def transaction(db: sqlite3.Connection) -> int:
            sums = db.execute("SELECT total(dollars), total(tokens) FROM cost").fetchone()
            for kind, spent in zip(KINDS, sums, strict=True):
                bound, next_one = self._budget[kind], getattr(most, kind)
                if bound is not None and spent + next_one > bound:
                    raise UserError(
                        f"budget.{kind}={bound:g}: {spent:.6g} are spent or promised, and the next question may cost "
                        f"up to {next_one:.6g}; raise the budget and run again with --rerun-incomplete: what is "
                        "answered is not asked again"
                    )
            made = db.execute("INSERT INTO cost (dollars, tokens) VALUES (?, ?)", (most.dollars, most.tokens))
            return int(made.lastrowid or 0)

        return partial(self._settle, self._changed(transaction))

    def _settle(self, entry: int, cost: Cost) -> None:
        values = (cost.dollars, cost.tokens, entry)
        self._changed(lambda db: db.execute("UPDATE cost SET dollars = ?, tokens = ? WHERE entry = ?", values))

    def _changed(self, action: Callable[[sqlite3.Connection], T]) -> T:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=WAIT_SECONDS, isolation_level=None)) as db:
                db.execute("CREATE TABLE IF NOT EXISTS cost (entry INTEGER PRIMARY KEY, dollars REAL, tokens REAL)")
                db.execute("BEGIN IMMEDIATE")
                try:
                    done = action(db)
                except BaseException:
                    db.execute("ROLLBACK")
                    raise
                db.execute("COMMIT")
                return done
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"{self._path}: the budget cannot be kept ({error}), so nothing is asked; make the folder writable and "
                "give it room, then run again"
            ) from None
