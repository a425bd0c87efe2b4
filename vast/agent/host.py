"""One agent process: its nodes, the timers they share, and its end."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vast.agent.enrolment import Enroller
from vast.agent.node import NodeAgent
from vast.agent.nodes import Inventory, NodeSpec
from vast.agent.spawner import Spawner

log = logging.getLogger(__name__)
READING_EVERY_S = 2.0
CHECK_EVERY_S = 1.0
TIDY_EVERY_S = 10.0
INVENTORY_EVERY_S = 60.0
HANDSHAKES_AT_ONCE = 64


class StateInUse(Exception):
    """Another agent works in the state folder."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``rediscover`` tells the inventory of the local machine anew; None for simulated nodes."""

    server: str
    state: Path
    token_file: Path | None = None
    keep_tasks: bool = False
    rediscover: Callable[[], Inventory] | None = None


class Host:
    """``run`` until ``stop``."""

    def __init__(self, settings: Settings, nodes: Sequence[NodeSpec]) -> None:
        self._settings, self._specs = settings, nodes
        self._stop, self._hurry = asyncio.Event(), asyncio.Event()
        self.nodes: list[NodeAgent] = []

    def stop(self) -> None:
        """Ask to end; asked again, tasks are killed at once."""
        (self._hurry if self._stop.is_set() else self._stop).set()

    async def run(self) -> None:
        """Raises StateInUse, and OSError when the state folder cannot be used."""
        settings = self._settings
        settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = _lock(settings.state)
        spawner = Spawner()
        await spawner.start()
        enroller = Enroller(settings.server, settings.token_file, settings.state)
        handshakes = asyncio.Semaphore(HANDSHAKES_AT_ONCE)
        self.nodes = [
            NodeAgent(
                spec,
                settings.state / spec.name,
                server=settings.server,
                spawner=spawner,
                enroller=enroller,
                handshakes=handshakes,
            )
            for spec in self._specs
        ]
        for node in self.nodes:
            node.start()
        loops = [asyncio.create_task(loop()) for loop in self._loops()]
        log.info("agent for %d node(s), server %s", len(self.nodes), settings.server)
        await self._stop.wait()
        log.info("stopping%s", "; tasks live on" if settings.keep_tasks else "")
        await asyncio.gather(*(self._end(node) for node in self.nodes))
        for loop in loops:
            loop.cancel()
        await asyncio.gather(*loops, return_exceptions=True)
        await enroller.close()
        await spawner.close()
        os.close(lock)

    async def _end(self, node: NodeAgent) -> None:
        await (node.let_go() if self._settings.keep_tasks else node.shut_down(self._hurry))

    def _loops(self) -> list[Callable[[], Coroutine[Any, Any, None]]]:
        loops: list[Callable[[], Coroutine[Any, Any, None]]] = [self._tell_readings, self._check, self._tidy]
        if self._settings.rediscover is not None:
            loops.append(self._rediscover)
        return loops

    async def _tell_readings(self) -> None:
        """Every node's readings once in two seconds, spread evenly, so that the server sees an even flow."""
        count = len(self.nodes)
        began, told = time.monotonic(), 0
        while True:
            await asyncio.sleep(max(READING_EVERY_S / count, 0.005))
            due = int((time.monotonic() - began) / READING_EVERY_S * count)
            # After a stall the newest readings do: nobody asks for the missed ones.
            told = max(told, due - count)
            while told < due:
                await self.nodes[told % count].tell_readings()
                told += 1

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            for node in self.nodes:
                node.check()

    async def _tidy(self) -> None:
        while True:
            for node in self.nodes:
                await asyncio.sleep(TIDY_EVERY_S / len(self.nodes))
                await node.tidy()

    async def _rediscover(self) -> None:
        assert self._settings.rediscover is not None
        while True:
            await asyncio.sleep(INVENTORY_EVERY_S)
            inventory = await asyncio.to_thread(self._settings.rediscover)
            for node in self.nodes:
                await node.renew_inventory(inventory)


def _lock(state: Path) -> int:
    """Held for the life of the process, and let go by the kernel however that ends."""
    handle = os.open(state / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise StateInUse(f"another agent works in {state}") from error
    return handle
