"""One node's socket to the server: connects for ever, with a growing and jittered pause."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import websockets
from websockets.asyncio.client import ClientConnection, connect
from websockets.protocol import State

from vast.agent import VERSION

log = logging.getLogger(__name__)
Frame = dict[str, Any]
KEY_REFUSED, TAKEN_OVER = 4401, 4409
LONGEST_PAUSE_S = 5.0
# Another agent speaks for this node: coming back at once would only throw it out again.
TAKEN_OVER_PAUSE_S = 30.0
PING_S = 15.0
HANDSHAKE_S = 20.0
# A welcome after a long absence can carry thousands of orders.
LARGEST_FRAME = 64 * 1024 * 1024
# Readings are dropped rather than queued behind so many bytes that the server has not taken.
BACKLOG_BYTES = 16 * 1024


class Peer(Protocol):
    """Whom the socket belongs to."""

    name: str

    def hello(self) -> Frame: ...

    async def received(self, frame: Frame) -> None: ...

    def disconnected(self) -> None: ...


class Connection:
    """``run`` for the life of the agent. Sending while away does nothing: who needs certainty sends again
    later.
    """

    def __init__(
        self,
        server: str,
        peer: Peer,
        key: Callable[[], Awaitable[str]],
        new_key: Callable[[], Awaitable[str]],
        handshakes: asyncio.Semaphore,
    ) -> None:
        scheme, _, rest = server.rstrip("/").partition("://")
        self._url = f"{'wss' if scheme == 'https' else 'ws'}://{rest}/agent/v1/"
        self._peer, self._key, self._new_key = peer, key, new_key
        self._handshakes = handshakes
        self._socket: ClientConnection | None = None
        self._failures = 0
        self._refused = False

    @property
    def connected(self) -> bool:
        return self._socket is not None and self._socket.state is State.OPEN

    async def send(self, frame: Frame) -> None:
        """Send, waiting while the server is slow. Nothing when there is no connection."""
        if self._socket is not None and self.connected:
            try:
                await self._socket.send(json.dumps(frame, separators=(",", ":")))
            except websockets.ConnectionClosed:
                log.debug("%s: a %s was not sent, the connection is gone", self._peer.name, frame["type"])

    async def offer(self, frame: Frame) -> bool:
        """Send if the server takes it at once, else drop it. Never waits. Whether it was sent."""
        socket = self._socket
        if (
            socket is None
            or socket.state is not State.OPEN
            or socket.transport.get_write_buffer_size() > BACKLOG_BYTES
        ):
            return False
        await self.send(frame)
        return True

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def run(self) -> None:
        while True:
            pause = await self._once()
            await asyncio.sleep(pause)

    async def _once(self) -> float:
        """One connection from handshake to end; how many seconds to wait before the next."""
        try:
            key = await (self._new_key() if self._refused else self._key())
            async with self._handshakes:
                socket = await self._open(key)
            try:
                await self._serve(socket)
            finally:
                self._socket = None
                self._peer.disconnected()
                await socket.close()
        except (OSError, TimeoutError, websockets.WebSocketException) as error:
            return self._after(error)
        except Exception as error:
            # A frame that makes no sense must not silence the node for good.
            log.exception("%s: the connection is given up", self._peer.name)
            return self._after(error)
        return self._after(None)

    async def _open(self, key: str) -> ClientConnection:
        return await connect(
            self._url,
            additional_headers={"Authorization": f"Node {key}"},
            user_agent_header=f"vast-agent/{VERSION}",
            compression=None,
            proxy=None,
            open_timeout=HANDSHAKE_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=2.0,
            max_size=LARGEST_FRAME,
        )

    async def _serve(self, socket: ClientConnection) -> None:
        self._refused = False
        self._socket = socket
        await self.send(self._peer.hello())
        while True:
            text = await socket.recv()
            self._failures = 0
            frame = json.loads(text)
            if frame["type"] == "ping":
                await self.send({"type": "pong"})
            else:
                await self._peer.received(frame)

    def _after(self, error: Exception | None) -> float:
        code = error.rcvd.code if isinstance(error, websockets.ConnectionClosed) and error.rcvd else None
        name = self._peer.name
        if code == KEY_REFUSED:
            log.error("%s: the server refuses this node's key; enrolling again", name)
            self._refused = True
        elif code == TAKEN_OVER:
            log.error("%s: another agent has connected as this node", name)
            return TAKEN_OVER_PAUSE_S
        elif self._failures in {0, 1, 5} or self._failures % 60 == 0:
            log.warning("%s: no connection to %s (%s); trying on", name, self._url, error)
        ceiling = min(LONGEST_PAUSE_S, 0.5 * 2.0 ** min(self._failures, 10))
        self._failures += 1
        return random.uniform(ceiling / 4, ceiling)  # noqa: S311 - jitter
