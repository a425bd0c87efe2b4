"""Where the readings of a real node's devices come from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from vast.agent.simulation import SimulatedDevices
from vast.agent.workload import Loads
from vast.vendors import discovery

Row = list[Any]
PATIENCE_S = 1.5


class DeviceReadings(Loads, Protocol):
    """The devices of one node, as its telemetry tells of them."""

    async def rows(self, at: float) -> list[Row]: ...


class RealDevices:
    """Read by the vendors' tools, which show by themselves what tasks do."""

    def __init__(self, devices: Sequence[Mapping[str, Any]]) -> None:
        self.devices = devices
        self._reading: asyncio.Task[list[Row]] | None = None

    def attach(self, allocation: str, order: Mapping[str, Any]) -> None:
        """Nothing to do."""

    def detach(self, allocation: str) -> None:
        """Nothing to do."""

    async def rows(self, at: float) -> list[Row]:
        """None while the tools take their time: the node is still to be heard, and they are not asked twice."""
        if not self.devices:
            return []
        if self._reading is None:
            self._reading = asyncio.create_task(asyncio.to_thread(self._read))
        done, _ = await asyncio.wait([self._reading], timeout=PATIENCE_S)
        if not done:
            return []
        reading, self._reading = self._reading, None
        return reading.result()

    def _read(self) -> list[Row]:
        return [list(reading) for reading in discovery.read_telemetry(self.devices)]


class SimulatedReadings(SimulatedDevices):
    """Computed from the tasks that run."""

    async def rows(self, at: float) -> list[Row]:
        return self.read(at)


def readings_of(inventory: Mapping[str, Any]) -> DeviceReadings:
    return (SimulatedReadings if inventory["simulated"] else RealDevices)(inventory["devices"])
