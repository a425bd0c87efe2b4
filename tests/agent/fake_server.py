"""A server that plays VAST for agents: enrolment over HTTP and the agents' socket, on one port."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import uvicorn

TOKEN = "token-of-the-tests"
ENROL = "/api/v1/agents/enrol/"
Frame = dict[str, Any]
Deliver = Callable[[Frame], Awaitable[None]]


class FakeNode:
    """What the server knows of one node: the frames it sent, and its socket."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.key = ""
        self.frames: list[Frame] = []
        self.deliver: Deliver | None = None
        self.run: list[Frame] = []
        self.stop: list[Frame] = []
        self.known: list[str] = []
        self.acknowledge = True

    @property
    def statuses(self) -> list[Frame]:
        """Every status item, repeated ones too."""
        return [item for frame in self.of("status") for item in frame["items"]]

    def of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == kind]

    def status(self, allocation: str, event: str) -> Frame | None:
        found = [i for i in self.statuses if i["allocation"] == allocation and i["event"] == event]
        return found[0] if found else None

    async def send(self, frame: Frame) -> None:
        assert self.deliver is not None
        await self.deliver(frame)

    async def received(self, frame: Frame, deliver: Deliver) -> None:
        """As the server does: greet, confirm."""
        if frame["type"] == "hello":
            desired = {"run": self.run, "stop": self.stop, "known": self.known}
            await deliver({"type": "welcome", "node": self.name, "heartbeat_s": 5, "desired": desired})
            self.deliver = deliver
        self.frames.append(frame)
        if frame["type"] == "status" and self.acknowledge:
            await deliver({"type": "ack", "seq": frame["seq"]})

    async def launch(self, *orders: Frame) -> None:
        self.known += [order["allocation"] for order in orders]
        await self.send({"type": "launch", "tasks": list(orders)})

    async def stop_task(self, allocation: str, grace_s: float = 5) -> None:
        await self.send({"type": "stop", "allocations": [{"allocation": allocation, "grace_s": grace_s}]})

    async def read_log(
        self, allocation: str, offset: int = 0, limit: int = 65536, wait_s: float = 0
    ) -> Frame:
        number = f"q{len(self.frames)}-{time.monotonic_ns()}"
        await self.send(
            {
                "type": "log_read",
                "id": number,
                "allocation": allocation,
                "offset": offset,
                "limit": limit,
                "wait_s": wait_s,
            }
        )
        return await until(
            lambda: next((f for f in self.of("reply") if f["id"] == number), None), "an answer to log_read"
        )

    async def exited(self, allocation: str) -> Frame:
        return await until(lambda: self.status(allocation, "exited"), f"the end of {allocation}")

    async def started(self, allocation: str) -> Frame:
        return await until(lambda: self.status(allocation, "started"), f"the start of {allocation}")


class Vast:
    """The fake server. ``nodes`` by name. ``refuse_keys``: answer every socket with 4401."""

    def __init__(self) -> None:
        self.nodes: dict[str, FakeNode] = {}
        self.enrolments: list[list[str]] = []
        self.refuse_keys = False
        self.port = 0
        self._numbers = itertools.count(1)
        self._uvicorn: _Uvicorn | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen; after ``stop``, on the same port again."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            ws="websockets-sansio",
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        self._uvicorn = _Uvicorn(config)
        self._serving = asyncio.create_task(self._uvicorn.serve([listener]))
        await until(lambda: self._uvicorn and self._uvicorn.started, "the fake server")

    async def stop(self) -> None:
        assert self._uvicorn is not None
        assert self._serving is not None
        self._uvicorn.should_exit = True
        await self._serving

    async def node(self, name: str) -> FakeNode:
        """The node once it is connected."""
        return await until(
            lambda: self.nodes.get(name) if name in self.nodes and self.nodes[name].deliver else None,
            f"{name} to connect",
        )

    async def _app(self, scope: Frame, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket" and scope["path"] == "/agent/v1/":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http" and (scope["method"], scope["path"]) == ("POST", ENROL):
            await self._enrol(receive, send)
        else:
            raise AssertionError(f"an agent asked for {scope['path']}")

    async def _enrol(self, receive: Any, send: Any) -> None:
        content, more = b"", True
        while more:
            message = await receive()
            content, more = content + message["body"], message["more_body"]
        body = json.loads(content)
        status, answer = 401, {"title": "bad token", "status": 401}
        if body["token"] == TOKEN:
            self.enrolments.append([node["name"] for node in body["nodes"]])
            status, answer = 201, {"nodes": [self.enrolled(node["name"]) for node in body["nodes"]]}
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})

    def enrolled(self, name: str) -> dict[str, str]:
        node = self.nodes.setdefault(name, FakeNode(name))
        node.key = f"key-{name}-{next(self._numbers)}"
        return {"name": name, "id": f"id-{name}", "key": node.key}

    async def _socket(self, scope: Frame, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        key = dict(scope["headers"])[b"authorization"].decode().removeprefix("Node ")
        node = next((node for node in self.nodes.values() if node.key == key), None)
        if node is None or self.refuse_keys:
            await send({"type": "websocket.close", "code": 4401})
            return

        async def deliver(frame: Frame) -> None:
            await send({"type": "websocket.send", "text": json.dumps(frame)})

        while (message := await receive())["type"] == "websocket.receive":
            await node.received(json.loads(message["text"]), deliver)
        if node.deliver is deliver:
            node.deliver = None


class _Uvicorn(uvicorn.Server):
    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        """The test's own process keeps its signal handlers."""
        return contextlib.nullcontext()


@contextlib.asynccontextmanager
async def fake_vast() -> AsyncIterator[Vast]:
    vast = Vast()
    await vast.start()
    try:
        yield vast
    finally:
        await vast.stop()


async def until(look: Callable[[], Any], what: str, within_s: float = 20.0) -> Any:
    """What ``look`` gives once that is true. The time limit only keeps a broken test from hanging."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        await asyncio.sleep(0.01)
    raise AssertionError(f"waited {within_s} s for {what}")
