"""Brings reports to the server for sure: from the journal, in order, again until they are confirmed."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from vast.agent.journal import Journal
from vast.agent.ledger import Item

log = logging.getLogger(__name__)
GATHER_S = 0.005
FRAME_ITEMS = 200
# Well below what a WebSocket server takes in one message, with whole log tails inside.
FRAME_BYTES = 1024 * 1024
RESEND_S = 5.0
DISK_RETRY_S = 1.0


class Reporter:
    """``run`` for the life of the node; ``wake`` it when the journal got a new report."""

    def __init__(self, journal: Journal, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._journal, self._send = journal, send
        self._wake = asyncio.Event()
        self._open = False
        self._sent = 0
        self._quiet_since = 0.0
        self.all_confirmed = asyncio.Event()

    def wake(self) -> None:
        self.all_confirmed.clear()
        self._wake.set()

    def connected(self) -> None:
        """The server has welcomed the node: everything unconfirmed is due."""
        self._open, self._sent = True, 0
        self._wake.set()

    def disconnected(self) -> None:
        self._open = False

    def acknowledged(self, number: int) -> None:
        self._quiet_since = time.monotonic()
        self._journal.write(["ack", number])
        if not self._journal.ledger.unacked:
            self.all_confirmed.set()

    def check(self) -> None:
        """Send again what was not confirmed for some seconds; bring confirmations to disk."""
        if not self._journal.committed:
            self._wake.set()
        if self._open and self._journal.ledger.unacked and time.monotonic() > self._quiet_since + RESEND_S:
            self._sent = 0
            self._wake.set()

    async def run(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(GATHER_S)
            self._wake.clear()
            due = [pair for pair in self._journal.ledger.unacked.items() if pair[0] > self._sent]
            try:
                await self._journal.commit()
            except OSError as error:
                log.error("reports cannot be kept on disk: %s; trying on", error)
                await asyncio.sleep(DISK_RETRY_S)
                self._wake.set()
                continue
            if self._open:
                await self._send_all(due)
            if not self._journal.ledger.unacked:
                self.all_confirmed.set()

    async def _send_all(self, due: list[tuple[int, Item]]) -> None:
        for frame in _frames(due):
            self._sent = frame["seq"]
            self._quiet_since = time.monotonic()
            await self._send(frame)


def _frames(due: list[tuple[int, Item]]) -> Iterator[dict[str, Any]]:
    items: list[Item] = []
    size = last = 0
    for number, item in due:
        weight = len(json.dumps(item.get("log_tail", ""))) + 512
        if items and (len(items) == FRAME_ITEMS or size + weight > FRAME_BYTES):
            yield {"type": "status", "seq": last, "items": items}
            items, size = [], 0
        items.append(item)
        size += weight
        last = number
    if items:
        yield {"type": "status", "seq": last, "items": items}
