"""The socket that node agents connect to: a plain ASGI endpoint, since a group message per report does not scale.

The protocol is described in ``docs/node-agent.md``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import orjson
from django.db import DataError, IntegrityError

from vast.allocation.services import desired, lose_allocations, missing
from vast.common.errors import VastError
from vast.common.threads import in_thread
from vast.drivers.agent.intake import MALFORMED, Entry, intake, parse_reports, parse_telemetry
from vast.drivers.agent.sockets import KEY_REFUSED, AgentSocket, sockets
from vast.inventory.models import Node
from vast.inventory.services import apply_inventory, node_by_key, report_health
from vast.telemetry.latest import latest

log = logging.getLogger(__name__)
HEARTBEAT_S = 5
BAD_FRAME = 4400

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def agent_endpoint(scope: Scope, receive: Receive, send: Send) -> None:
    """One agent connection from handshake to close."""
    await receive()
    await send({"type": "websocket.accept"})
    node = await _node_of(scope)
    if node is None:
        await send({"type": "websocket.close", "code": KEY_REFUSED, "reason": "key refused"})
        return
    session = _Session(node, receive, send)
    try:
        await session.run()
    finally:
        sockets.remove(session.socket)


async def _node_of(scope: Scope) -> Node | None:
    header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    kind, _, key = header.partition(" ")
    return await in_thread(node_by_key, key) if kind == "Node" else None


class _Session:
    def __init__(self, node: Node, receive: Receive, send: Send) -> None:
        self.node, self._receive, self._asgi_send = node, receive, send
        self._lock = asyncio.Lock()
        self._open = True
        self._health: dict[str, str] = {}
        self.socket = AgentSocket(str(node.pk), self.send, self.close)

    async def send(self, frame: dict[str, Any]) -> None:
        await self._pass({"type": "websocket.send", "text": orjson.dumps(frame).decode()})

    async def close(self, code: int) -> None:
        await self._pass({"type": "websocket.close", "code": code})
        self._open = False

    async def _pass(self, message: dict[str, Any]) -> None:
        """To an agent that hangs up meanwhile nothing is sent; it asks for what it missed when it is back."""
        async with self._lock:
            if not self._open:
                return
            try:
                await self._asgi_send(message)
            except (RuntimeError, OSError):
                self._open = False

    async def run(self) -> None:
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                self._open = False
                return
            self.socket.heard_at = time.monotonic()
            try:
                frame = orjson.loads(message.get("text") or message.get("bytes") or b"")
                await self._handle(frame)
            except (*MALFORMED, DataError, IntegrityError) as error:
                log.warning("node %s sent a frame that makes no sense: %r", self.node.name, error)
                await self.close(BAD_FRAME)
                return
            except VastError as error:
                log.warning("node %s: %s", self.node.name, error.detail)
                await self.close(BAD_FRAME)
                return

    async def _handle(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "telemetry":
                await self._telemetry(frame)
            case "status":
                await self._status(frame)
            case "accepted":
                ids = [UUID(pk) for pk in frame["allocations"]]
                await intake.put(Entry(str(self.node.pk), accepted={str(frame["kind"]): ids}))
            case "reply":
                await sockets.answered(str(self.node.pk), frame)
            case "hello":
                await self._hello(frame)
            case "inventory":
                await self._inventory("", frame["inventory"])
            case "ping":
                await self.send({"type": "pong"})
            case "pong":
                pass
            case other:
                raise ValueError(f"unknown type {other!r}")

    async def _hello(self, frame: dict[str, Any]) -> None:
        await self._inventory(str(frame.get("agent_version", ""))[:32], frame["inventory"])
        reported = [item["allocation"] for item in frame.get("allocations", [])]
        gone = await in_thread(missing, node_id=self.node.pk, reported=reported)
        if gone:
            log.warning("node %s no longer knows %d of its tasks", self.node.name, len(gone))
            await in_thread(lose_allocations, gone)
        await sockets.add(self.socket)
        # After the socket is in the table: an order made from now on is forwarded, one made before is in ``run``.
        run, stop, known = await in_thread(desired, node_id=self.node.pk)
        await self.send(
            {
                "type": "welcome",
                "node": str(self.node.pk),
                "heartbeat_s": HEARTBEAT_S,
                "desired": {"run": run, "stop": stop, "known": known},
            }
        )

    async def _inventory(self, version: str, inventory: dict[str, Any]) -> None:
        self.node = await in_thread(
            apply_inventory,
            node_id=self.node.pk,
            agent_version=version or self.node.agent_version,
            inventory=inventory,
        )
        self._health = {item["uuid"]: item.get("health", "unknown") for item in inventory.get("devices", [])}

    async def _status(self, frame: dict[str, Any]) -> None:
        seq = int(frame["seq"])

        async def acknowledge() -> None:
            await self.send({"type": "ack", "seq": seq})

        await intake.put(
            Entry(str(self.node.pk), parse_reports(frame["items"], self.node.pk), done=acknowledge)
        )

    async def _telemetry(self, frame: dict[str, Any]) -> None:
        at, rows = parse_telemetry(frame)
        latest.own(str(self.node.pk), at, rows)
        health = {row[0]: row[5] for row in rows if row[5] is not None}
        changed = {uuid: verdict for uuid, verdict in health.items() if self._health.get(uuid) != verdict}
        if changed:
            self._health |= changed
            await in_thread(report_health, node_id=self.node.pk, health=changed)
