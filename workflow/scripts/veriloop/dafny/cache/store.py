"""Where entries lie: one SQLite file for all jobs of a machine, bounded in size, rebuilt when it is damaged.

Every operation opens the file anew. That costs a fifth of a millisecond and nothing is left to go wrong: threads and
forked processes share no connection, and a file that another process rebuilt is found by its name. The journal is
SQLite's default one and not a write-ahead log, because opening and closing is then more than twice as fast, entries
can be read from a folder that is read-only, and network file systems are not excluded. Nothing waits for the disk
(`synchronous = OFF`): a transaction still is complete or absent when its process is killed. After a power cut the file
can be damaged; it is then rebuilt, and what is read is believed only if it answers the very question.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from veriloop.download import home_folder
from veriloop.errors import UserError

T = TypeVar("T")

FILE_NAME = "verifier-1.sqlite"
"""The number is that of the tables below; another layout is another file."""

FOLDER_SETTING = "VERILOOP_CACHE"
BOUND_SETTING = "VERILOOP_CACHE_MB"
BOUND_MB = 2048
"""How large the cache may grow where the setting is not given, in MB of 10^6 bytes; an entry takes about 2 kB."""

WAIT_SECONDS = 10.0
"""How long an operation waits for another process that writes."""

TOUCH_SECONDS = 3600.0
"""Use is noted at most so often, so that a hit is a read: the least recently used are known to this precision."""

KEPT_SHARE = 0.9
"""To what share of the bound a full cache is emptied, so that not every write has to make room."""

BATCH = 20
"""Entries that go at a time; small, so that a small cache does not lose all at once."""

TABLES = """
CREATE TABLE entries (
  key TEXT PRIMARY KEY, family TEXT NOT NULL, outcome TEXT NOT NULL, used REAL NOT NULL, entry BLOB NOT NULL
);
CREATE INDEX by_use ON entries (used);
CREATE INDEX by_family ON entries (family, outcome);
"""
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""What SQLite says of a broken file. The last is its word for wrong SQL: ours is right for a file that is whole."""


class StoreError(UserError):
    """The cache cannot be used; the message names the file and the reason."""


class Stored(NamedTuple):
    """An entry as it was read: its bytes, and when it was used last (seconds since 1970)."""

    entry: bytes
    used: float

    def is_to_be_touched(self) -> bool:
        """Whether the last use was noted so long ago that this one is to be noted."""
        return time.time() - self.used >= TOUCH_SECONDS


class Store:
    """Entries by key.

    Attributes:
        path: the file; it and its folder are made by the first write.
        bound: how large it may grow, in bytes.

    Every method raises StoreError where file, folder or disk do not allow it. A damaged file is moved aside, with a
    warning that names it, and is then an empty one.
    """

    def __init__(self, folder: Path, bound: int) -> None:
        self.path = folder / FILE_NAME
        self.bound = bound

    def get(self, key: str) -> Stored | None:
        """The entry under a key; None where there is none."""
        rows = self._read("SELECT entry, used FROM entries WHERE key = ?", key)
        entry, used = rows[0] if rows else (None, None)
        # A file with a flipped bit can hold any type anywhere.
        return Stored(entry, used) if isinstance(entry, bytes) and isinstance(used, float) else None

    def put(self, key: str, family: str, outcome: str, entry: bytes) -> None:
        """Keep an entry, in place of one that has its key, and let the least recently used go if it gets too much."""

        def insert(db: sqlite3.Connection) -> None:
            row = (key, family, outcome, time.time(), entry)
            db.execute("INSERT OR REPLACE INTO entries (key, family, outcome, used, entry) VALUES (?, ?, ?, ?, ?)", row)
            if _bytes_used(db) > self.bound:
                _make_room(db, self.bound * KEPT_SHARE)

        self._write(insert)

    def touch(self, key: str) -> None:
        """Note that an entry was used now."""
        self._write(lambda db: db.execute("UPDATE entries SET used = ? WHERE key = ?", (time.time(), key)))

    def size_bytes(self) -> int:
        """The size of the file; 0 where there is none yet."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def outcomes(self) -> dict[str, int]:
        """How many entries there are by outcome."""
        return dict(self._read("SELECT outcome, count(*) FROM entries GROUP BY outcome ORDER BY outcome"))

    def families(self) -> dict[str, int]:
        """How many entries there are by family; see `Conditions.family`."""
        return dict(self._read("SELECT family, count(*) FROM entries GROUP BY family ORDER BY family"))

    def keys(self, family: str) -> list[str]:
        """The keys of a family, sorted."""
        return [key for (key,) in self._read("SELECT key FROM entries WHERE family = ? ORDER BY key", family)]

    def prune(self, *, everything: bool) -> int:
        """Remove all entries, or the least recently used beyond the bound, and give their room back to the disk.

        Returns:
            How many entries went.
        """
        if not self.outcomes():
            return 0

        def remove(db: sqlite3.Connection) -> int:
            before = _count(db)
            if everything:
                db.execute("DELETE FROM entries")
            else:
                _make_room(db, self.bound)
            return before - _count(db)

        gone = self._write(remove)
        self._connected(lambda db: db.execute("VACUUM"))
        if everything:
            self._aside().unlink(missing_ok=True)
        return gone

    def _read(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        # Reading makes no file: a folder that is not there yet is an empty cache.
        return self._connected(lambda db: db.execute(query, values).fetchall()) if self.size_bytes() else []

    def _write(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Do something in one transaction, complete or not at all whatever happens to this process."""

        def transaction(db: sqlite3.Connection) -> T:
            with _begun(db):
                return action(db)

        return self._connected(transaction)

    def _connected(self, action: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with the open file, and once more if it turns out to be damaged and is rebuilt."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            seen = self._inode()
            try:
                return self._on_file(action)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._set_aside(seen, error)
                return self._on_file(action)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self.path}: {error}") from None

    def _on_file(self, action: Callable[[sqlite3.Connection], T]) -> T:
        with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")
            if not _has_tables(db):
                _make_tables(db)
            return action(db)

    def _inode(self) -> int | None:
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return None

    def _aside(self) -> Path:
        return self.path.with_suffix(".damaged")

    def _set_aside(self, seen: int | None, error: sqlite3.DatabaseError) -> None:
        """Move a damaged file away, unless another process did so since it was looked at.

        The damaged file is kept, and with it its inode: the number of the new one is another.
        """
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self._inode() != seen:
                return
            # A journal of the damaged file would be played back into the new one.
            Path(f"{self.path}-journal").unlink(missing_ok=True)
            self.path.replace(self._aside())
        logging.warning("%s is damaged (%s); moved to %s and rebuilt", self.path, error, self._aside().name)


def shared_store() -> Store:
    """The cache of this machine, as large as VERILOOP_CACHE_MB allows.

    It lies in the folder that VERILOOP_CACHE names, else in `cache` below VERILOOP_HOME.

    Raises:
        UserError: VERILOOP_CACHE_MB is not a number above zero.
    """
    given = os.environ.get(BOUND_SETTING) or str(BOUND_MB)
    try:
        bound = int(float(given) * 1e6)
    except (ValueError, OverflowError):
        bound = 0
    if bound <= 0:
        raise UserError(f"{BOUND_SETTING}={given}: not a number of MB above zero; correct or unset the variable")
    named = os.environ.get(FOLDER_SETTING)
    return Store(Path(named) if named else home_folder() / "cache", bound)


@contextmanager
def _begun(db: sqlite3.Connection) -> Iterator[None]:
    """A transaction that waits for its turn before it reads, so that two of them never wait for each other."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _has_tables(db: sqlite3.Connection) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'by_family'").fetchall())


def _make_tables(db: sqlite3.Connection) -> None:
    with _begun(db):
        if not _has_tables(db):
            for statement in filter(str.strip, TABLES.split(";")):
                db.execute(statement)


def _count(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM entries").fetchone()[0])


def _bytes_used(db: sqlite3.Connection) -> int:
    """Bytes of the pages in use; SQLite keeps pages that became free and fills them first."""
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _make_room(db: sqlite3.Connection, most: float) -> None:
    """Let the least recently used entries go until no more than so many bytes are in use."""
    while _bytes_used(db) > most:
        gone = db.execute(
            "DELETE FROM entries WHERE key IN (SELECT key FROM entries ORDER BY used, rowid LIMIT ?)", (BATCH,)
        )
        if not gone.rowcount:
            return


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is broken, and not the disk, the folder or a lock; the low byte is the kind."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED
