"""A toolchain or a file is the pinned one, whole, or it is refused with what to do."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from veriloop.benchmarks.dafnybench import source
from veriloop.config.compose import config_names, read_toolchain
from veriloop.config.toolchain import Archive, Mirror, ToolchainConfig
from veriloop.dafny import provide
from veriloop.dafny.toolchain import content_sha256, platform_key
from veriloop.download import download
from veriloop.errors import UserError

PROGRAM = "#!/bin/sh\necho 4.11.0\n"


def copy_of_a_toolchain(folder: Path) -> Path:
    (folder / "dafny" / "z3" / "bin").mkdir(parents=True)
    (folder / "dafny" / "dafny").write_text(PROGRAM)
    (folder / "dafny" / "z3" / "bin" / "z3-4.12.1").write_text("solver")
    for program in (folder / "dafny" / "dafny", folder / "dafny" / "z3" / "bin" / "z3-4.12.1"):
        program.chmod(0o755)
    return folder


def packed() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("dafny/dafny", PROGRAM)
        archive.writestr("dafny/z3/bin/z3-4.12.1", "solver")
    return data.getvalue()


def pins(**changes: object) -> ToolchainConfig:
    return read_toolchain("dafny-4.11.0", "test").model_copy(update={"mirrors": {}, "archives": {}} | changes)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERILOOP_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VERILOOP_TOOLCHAIN_MIRROR", raising=False)
    monkeypatch.delenv("VERILOOP_DATA_MIRROR", raising=False)
    return tmp_path / "home"


@pytest.fixture
def server() -> Iterator[dict[str, tuple[bytes, int]]]:
    """A web server: path to body and claimed length; its address stands under the key `url`."""
    pages: dict = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body, length = pages[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    pages["url"] = f"http://127.0.0.1:{http.server_port}"
    yield pages
    http.shutdown()
    http.server_close()


def test_a_download_is_whole_and_has_its_hash(server, tmp_path: Path) -> None:
    server["/file"] = (b"content", 7)
    download(f"{server['url']}/file", tmp_path / "file", hashlib.sha256(b"content").hexdigest())
    assert (tmp_path / "file").read_bytes() == b"content"


def test_an_interrupted_download_leaves_nothing(server, tmp_path: Path) -> None:
    server["/file"] = (b"cont", 7)
    with pytest.raises(UserError, match="/file: "):
        download(f"{server['url']}/file", tmp_path / "file", hashlib.sha256(b"content").hexdigest())
    assert list(tmp_path.iterdir()) == []


def test_other_bytes_are_refused_with_both_hashes(server, tmp_path: Path) -> None:
    server["/file"] = (b"content", 7)
    with pytest.raises(UserError, match=f"hash {hashlib.sha256(b'content').hexdigest()}, pinned is 00"):
        download(f"{server['url']}/file", tmp_path / "file", "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_no_server_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="could not be downloaded"):
        download("http://127.0.0.1:9/file", tmp_path / "file", None)


def release(server, sha256: str | None = None) -> ToolchainConfig:
    data = packed()
    server["/release.zip"] = (data, len(data))
    pinned = sha256 or hashlib.sha256(data).hexdigest()
    return pins(archives={platform_key(): Archive(url=f"{server['url']}/release.zip", sha256=pinned, ever_run=False)})


def test_a_release_is_installed_once_and_found_again(server, home: Path) -> None:
    config = release(server)
    first = provide.provide_toolchain(config)
    assert first.origin == "archive"
    assert first.version == "4.11.0"
    del server["/release.zip"]
    assert provide.provide_toolchain(config) == first
    assert not list((home / "toolchains").glob("*.part"))


def test_an_installed_copy_that_was_changed_is_refused(server, home: Path) -> None:
    config = release(server)
    provide.provide_toolchain(config)
    (home / "toolchains" / "dafny-4.11.0" / "dafny" / "z3" / "bin" / "z3-4.12.1").write_text("another solver")
    with pytest.raises(UserError, match="its programs hash to"):
        provide.provide_toolchain(config)


def test_a_release_with_another_hash_is_not_installed(server, home: Path) -> None:
    with pytest.raises(UserError, match="pinned is 1111"):
        provide.provide_toolchain(release(server, "1" * 64))
    assert not (home / "toolchains").exists()


def test_a_mirror_comes_first_and_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copy_of_a_toolchain(tmp_path / "mirror" / "copy")
    monkeypatch.setenv("VERILOOP_TOOLCHAIN_MIRROR", str(copy.parent))
    right = Mirror(folder="copy", content_sha256=content_sha256(copy))
    found = provide.provide_toolchain(pins(mirrors={platform_key(): right}))
    assert (found.origin, found.content_sha256) == ("mirror", right.content_sha256)
    wrong = Mirror(folder="copy", content_sha256="0" * 64)
    with pytest.raises(UserError, match=r"copy: its programs hash to .* pinned to 0000"):
        provide.provide_toolchain(pins(mirrors={platform_key(): wrong}))


def test_logs_that_the_tool_writes_beside_itself_do_not_change_its_hash(tmp_path: Path) -> None:
    copy = copy_of_a_toolchain(tmp_path / "copy")
    before = content_sha256(copy)
    (copy / "dafny" / "Server.log").write_text("log")
    assert content_sha256(copy) == before


def test_a_mirror_may_hold_the_packed_release(server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = release(server)
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "release.zip").write_bytes(packed())
    del server["/release.zip"]
    monkeypatch.setenv("VERILOOP_TOOLCHAIN_MIRROR", str(tmp_path / "mirror"))
    assert provide.provide_toolchain(config).origin == "archive"


def test_a_mirror_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERILOOP_TOOLCHAIN_MIRROR", "/no/such/mirror")
    with pytest.raises(UserError, match="VERILOOP_TOOLCHAIN_MIRROR=/no/such/mirror: no such folder"):
        provide.provide_toolchain(pins())


def test_another_version_than_the_pinned_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copy_of_a_toolchain(tmp_path / "mirror" / "copy")
    (copy / "dafny" / "dafny").write_text("#!/bin/sh\necho 4.10.0\n")
    monkeypatch.setenv("VERILOOP_TOOLCHAIN_MIRROR", str(copy.parent))
    mirror = Mirror(folder="copy", content_sha256=content_sha256(copy))
    with pytest.raises(UserError, match=r"reports version '4.10.0', but dafny-4.11.0 was wanted"):
        provide.provide_toolchain(pins(mirrors={platform_key(): mirror}))


def test_where_nothing_works_one_sentence_says_what_to_type() -> None:
    with pytest.raises(UserError, match=r"dafny-4.11.0 is not on this machine.*VERILOOP_TOOLCHAIN_MIRROR"):
        provide.provide_toolchain(pins())


def test_without_root_or_sudo_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provide.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(provide.shutil, "which", lambda name: None if name == "sudo" else f"/usr/bin/{name}")
    with pytest.raises(UserError, match="needs root; type: apt-get install dafny"):
        provide._apt_install("dafny")


@pytest.mark.parametrize("name", config_names("toolchain"))
def test_every_toolchain_has_a_way_to_get_it(name: str) -> None:
    config = read_toolchain(name, "test")
    assert config.archives or config.debian
    for archive in config.archives.values():
        assert archive.url.startswith("https://github.com/dafny-lang/dafny/releases/download/v")
        assert config.version in archive.url


def test_the_programs_of_dafnybench_need_a_mirror_or_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "URL", "http://127.0.0.1:9/archive.zip")
    with pytest.raises(UserError, match=r"not on this machine.*Set VERILOOP_DATA_MIRROR"):
        source.release_folder()


def test_a_download_of_dafnybench_keeps_only_what_is_read(server, monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in (
            "DafnyBench/dataset/ground_truth/a.dfy",
            "DafnyBench/dataset/hints_removed/a_no_hints.dfy",
            "results/reconstructed_files/gpt-4o_outputs.json",
            "DafnyBench/dataset/ground_truth/../../../../evil.dfy",
            "eval/utils.py",
        ):
            archive.writestr(f"DafnyBench-{source.COMMIT}/{name}", "text")
    server["/archive.zip"] = (data.getvalue(), len(data.getvalue()))
    monkeypatch.setattr(source, "URL", f"{server['url']}/archive.zip")
    folder = source.release_folder()
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert kept == {
        "ground_truth/a.dfy",
        "hints_removed/a_no_hints.dfy",
        "reconstructed_files/gpt-4o_outputs.json",
    }
    server.pop("/archive.zip")
    assert source.release_folder() == folder


def test_a_program_with_other_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.dfy").write_text("method M() {}")
    with pytest.raises(UserError, match=r"a\.dfy: not the file of commit"):
        source.read_checked(tmp_path / "a.dfy", "0" * 64)


def test_a_mirror_without_the_benchmark_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERILOOP_DATA_MIRROR", str(tmp_path))
    with pytest.raises(UserError, match="has no folder dafnybench/ground_truth"):
        source.release_folder()
