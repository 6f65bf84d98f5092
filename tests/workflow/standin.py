"""A server that speaks the chat interface over HTTP, with scripted replies: what a language model's endpoint may do."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

KEY = "sk-canary-7f3a9c"
MODEL = "stand-in"


@dataclass
class Reply:
    """What is sent back: a chat completion with this text, unless `status` or `body` say otherwise.

    `cut` ends the connection in the middle of the body.
    """

    text: str | None = ""
    finish: str = "stop"
    message: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, int] | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0.0
    cut: bool = False

    def bytes(self, request: dict[str, Any]) -> bytes:
        if self.body is not None:
            return self.body
        if self.status != 200:
            return json.dumps(
                {"error": {"message": self.text, "type": "error", "code": self.message.get("code")}}
            ).encode()
        message = {"role": "assistant", "content": self.text, **self.message}
        asked = sum(len(one["content"]) for one in request["messages"]) // 4
        usage = self.usage or {"prompt_tokens": asked, "completion_tokens": len(self.text or "") // 4}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return json.dumps(
            {"id": "c", "object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage}
        ).encode()


class StandIn:
    """The server, on a free port of this machine; what it was asked is in `requests`, in the order of arrival."""

    def __init__(self, answer: Callable[[dict[str, Any]], Reply], *, knows_models: bool = True) -> None:
        self.answer = answer
        self.knows_models = knows_models
        self.requests: list[dict[str, Any]] = []
        self.answered: list[str] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"stand_in": self}))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def prompts(self, purpose: str = "") -> list[str]:
        """The last messages of the requests in which a word occurs."""
        found = [request["messages"][-1]["content"] for request in self.requests]
        return [text for text in found if purpose in text]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def enter(self, request: dict[str, Any]) -> None:
        with self._lock:
            self.requests.append(request)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)

    def leave(self) -> None:
        with self._lock:
            self._now -= 1


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: StandIn

    def log_message(self, form: str, *words: object) -> None:
        pass

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        reply = Reply(body=json.dumps(models).encode()) if self._may() else self._no()
        self._send(reply if self.stand_in.knows_models else Reply(status=404, text="no such page"), {})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.stand_in.enter(request)
        try:
            self._send(self._reply(request), request)
        finally:
            self.stand_in.leave()

    def _reply(self, request: dict[str, Any]) -> Reply:
        if not self._may():
            return self._no()
        if request["model"] != MODEL:
            return Reply(status=404, text=f"the model {request['model']} does not exist")
        return self.stand_in.answer(request)

    def _may(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {KEY}"

    def _no(self) -> Reply:
        return Reply(status=401, text=f"Incorrect API key provided: {self.headers.get('Authorization')}")

    def _send(self, reply: Reply, request: dict[str, Any]) -> None:
        time.sleep(reply.delay)
        body = reply.bytes(request)
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if reply.cut else body)
        if reply.cut:
            self.close_connection = True
        elif reply.status == 200:
            self.stand_in.answered.append(json.dumps(request, sort_keys=True))


def options(url: str, **changes: Any) -> dict[str, Any]:
    """A model file's options for the stand-in."""
    fields: dict[str, Any] = {"model": MODEL, "base_url": url, "key_variable": "STANDIN_KEY", "context_tokens": 100_000}
    fields |= {"sampling": {"max_tokens": 1000}, "send_seed": False, "extra": {}, "not_sent": []}
    fields |= {"max_tokens_field": "max_tokens"}
    fields |= {"prices": {"input": 1.0, "output": 10.0, "source": "made up", "as_of": "2026-12-01"}}
    fields |= {"limits": {"requests_per_minute": None, "tokens_per_minute": None, "concurrency": 4}}
    return fields | {"patience": {"timeout_seconds": 5, "tries": 4}} | changes
