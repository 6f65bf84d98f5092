"""The verifier's cache: nothing but the exact question finds an answer, and no trouble with it changes a verdict."""

import json
import logging
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import result
from hypothesis import given
from hypothesis import strategies as st
from veriloop.cli import main
from veriloop.config.toolchain import Limits
from veriloop.dafny.cache import CachedVerifier, Conditions, Entry, Store, StoreError, conditions_of, shared_store
from veriloop.dafny.cache import store as store_module
from veriloop.dafny.cache import verifier as verifier_module
from veriloop.dafny.cache.entry import decoded, key_of
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.toolchain import Toolchain
from veriloop.errors import UserError
from veriloop.outcomes import FAULTS, Diagnostic, Outcome, VerifierResult
from veriloop.stages.caches import differences
from veriloop.tasks import text_sha256

LIMITS = Limits(resource=1000, wall_seconds=10, memory_mb=64, output_bytes=1024, program_bytes=1024)
LARGE = 50_000_000


def toolchain(**changes: object) -> Toolchain:
    fields = {"name": "dafny-4", "version": "4", "solver": "z3 4", "command_line": "verify", "command": ["/a/dafny"]}
    fields |= {"env": {}, "solver_path": "/a/z3", "origin": "mirror", "content_sha256": "0", "solver_sha256": "1"}
    return Toolchain.model_validate(fields | changes)


def conditions(limits: Limits = LIMITS, **changes: object) -> Conditions:
    return conditions_of(ColdVerifier(toolchain(**changes), limits))


class Asked:
    """A verifier that counts how often it was asked, and answers what it was made with."""

    def __init__(self, outcome: Outcome = Outcome.VERIFIED, **changes: object) -> None:
        self.times = 0
        self.answer = result(outcome, wall_seconds=2.5, verified=3, output="said", **changes)

    def verify(self, program: str, minimum_verified: int = 1) -> VerifierResult:
        self.times += 1
        return self.answer.model_copy(update={"program_sha256": text_sha256(program)})


def cached(folder: Path, inner: Asked | None = None, bound: int = LARGE) -> CachedVerifier:
    return CachedVerifier(inner or Asked(), Store(folder, bound), conditions())


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.message for r in caplog.records if r.levelno >= logging.WARNING]


# The key


@given(st.text(), st.text(), st.integers(0, 50), st.integers(0, 50))
def test_keys_are_equal_exactly_where_bytes_and_minimum_are(one: str, other: str, least: int, most: int) -> None:
    same = key_of(conditions(), one, least) == key_of(conditions(), other, most)
    assert same == ((one.encode(), least) == (other.encode(), most))


@pytest.mark.parametrize(
    ("one", "other"), [("é", "e\u0301"), ("a\n", "a\r\n"), ("a", "\ufeffa"), ("a", "a "), ("a", "a\n"), ("a", "A")]
)
def test_texts_that_look_alike_have_keys_of_their_own(one: str, other: str) -> None:
    assert key_of(conditions(), one, 1) != key_of(conditions(), other, 1)


@given(st.sampled_from(sorted(toolchain().identity())), st.text(min_size=1))
def test_another_identity_of_the_toolchain_is_another_key(field: str, value: str) -> None:
    same = toolchain().identity()[field] == value
    assert (key_of(conditions(**{field: value}), "p", 1) == key_of(conditions(), "p", 1)) == same


@given(st.sampled_from(sorted(Limits.model_fields)), st.integers(1024, 10_000))
def test_every_limit_is_part_of_the_key(field: str, value: int) -> None:
    changed = Limits.model_validate(LIMITS.model_dump() | {field: value})
    same = changed == LIMITS
    assert (key_of(conditions(changed), "p", 1) == key_of(conditions(), "p", 1)) == same


@given(st.lists(st.text(min_size=1)))
def test_other_options_way_or_code_are_another_key(words: list[str]) -> None:
    base = conditions()
    for field, value in (
        ("arguments", tuple(words)),
        ("way", tuple(words)),
        ("code", " ".join(words)),
        ("toolchain", {word: word for word in words}),
    ):
        assert key_of(base.model_copy(update={field: value}), "p", 1) != key_of(base, "p", 1)


@pytest.mark.parametrize("command_line", ["verify", "legacy"])
def test_where_a_copy_lies_and_how_it_came_is_no_part_of_the_key(command_line: str) -> None:
    one = conditions(command_line=command_line)
    moved = {"command": ["/elsewhere/dafny"], "solver_path": "/elsewhere/bin/z3", "origin": "archive"}
    other = conditions(command_line=command_line, **moved)
    assert key_of(one, "p", 1) == key_of(other, "p", 1)
    assert any("SOLVER" in word for word in one.arguments)
    assert not any("/a/" in word for word in one.arguments)


def test_answers_of_a_path_that_names_other_modules_are_apart() -> None:
    cold = ColdVerifier(toolchain(), LIMITS)
    other = conditions_of(cold, ("veriloop.dafny.lexer", "veriloop.dafny.cold"))
    assert key_of(other, "p", 1) != key_of(conditions_of(cold), "p", 1)
    assert other.is_current(toolchain().identity())
    assert not other.model_copy(update={"code": "old"}).is_current(toolchain().identity())


# Hits and misses


def test_a_hit_is_what_was_found_first_but_for_the_time(tmp_path: Path) -> None:
    inner = Asked(diagnostics=(Diagnostic(severity="warning", category="x", message="ü", file="f", line=1, column=0),))
    first = cached(tmp_path, inner).verify("p")
    again = cached(tmp_path, inner).verify("p")
    assert inner.times == 1
    assert (first.cached, again.cached) == (False, True)
    assert again.wall_seconds < first.wall_seconds == 2.5
    assert again.model_copy(update={"cached": False, "wall_seconds": 2.5}) == first


def test_another_program_or_minimum_is_asked(tmp_path: Path) -> None:
    verifier = cached(tmp_path, inner := Asked())
    verifier.verify("p")
    assert not verifier.verify("q").cached
    assert not verifier.verify("p", minimum_verified=2).cached
    assert inner.times == 3


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_kept_but_a_fault(outcome: Outcome, tmp_path: Path) -> None:
    verifier = cached(tmp_path, Asked(outcome))
    verifier.verify("p")
    assert verifier.verify("p").cached == (outcome not in FAULTS)
    assert verifier.store.outcomes() == ({} if outcome in FAULTS else {outcome: 1})


@pytest.mark.parametrize("guard", ["wall_seconds", "memory_mb", "output_bytes", "resource"])
def test_what_a_limit_ended_is_known_under_that_limit_only(guard: str, tmp_path: Path) -> None:
    inner = Asked(Outcome.TIMEOUT, limit_hit="wall")
    store = Store(tmp_path, LARGE)
    CachedVerifier(inner, store, conditions()).verify("p")
    larger = Limits.model_validate(LIMITS.model_dump() | {guard: 5000})
    assert CachedVerifier(inner, store, conditions()).verify("p").cached
    assert not CachedVerifier(inner, store, conditions(larger)).verify("p").cached


def test_what_was_refused_without_a_run_takes_no_room(tmp_path: Path) -> None:
    inner = SimpleNamespace(verify=ColdVerifier(toolchain(), LIMITS).verify)
    verifier = CachedVerifier(inner, Store(tmp_path, LARGE), conditions())
    assert verifier.verify("x" * 2000).outcome is Outcome.MALFORMED
    assert verifier.store.outcomes() == {}


def stored_bytes(folder: Path) -> bytes:
    (family,) = Store(folder, LARGE).families()
    (key,) = Store(folder, LARGE).keys(family)
    found = Store(folder, LARGE).get(key)
    assert found is not None
    return found.entry


def plant(folder: Path, entry: bytes) -> None:
    with closing(sqlite3.connect(folder / store_module.FILE_NAME)) as db, db:
        db.execute("UPDATE entries SET entry = ?", (entry,))


def test_a_value_with_any_flipped_byte_counts_as_absent_and_is_replaced(tmp_path: Path) -> None:
    verifier = cached(tmp_path, inner := Asked())
    verifier.verify("p")
    good = stored_bytes(tmp_path)
    for place in range(0, len(good), 7):
        bad = bytearray(good)
        bad[place] ^= 0x20
        entry = decoded(bytes(bad))
        assert entry is None or entry == decoded(good)
    plant(tmp_path, good[:-1])
    assert not verifier.verify("p").cached
    assert verifier.verify("p").cached
    assert inner.times == 2


@pytest.mark.parametrize("change", [{"program": "q"}, {"minimum_verified": 0}, {"later": 1}])
def test_an_entry_that_answers_another_question_or_is_of_another_version_counts_as_absent(
    change: dict[str, object], tmp_path: Path
) -> None:
    import zlib

    verifier = cached(tmp_path)
    verifier.verify("p")
    fields = json.loads(zlib.decompress(stored_bytes(tmp_path)))
    plant(tmp_path, zlib.compress(json.dumps(fields | change).encode()))
    assert not verifier.verify("p").cached
    plant(tmp_path, b"")
    assert not verifier.verify("p").cached


# The bound


def fill(store: Store, names: list[str], kilobytes: int = 10) -> None:
    for name in names:
        store.put(name, "f", "verified", os.urandom(kilobytes * 1000))


def test_the_file_stays_within_its_bound_and_the_least_recently_used_go(tmp_path: Path) -> None:
    store = Store(tmp_path, 2_000_000)
    names = [f"{number:04d}" for number in range(400)]
    fill(store, names[:100])
    for name in names[:10]:
        store.touch(name)
    for name in names[100:]:
        fill(store, [name])
        assert store.size_bytes() <= store.bound + 20_000
        store.touch(names[0])
    kept = store.keys("f")
    assert kept[0] == names[0]
    assert kept[1:] == names[401 - len(kept) :]
    assert 100 < len(kept) < 200


def test_use_is_noted_once_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verifier = cached(tmp_path)
    verifier.verify("p")
    (key,) = verifier.store.keys(conditions().family())

    def used() -> float:
        found = verifier.store.get(key)
        assert found is not None
        return found.used

    first = used()
    verifier.verify("p")
    assert used() == first
    monkeypatch.setattr(store_module, "TOUCH_SECONDS", 0.0)
    verifier.verify("p")
    assert used() > first


def test_an_entry_larger_than_the_bound_is_not_kept_and_does_no_harm(tmp_path: Path) -> None:
    store = Store(tmp_path, 100_000)
    fill(store, ["large"], kilobytes=300)
    assert store.get("large") is None
    fill(store, ["small"])
    assert store.get("small") is not None


def test_prune_goes_to_the_bound_or_removes_all_and_shrinks_the_file(tmp_path: Path) -> None:
    fill(Store(tmp_path, LARGE), [f"{number:03d}" for number in range(100)])
    smaller = Store(tmp_path, 500_000)
    gone = smaller.prune(everything=False)
    assert 50 <= gone < 80
    assert smaller.size_bytes() <= 500_000
    assert smaller.keys("f") == [f"{number:03d}" for number in range(gone, 100)]
    assert smaller.prune(everything=True) == 100 - gone
    assert smaller.outcomes() == {}
    assert smaller.size_bytes() < 50_000


@pytest.mark.parametrize("value", ["0", "-5", "many", "inf", "nan"])
def test_a_bound_that_is_none_is_a_sentence(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERILOOP_CACHE_MB", value)
    with pytest.raises(UserError, match=f"VERILOOP_CACHE_MB={value}: not a number of MB above zero"):
        shared_store()


# Many processes, and kill -9


def write_many(folder: Path, first: int, count: int) -> None:
    verifier = cached(folder)
    for number in range(first, first + count):
        assert verifier.verify(f"program {number}").outcome is Outcome.VERIFIED


def check_whole(folder: Path) -> int:
    """The file is sound and every entry is complete and stands under its own key; how many there are."""
    with closing(sqlite3.connect(folder / store_module.FILE_NAME)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = db.execute("SELECT key, entry FROM entries").fetchall()
    for key, stored in rows:
        entry = decoded(stored)
        assert isinstance(entry, Entry)
        assert entry.key() == key
        assert entry.result.program_sha256 == text_sha256(entry.program)
    return len(rows)


def test_four_processes_write_at_once_and_nothing_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each writes 20 programs, of which 10 are also another's."""
    writers = [multiprocessing.Process(target=write_many, args=(tmp_path, 10 * n, 20)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert check_whole(tmp_path) == 50
    verifier = cached(tmp_path)
    assert all(verifier.verify(f"program {number}").cached for number in range(50))
    assert warnings_of(caplog) == []


def test_threads_may_share_one_verifier(tmp_path: Path) -> None:
    verifier = cached(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(verifier.verify, [f"program {number % 10}" for number in range(80)]))
    assert check_whole(tmp_path) == 10


def test_a_writer_that_is_killed_at_any_moment_leaves_complete_entries(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(5)
    found = 0
    for turn in range(8):
        writer = multiprocessing.Process(target=write_many, args=(tmp_path, turn * 1000, 1000))
        writer.start()
        limit = time.monotonic() + 20
        while Store(tmp_path, LARGE).outcomes().get("verified", 0) == found and time.monotonic() < limit:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.05))
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        write_many(tmp_path, turn * 1000, 1)
        now = check_whole(tmp_path)
        assert now > found
        found = now
    assert warnings_of(caplog) == []


def test_a_writer_that_hangs_costs_a_wait_and_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_module, "WAIT_SECONDS", 0.3)
    verifier = cached(tmp_path)
    verifier.verify("p")
    with closing(sqlite3.connect(verifier.store.path, isolation_level=None)) as hanging:
        hanging.execute("BEGIN EXCLUSIVE")
        start = time.monotonic()
        answers = [verifier.verify(f"program {number}") for number in range(20)]
        assert time.monotonic() - start < 5
    assert {answer.outcome for answer in answers} == {Outcome.VERIFIED}
    (warning,) = warnings_of(caplog)
    assert "locked" in warning
    assert verifier_module.REST_SECONDS > 10
    monkeypatch.setattr(verifier, "_rests", {})
    assert verifier.verify("p").cached


# A damaged file, a full disk, a folder that is read-only


def overwrite(path: Path, start: float) -> None:
    """Put rubbish over a file from a share of its length on."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(int(size * start))
        file.write(random.Random(1).randbytes(size - int(size * start)))


@pytest.mark.parametrize("start", [0.0, 0.001, 0.03])
def test_a_damaged_file_is_rebuilt_with_one_warning_that_names_it(
    start: float, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_many(tmp_path, 0, 40)
    path = tmp_path / store_module.FILE_NAME
    overwrite(path, start)
    verifier = cached(tmp_path)
    assert {verifier.verify(f"program {number}").outcome for number in range(40)} == {Outcome.VERIFIED}
    (warning,) = warnings_of(caplog)
    assert str(path) in warning
    assert "is damaged" in warning
    assert check_whole(tmp_path) == 40
    assert all(verifier.verify(f"program {number}").cached for number in range(40))
    assert verifier.store.prune(everything=True) == 40
    assert {p.name for p in tmp_path.iterdir()} == {"verifier-1.sqlite", "verifier-1.lock"}


@pytest.mark.parametrize("start", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_wherever_a_file_is_damaged_no_answer_is_wrong(
    start: float, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_many(tmp_path, 0, 40)
    overwrite(tmp_path / store_module.FILE_NAME, start)
    verifier = cached(tmp_path, Asked(Outcome.REFUTED))
    for number in range(40):
        answer = verifier.verify(f"program {number}")
        assert answer.outcome is (Outcome.VERIFIED if answer.cached else Outcome.REFUTED)
        assert answer.program_sha256 == text_sha256(f"program {number}")
    assert all(str(tmp_path) in warning for warning in warnings_of(caplog))


def test_the_journal_of_a_damaged_file_is_not_played_into_the_new_one(tmp_path: Path) -> None:
    write_many(tmp_path, 0, 5)
    path = tmp_path / store_module.FILE_NAME
    overwrite(path, 0)
    Path(f"{path}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(2000))
    write_many(tmp_path, 0, 5)
    assert check_whole(tmp_path) == 5


def rebuild(folder: Path) -> None:
    cached(folder).verify(f"by {os.getpid()}")


def test_of_processes_that_find_a_damaged_file_one_rebuilds_it(tmp_path: Path) -> None:
    write_many(tmp_path, 0, 5)
    overwrite(tmp_path / store_module.FILE_NAME, 0)
    finders = [multiprocessing.Process(target=rebuild, args=(tmp_path,)) for _ in range(6)]
    for finder in finders:
        finder.start()
    for finder in finders:
        finder.join()
    assert check_whole(tmp_path) == 6


def mounted(folder: Path, options: str) -> Iterator[Path]:
    command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    yield from mounted(tmp_path, "size=100k")


def test_a_full_disk_loses_only_the_caching(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    verifier = cached(small_disk, inner := Asked())
    programs = [str(number) + random.Random(number).randbytes(5000).hex() for number in range(40)]
    assert {verifier.verify(program).outcome for program in programs} == {Outcome.VERIFIED}
    (warning,) = warnings_of(caplog)
    assert str(small_disk) in warning
    assert "full" in warning
    assert verifier.verify(programs[0]).cached
    assert inner.times == 40
    assert 0 < check_whole(small_disk) < 40
    subprocess.run(["mount", "-o", "remount,size=10m", str(small_disk)], check=True)
    write_many(small_disk, 0, 5)
    assert check_whole(small_disk) >= 6


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder with one entry, of program "p", that nobody can write to, root included."""
    cached(tmp_path).verify("p")
    content = (tmp_path / store_module.FILE_NAME).read_bytes()
    if os.geteuid() != 0:
        tmp_path.chmod(0o555)
        yield tmp_path
        tmp_path.chmod(0o755)
        return
    for folder in mounted(tmp_path, "size=1m"):
        (folder / store_module.FILE_NAME).write_bytes(content)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield folder


def test_a_folder_that_is_read_only_still_answers(
    read_only: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_module, "TOUCH_SECONDS", 0.0)
    verifier = cached(read_only)
    assert verifier.verify("p").cached
    assert [verifier.verify(name).outcome for name in ("q", "r")] == [Outcome.VERIFIED] * 2
    (warning,) = warnings_of(caplog)
    assert str(read_only) in warning


def test_a_folder_that_cannot_be_made_loses_only_the_caching(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    verifier = cached(tmp_path / "file" / "cache")
    assert [verifier.verify("p").outcome for _ in range(3)] == [Outcome.VERIFIED] * 3
    assert len(warnings_of(caplog)) == 1
    with pytest.raises(StoreError, match=str(tmp_path)):
        verifier.store.put("k", "f", "verified", b"")


# The command


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("VERILOOP_CACHE", raising=False)
    monkeypatch.setenv("VERILOOP_HOME", str(tmp_path))
    monkeypatch.delenv("VERILOOP_CACHE_MB", raising=False)
    return tmp_path


def test_stats_and_prune_tell_what_is_there(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = home / "cache" / store_module.FILE_NAME
    assert main(["cache", "stats"]) == 0
    assert capsys.readouterr().out == f"{path}: 0 entries, 0.0 MB of at most 2,048 MB\n"
    assert not path.exists()
    for number, outcome in enumerate((Outcome.VERIFIED, Outcome.REFUTED, Outcome.VERIFIED)):
        CachedVerifier(Asked(outcome), shared_store(), conditions()).verify(str(number))
    assert main(["cache", "stats"]) == 0
    assert capsys.readouterr().out == f"{path}: 3 entries, 0.0 MB of at most 2,048 MB\n  refuted: 1\n  verified: 2\n"
    assert main(["cache", "prune"]) == 0
    assert "0 entries removed" in capsys.readouterr().out
    assert main(["cache", "prune", "--all"]) == 0
    assert f"{path}: 3 entries removed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--sample", "0"], "--sample 0: at least 1"), (["--toolchain", "dafny-4.11.9"], "did you mean dafny-4.11.0")],
)
def test_verify_says_what_it_cannot_do(
    words: list[str], says: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", "verify", *words]) == 1
    assert says in capsys.readouterr().err


def test_the_same_path_must_agree_in_all_but_time_and_another_in_the_outcome() -> None:
    one = result(Outcome.REFUTED, errors=1, wall_seconds=1.0, output="a")
    assert differences(one, one.model_copy(update={"wall_seconds": 9.0, "cached": True, "output": "b"})) == []
    assert differences(one, one.model_copy(update={"errors": 2})) == ["errors was 1, is 2"]
    elsewhere = {"path": "warm"}
    assert differences(one, one.model_copy(update={"errors": 2, **elsewhere})) == []
    other = one.model_copy(update={"outcome": Outcome.VERIFIED, **elsewhere})
    assert differences(one, other) == ["outcome was refuted, is verified"]
