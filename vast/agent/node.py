"""One node: its journal, its tasks, its readings and its conversation with the server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vast.agent import PROTOCOL, VERSION, housekeeping, logs
from vast.agent.connection import Connection, Frame
from vast.agent.devices import RealDevices, readings_of
from vast.agent.enrolment import Enroller
from vast.agent.journal import Journal
from vast.agent.nodes import Inventory, NodeSpec
from vast.agent.reporter import Reporter
from vast.agent.spawner import Spawner
from vast.agent.workload import Workload

log = logging.getLogger(__name__)
SHUTDOWN_GRACE_S = 5.0
SHUTDOWN_ACK_S = 3.0
PRUNE_EVERY_S = 300.0


class NodeAgent:
    """``open``, then ``start``; ``shut_down`` or ``let_go`` at the end."""

    def __init__(
        self,
        spec: NodeSpec,
        folder: Path,
        *,
        server: str,
        spawner: Spawner,
        enroller: Enroller,
        handshakes: asyncio.Semaphore,
    ) -> None:
        self.name = spec.name
        self._inventory = spec.inventory
        self._folder = folder
        self._readings = readings_of(spec.inventory)
        self._journal = Journal(folder / "journal.jsonl")
        self._workload = Workload(self._journal, folder / "tasks", spawner, self._readings)
        self._connection = Connection(
            server, self, lambda: enroller.key_for(spec), lambda: enroller.enrol(spec), handshakes
        )
        self._reporter = Reporter(self._journal, self._connection.send)
        self._workload.reported = self._reporter.wake
        self._greeted_with: list[str] = []
        self._welcomed = self._reading = False
        self._loops: list[asyncio.Task[None]] = []
        self._answers: set[asyncio.Task[None]] = set()
        self._prune_at = 0.0
        self.readings_sent = 0

    @property
    def welcomed(self) -> bool:
        return self._welcomed

    def start(self) -> None:
        """Take up what was left, then connect for ever. Raises OSError when the folder cannot be used."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        (self._folder / "tasks").mkdir(mode=0o700, exist_ok=True)
        self._journal.open()
        self._workload.resume()
        self._loops = [
            asyncio.create_task(self._connection.run(), name=f"connection of {self.name}"),
            asyncio.create_task(self._reporter.run(), name=f"reports of {self.name}"),
        ]

    def hello(self) -> Frame:
        allocations = self._journal.ledger.to_greet_with()
        self._greeted_with = [item["allocation"] for item in allocations]
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "agent_version": VERSION,
            "inventory": self._inventory,
            "allocations": allocations,
        }

    async def received(self, frame: Frame) -> None:
        match frame["type"]:
            case "launch":
                await self._accepted("launch", await self._workload.launch(frame["tasks"]))
            case "stop":
                await self._accepted("stop", await self._workload.stop(frame["allocations"]))
            case "ack":
                self._reporter.acknowledged(frame["seq"])
            case "log_read":
                self._aside(self._answer_log_read(frame))
            case "welcome":
                await self._welcome(frame["desired"])
            case "pong":
                pass
            case other:
                log.warning("%s: the server sent %r, which this agent does not know", self.name, other)

    def disconnected(self) -> None:
        self._welcomed = False
        self._reporter.disconnected()

    async def tell_readings(self) -> None:
        """Send a reading of every device, unless the last one is still under way."""
        if not self._welcomed or self._reading:
            return
        self._reading = True
        try:
            at = time.time()
            frame = {"type": "telemetry", "at": round(at, 3), "devices": await self._readings.rows(at)}
            self.readings_sent += await self._connection.offer(frame)
        finally:
            self._reading = False

    async def renew_inventory(self, inventory: Inventory) -> None:
        """Tell the server when the machine has changed."""
        if inventory != self._inventory:
            log.info("%s: the inventory has changed", self.name)
            self._inventory = inventory
            if isinstance(self._readings, RealDevices):
                self._readings.devices = inventory["devices"]
            if self._welcomed:
                await self._connection.send({"type": "inventory", "inventory": inventory})

    def check(self) -> None:
        """Once a second."""
        self._workload.check()
        self._reporter.check()

    async def tidy(self) -> None:
        """Now and then: keep the disk from filling."""
        self._workload.hold_logs_to_cap()
        if time.monotonic() >= self._prune_at:
            self._prune_at = time.monotonic() + PRUNE_EVERY_S
            await housekeeping.prune(self._journal, self._folder / "tasks", time.time())

    async def shut_down(self, hurry: asyncio.Event) -> None:
        """End every task and tell the server, if it listens."""
        await self._workload.shut_down(SHUTDOWN_GRACE_S, hurry)
        if self._journal.ledger.unacked and self._connection.connected:
            self._reporter.wake()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._reporter.all_confirmed.wait(), SHUTDOWN_ACK_S)
        await self.let_go()

    async def let_go(self) -> None:
        """Stop talking; tasks live on."""
        await self._journal.commit()
        for loop in [*self._loops, *self._answers]:
            loop.cancel()
        await asyncio.gather(*self._loops, *self._answers, return_exceptions=True)
        await self._connection.close()
        self._journal.close()

    async def _welcome(self, desired: dict[str, Any]) -> None:
        log.info("%s: connected", self.name)
        self._welcomed = True
        launched = await self._workload.launch(desired["run"])
        stopped = await self._workload.stop(desired["stop"])
        # Only what the server was told of when it made the list: an order may have come since.
        await self._workload.end_unknown(self._greeted_with, desired["known"])
        await self._accepted("launch", launched)
        await self._accepted("stop", stopped)
        self._reporter.connected()
        await self.tell_readings()

    async def _accepted(self, kind: str, allocations: list[str]) -> None:
        if allocations:
            await self._connection.send({"type": "accepted", "kind": kind, "allocations": allocations})

    async def _answer_log_read(self, frame: Frame) -> None:
        allocation = frame["allocation"]
        entry = self._journal.ledger.entries.get(allocation)
        path = self._workload.log_file(allocation)
        if entry is None or (entry.final is not None and not path.exists()):
            await self._connection.send({"type": "reply", "id": frame["id"], "error": "unknown"})
            return
        piece = await logs.follow(
            path,
            int(frame["offset"]),
            int(frame["limit"]),
            float(frame.get("wait_s") or 0),
            lambda: entry.final is not None,
        )
        await self._connection.send({"type": "reply", "id": frame["id"], **asdict(piece)})

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)
