"""A program is read byte for byte, and what cannot be one is refused with the file's name."""

from pathlib import Path

import pytest
from veriloop.errors import UserError
from veriloop.tasks import read_program


@pytest.mark.parametrize(
    "content", [b"a\r\nb\r\n", b"\xef\xbb\xbfmethod M() {}\n", "// ü 副本\n".encode(), b"a\rb", b"a\x00b"]
)
def test_a_program_keeps_every_byte(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a name with spaces.dfy"
    path.write_bytes(content)
    assert read_program(path).encode() == content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"method M\xff() {}\n", "not UTF-8 at byte 8; convert the file"),
        ("méthode".encode("latin-1"), "not UTF-8 at byte 1"),
        ("method M() {}".encode("utf-16"), "not UTF-8 at byte 0"),
        (b"", "empty; replace the file"),
        (b"\xef\xbb\xbf \r\n\t\n", "empty"),
    ],
)
def test_what_is_no_program_is_refused_by_name(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a name with spaces.dfy"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words) as refused:
        read_program(path)
    assert str(path) in str(refused.value)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"missing\.dfy: no such file"):
        read_program(tmp_path / "missing.dfy")
