"""The agents' sockets held by this web process, and how to reach a node from any process.

Orders come over Redis from whoever made them; the process that holds the node's socket forwards them. Questions (reading a
log) go the same way and are answered to the process that asked.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from vast.common.errors import Unavailable
from vast.common.sentences import say

log = logging.getLogger(__name__)
# An agent answers sooner or not at all: nobody waits for it any more.
FORGET_S = 60
KEY_REFUSED, TAKEN_OVER = 4401, 4409
Send = Callable[[dict[str, Any]], Awaitable[None]]


class AgentSocket:
    """One connected node."""

    def __init__(self, node_id: str, send: Send, close: Callable[[int], Awaitable[None]]) -> None:
        self.node_id, self.send, self.close = node_id, send, close
        self.heard_at = time.monotonic()


class NodeOffline(Unavailable):
    code = "node_unreachable"
    title = say("title.node_unreachable")


class AgentSockets:
    """All sockets of this process."""

    def __init__(self) -> None:
        self.process = f"{os.getpid()}-{time.time_ns():x}"
        self.reply_channel = f"vast:replies:{self.process}"
        self._sockets: dict[str, AgentSocket] = {}
        # What was asked of which node: question -> (node, answer), and for others: question -> (node, channel).
        self._answers: dict[str, tuple[str, asyncio.Future[dict[str, Any]]]] = {}
        self._asked_by: dict[str, tuple[str, str]] = {}
        self._numbers = itertools.count(1)
        self.publish: Callable[[str, bytes], Awaitable[int]] | None = None

    async def add(self, socket: AgentSocket) -> None:
        """The newest connection of a node counts; an older one is closed."""
        older = self._sockets.get(socket.node_id)
        self._sockets[socket.node_id] = socket
        if older is not None:
            await older.close(TAKEN_OVER)

    def remove(self, socket: AgentSocket) -> None:
        if self._sockets.get(socket.node_id) is socket:
            del self._sockets[socket.node_id]

    async def refuse(self, node_id: str) -> None:
        """Hang up on a node whose key is void, so that its agent enrols anew and is told what not to run."""
        socket = self._sockets.pop(node_id, None)
        if socket is not None:
            await socket.close(KEY_REFUSED)

    def heard_since(self, moment: float) -> list[str]:
        """Nodes heard since this moment of the monotonic clock."""
        return [node for node, socket in self._sockets.items() if socket.heard_at >= moment]

    async def forward(self, message: dict[str, Any]) -> None:
        """Send an order that arrived over Redis, if its node is connected here."""
        socket = self._sockets.get(message["node"])
        if socket is None:
            return
        frame = message["frame"]
        if "reply_to" in message:
            self._asked_by[frame["id"]] = message["node"], message["reply_to"]
            asyncio.get_running_loop().call_later(FORGET_S, self._asked_by.pop, frame["id"], None)
        await socket.send(frame)

    async def ask(self, node_id: str, frame: dict[str, Any], *, timeout: float) -> dict[str, Any]:
        """Send a question to a node's agent and wait for the answer. Raises NodeOffline."""
        question = f"{self.process}:{next(self._numbers)}"
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[question] = node_id, future
        try:
            await self._send(node_id, frame | {"id": question})
            return await asyncio.wait_for(future, timeout)
        except (TimeoutError, ConnectionError) as error:
            raise NodeOffline from error
        finally:
            self._answers.pop(question, None)

    async def _send(self, node_id: str, frame: dict[str, Any]) -> None:
        socket = self._sockets.get(node_id)
        if socket is not None:
            await socket.send(frame)
            return
        message = {"node": node_id, "frame": frame, "reply_to": self.reply_channel}
        if self.publish is None or await self.publish("vast:orders", orjson.dumps(message)) <= 1:
            # Nobody but this process listens, and it does not hold the node.
            raise NodeOffline

    async def answered(self, node_id: str, frame: dict[str, Any]) -> None:
        """The answer of a node's agent: for this process, or passed on to the one that asked.

        An answer to what was asked of another node is not one: questions are numbered and easy to guess.
        """
        asked, channel = self._asked_by.get(frame["id"], ("", ""))
        if asked == node_id and self.publish is not None:
            del self._asked_by[frame["id"]]
            await self.publish(channel, orjson.dumps(frame))
        elif self._answers.get(frame["id"], ("",))[0] == node_id:
            self.resolve(frame)

    def resolve(self, frame: dict[str, Any]) -> None:
        _, future = self._answers.get(frame.get("id", ""), ("", None))
        if future is not None and not future.done():
            future.set_result(frame)


sockets = AgentSockets()
