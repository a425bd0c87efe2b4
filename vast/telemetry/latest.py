"""The newest reading of every device, in the memory of each web process.

Readings of the agents connected here go out to the other web processes in one message a moment; nothing is kept for
later but the stored samples. Device rows are known by (node, vendor uuid), as agents name them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import Device

Use = Literal["open", "cordoned", "down"]


@dataclass(slots=True)
class Known:
    """What does not change with each reading. ``use``: whether new work may come; down = unhealthy or out of reach."""

    id: str
    node: str
    pool: str
    vendor: str
    memory_mib: int
    use: Use = "open"


@dataclass(slots=True)
class Reading:
    """``at`` in Unix seconds by the agent's clock; a None is not told by the vendor."""

    at: float
    util_pct: float | None
    memory_used_mib: int | None
    temperature_c: float | None
    power_w: float | None

    def as_dict(self) -> dict[str, Any]:
        return {
            "util_pct": self.util_pct,
            "memory_used_mib": self.memory_used_mib,
            "temperature_c": self.temperature_c,
            "power_w": self.power_w,
            "at": self.at,
        }


class Latest:
    """Newest readings by device id."""

    def __init__(self) -> None:
        self.devices: dict[str, Known] = {}
        self.readings: dict[str, Reading] = {}
        self.version: dict[str, int] = {}
        self.clock = 0
        self._by_uuid: dict[tuple[str, str], str] = {}
        self._own_changed: dict[str, tuple[float, list[Any]]] = {}
        self._own_unstored: set[str] = set()

    def load_devices(self) -> None:
        """Read which devices there are. Cheap enough to repeat whenever the inventory changed."""
        rows = (
            Device.objects.filter(present=True)
            .order_by()
            .values_list(
                "id",
                "uuid",
                "node_id",
                "node__pool_id",
                "model__vendor",
                "memory_mib",
                "health",
                "node__state",
                "cordoned",
                "node__cordoned",
            )
        )
        devices, by_uuid = {}, {}
        for pk, uuid, node, pool, vendor, memory, health, state, *cordons in rows:
            up = health == DeviceHealth.HEALTHY and state == NodeState.READY
            use: Use = "down" if not up else "cordoned" if any(cordons) else "open"
            devices[str(pk)] = Known(str(pk), str(node), str(pool), vendor, memory, use)
            by_uuid[str(node), uuid] = str(pk)
        self.devices, self._by_uuid = devices, by_uuid
        for gone in self.readings.keys() - devices.keys():
            del self.readings[gone]

    def own(self, node: str, at: float, rows: list[Any]) -> None:
        """A reading of an agent that is connected to this process."""
        self.apply(node, at, rows)
        self._own_changed[node] = (at, rows)

    def apply(self, node: str, at: float, rows: list[Any]) -> None:
        """Rows as agents send them: [uuid, util, memory, temperature, power, health]."""
        self.clock += 1
        for row in rows:
            device = self._by_uuid.get((node, row[0]))
            if device is not None:
                self.readings[device] = Reading(at, row[1], row[2], row[3], row[4])
                self.version[device] = self.clock

    def take_own_changes(self) -> dict[str, tuple[float, list[Any]]]:
        """Readings since the last call, for the other processes."""
        changed, self._own_changed = self._own_changed, {}
        self._own_unstored |= changed.keys()
        return changed

    def take_unstored(self) -> list[tuple[str, Reading]]:
        """The newest reading of each device of own nodes that reported since the last call."""
        nodes, self._own_unstored = self._own_unstored, set()
        return [
            (device.id, self.readings[device.id])
            for device in self.devices.values()
            if device.node in nodes and device.id in self.readings
        ]

    def of_device(self, device: str, *, stale_after_s: float = 30.0) -> dict[str, Any] | None:
        """The reading to show, or None when there is none or it is too old to be called live."""
        reading = self.readings.get(device)
        if reading is None or time.time() - reading.at > stale_after_s:
            return None
        return reading.as_dict()


latest = Latest()
