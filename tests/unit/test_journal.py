"""The journal loses nothing: a row is complete or absent, and a killed writer goes on where it stopped."""

import errno
from io import FileIO
from pathlib import Path

import pytest
from builders import attempt, task
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from veriloop.errors import UserError
from veriloop.loop.journal import Journal, read_journal, seal
from veriloop.outcomes import Verdict


def test_what_was_appended_is_found_again(tmp_path: Path) -> None:
    row = attempt(2, prompt_sha256="p")
    with Journal(tmp_path, "w") as journal:
        journal.append(row)
        assert journal.find(task(), 2, "p") == row
    with Journal(tmp_path, "w") as journal:
        assert journal.find(task(), 2, "p") == row
        assert journal.find(task(), 2, "another prompt") is None
        assert journal.find(task(), 3, "p") is None
        assert journal.find(task(given="changed"), 2, "p") is None


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 2000), reason=st.text(max_size=30))
def test_a_line_torn_at_any_byte_is_cut_off_and_nothing_else(tmp_path: Path, cut: int, reason: str) -> None:
    for old in tmp_path.glob("*"):
        old.unlink()
    rows = [attempt(n, reason=reason) for n in range(1, 4)]
    with Journal(tmp_path, "w") as journal:
        for row in rows:
            journal.append(row)
    path = tmp_path / "w.jsonl"
    whole = path.read_bytes()
    kept = whole[: len(whole) - cut % len(whole)]
    path.write_bytes(kept)
    complete = kept.count(b"\n")
    with Journal(tmp_path, "w") as journal:
        assert path.read_bytes() == b"".join(line + b"\n" for line in whole.split(b"\n")[:complete])
        for row in rows[complete:]:
            journal.append(row)
    assert path.read_bytes() == whole
    assert read_journal(path) == rows


def test_writers_share_what_they_found_but_chains_do_not_mix(tmp_path: Path) -> None:
    """The other's attempt 2 answers a prompt that only its own attempt 1 leads to."""
    first, second = attempt(1, prompt_sha256="start", reason="one"), attempt(1, prompt_sha256="start", reason="two")
    after_second = attempt(2, prompt_sha256="after two")
    with Journal(tmp_path, "a") as journal:
        journal.append(first)
    with Journal(tmp_path, "b") as journal:
        journal.append(second)
        journal.append(after_second)
    with Journal(tmp_path, "a") as journal:
        assert journal.find(task(), 1, "start") == first
        assert journal.find(task(), 2, "after one") is None
    with Journal(tmp_path, "b") as journal:
        assert journal.find(task(), 1, "start") == second
        assert journal.find(task(), 2, "after two") == after_second
    with Journal(tmp_path, "c") as journal:
        assert journal.find(task(), 1, "start") == first


def test_an_attempt_that_was_not_scored_is_made_again_and_the_new_one_counts(tmp_path: Path) -> None:
    with Journal(tmp_path, "w") as journal:
        journal.append(attempt(1, Verdict.NOT_SCORED))
        assert journal.find(task(), 1, "") is None
        journal.append(attempt(1, Verdict.ACCEPTED))
    with Journal(tmp_path, "w") as journal:
        found = journal.find(task(), 1, "")
    assert found is not None
    assert found.verdict is Verdict.ACCEPTED
    assert len(read_journal(tmp_path / "w.jsonl")) == 2


def test_a_second_writer_of_the_same_file_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path, "w"), pytest.raises(UserError, match="another run is writing it"), Journal(tmp_path, "w"):
        pass


def test_a_full_disk_is_a_sentence_and_keeps_what_was_written(tmp_path: Path) -> None:
    """/dev/full stands for a disk without room: every write to it fails."""
    with Journal(tmp_path, "w") as journal:
        journal.append(attempt(1))
        room = journal._file._file
        journal._file._file = open("/dev/full", "ab", buffering=0)  # noqa: SIM115, PTH123
        with pytest.raises(UserError, match=r"w\.jsonl: cannot be written .*make room, then run again"):
            journal.append(attempt(2))
        journal._file._file.close()
        journal._file._file = room
    assert read_journal(tmp_path / "w.jsonl") == [attempt(1)]


def test_a_damaged_line_in_the_middle_is_named_and_nothing_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl"
    text = attempt(1).model_dump_json() + "\nnot a row\n" + attempt(2).model_dump_json() + "\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"w\.jsonl, line 2: .*move the file away"), Journal(tmp_path, "w"):
        pass
    assert path.read_text(encoding="utf-8") == text


def test_a_sealed_journal_reads_back(tmp_path: Path) -> None:
    rows = [attempt(1), attempt(2, Verdict.ACCEPTED, candidate="method M() {}\r\n\u2028 ü")]
    seal(tmp_path / "deep" / "sealed.jsonl", rows)
    assert read_journal(tmp_path / "deep" / "sealed.jsonl") == rows


class HalfFull:
    """A file on a disk that is full after half of the next line."""

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self._full = False

    def write(self, data: memoryview) -> int:
        if self._full:
            raise OSError(errno.ENOSPC, "no space left on device")
        self._full = True
        return self._file.write(data[: len(data) // 2])

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


def test_a_line_that_was_written_half_is_not_continued_by_another_threads(tmp_path: Path) -> None:
    with Journal(tmp_path, "w") as journal:
        journal.append(attempt(1))
        file = journal._file._file
        journal._file._file = HalfFull(file)
        with pytest.raises(UserError, match="no space left"):
            journal.append(attempt(2))
        journal._file._file = file
        journal.append(attempt(3))
    assert [row.number for row in read_journal(tmp_path / "w.jsonl")] == [1, 3]
