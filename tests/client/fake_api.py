"""A small real HTTP server that plays the API: scripted answers, and a memory of what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass
class Answer:
    """``drop``: close the connection without a word, after having acted."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False


Route = Callable[[Asked], Any]


def problem(status: int, code: str, detail: str, errors: list[dict[str, Any]] | None = None) -> Answer:
    body = {
        "type": "x",
        "title": code,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": errors or [],
    }
    return Answer(body, status, {"Content-Type": "application/problem+json"})


class FakeApi:
    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._routes: dict[tuple[str, str], list[Any]] = {}
        self._lock = threading.Lock()
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def on(self, method: str, path: str, *answers: Any) -> None:
        """Answers in turn, the last one for ever: a body, an Answer, or a function of what was asked."""
        self._routes[method, f"/api/v1/{path}"] = list(answers)

    def of(self, method: str, path: str) -> list[Asked]:
        return [one for one in self.asked if (one.method, one.path) == (method, f"/api/v1/{path}")]

    def start(self) -> None:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                api._handle(self)

            do_GET = do_POST = do_PATCH = handle_any  # noqa: N815

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        asked = Asked(request.command, parts.path, query, dict(request.headers), body)
        with self._lock:
            self.asked.append(asked)
            script = self._routes.get((asked.method, asked.path))
            answer = (script.pop(0) if len(script) > 1 else script[0]) if script else None
        if script is None:
            answer = problem(404, "not_found", f"no such address: {asked.method} {asked.path}")
        if callable(answer):
            answer = answer(asked)
        self._send(request, answer if isinstance(answer, Answer) else Answer(answer))

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, answer: Answer) -> None:
        request.close_connection = True
        if answer.drop:
            return
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        request.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(data)))
        request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(data)


JOB_ID = "01980000-0000-7000-8000-000000000001"
TASK_ID = "01980000-0000-7000-8000-0000000000a1"


def job(state: str = "pending", **fields: Any) -> dict[str, Any]:
    return {
        "id": JOB_ID,
        "name": "train",
        "queue": {"id": "q", "path": "demo/research"},
        "priority": 0,
        "state": state,
        "reason": None,
        "tasks": {},
        "tasks_total": 1,
        "submitted_at": "2026-12-02T08:00:00Z",
        "version": 1,
        "array": None,
        **fields,
    }


def task(state: str = "running", **fields: Any) -> dict[str, Any]:
    return {
        "id": TASK_ID,
        "group": "worker",
        "index": 0,
        "rank": 0,
        "state": state,
        "node": {"id": "n", "name": "node-1"},
        "slices": [],
        "started_at": "2026-12-02T08:00:01Z",
        "attempt": 1,
        **fields,
    }


def page(*results: Any, next_url: str | None = None) -> dict[str, Any]:
    return {"next": next_url, "previous": None, "results": list(results)}


def log_of(text: str, *, ended: bool = True) -> Route:
    """A task's log as the server gives it: bytes from an offset on."""

    def answer(asked: Asked) -> dict[str, Any]:
        data = text.encode()
        offset = int(asked.query["offset"])
        part = data[offset : offset + int(asked.query["limit"])]
        reached = offset + len(part)
        return {
            "data": part.decode(),
            "next_offset": reached,
            "size": len(data),
            "complete": ended and reached == len(data),
            "source": "node",
        }

    return answer
