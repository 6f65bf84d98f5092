"""The local language model: what is missing or wrong is a sentence with its remedy."""

import hashlib
import socket
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from veriloop.errors import UserError
from veriloop.llm import local

REMEDY = "-m pip install --force-reinstall --no-deps --require-hashes -r envs/local-llm.lock"


@pytest.fixture
def port() -> int:
    """One that nobody listens on."""
    with socket.create_server((local.HOST, 0)) as free:
        return free.getsockname()[1]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model's package, with another file as the model; importing it would fail."""
    folder = tmp_path / local.MODEL_PACKAGE
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError\n", encoding="utf-8")
    (folder / local.MODEL_FILE).write_bytes(b"another model")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


@pytest.fixture
def pinned(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "MODEL_SHA256", hashlib.sha256(b"another model").hexdigest())


def sentence(port: int) -> str:
    with pytest.raises(UserError) as raised:
        local.serve(port, threads=1)
    return str(raised.value)


def test_a_missing_model_package_names_the_command_that_installs_it(port, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, local.MODEL_PACKAGE, None)
    said = sentence(port)
    assert f"package {local.MODEL_PACKAGE} is missing" in said
    assert said.endswith(f"{sys.executable!r} {REMEDY}")


def test_a_missing_model_file_is_named(port, package) -> None:
    (package / local.MODEL_FILE).unlink()
    said = sentence(port)
    assert said.startswith(f"{package / local.MODEL_FILE}: this file is missing")
    assert said.endswith(REMEDY)


def test_another_file_than_the_pinned_model_is_refused_with_both_hashes(port, package) -> None:
    said = sentence(port)
    assert hashlib.sha256(b"another model").hexdigest() in said
    assert local.MODEL_SHA256 in said
    assert said.endswith(REMEDY)


def test_a_missing_server_package_names_the_command_that_installs_it(port, pinned, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    said = sentence(port)
    assert "package xllamacpp cannot be used" in said
    assert said.endswith(REMEDY)


def test_a_server_that_does_not_start_is_a_sentence(port, pinned, monkeypatch) -> None:
    def refuse(_) -> None:
        raise RuntimeError("Failed to init server")

    engine = ModuleType("xllamacpp")
    parts = {"model": SimpleNamespace(), "cpuparams": SimpleNamespace(), "cpuparams_batch": SimpleNamespace()}
    vars(engine).update(CommonParams=lambda: SimpleNamespace(**parts), Server=refuse)
    monkeypatch.setitem(sys.modules, "xllamacpp", engine)
    assert f"does not start on {local.HOST}:{port} (Failed to init server)" in sentence(port)


def test_a_server_that_never_becomes_ready_is_not_waited_for_for_ever(port, monkeypatch) -> None:
    monkeypatch.setattr(local, "READY_SECONDS", 0.01)
    with pytest.raises(UserError, match="not ready"):
        local._wait_until_ready(port)


@pytest.mark.parametrize("host", [local.HOST, "0.0.0.0"])
def test_a_taken_port_is_a_sentence_on_stderr(host, monkeypatch) -> None:
    with socket.create_server((host, 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["local", "--port", str(port), "--threads", "1"])
        with pytest.raises(SystemExit, match=rf"port {port} of {local.HOST} cannot be used .*; end what listens there"):
            local.main()


def test_a_port_that_there_is_not_is_a_sentence() -> None:
    assert "port 70000" in sentence(70000)
