"""A vendor's devices in this machine, through a reader of what one command of its tool prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vast.vendors.base import DeviceReader, Found, FoundDevice, Reading, RunTool
from vast.vendors.figures import needed, whole_number
from vast.vendors.readers.base import Readout

Device = Mapping[str, Any]


def lists_it(device: Device) -> str:
    """The health of a device whose tool tells no more than that it is there."""
    return "healthy"


def device_reader(
    command: Sequence[str],
    parse: Callable[[str], Readout],
    uuid_of: Callable[[Device], str],
    health_of: Callable[[Device], str] = lists_it,
) -> DeviceReader:
    """``parse`` gives ``devices`` as all of ``vast.vendors.readers`` do; one without its size is a ToolError."""

    def discover(run: RunTool) -> Found:
        return Found(tuple(_found(device) for device in parse(run(command))["devices"]))

    def _found(device: Device) -> FoundDevice:
        memory = needed(_whole(device["memory_total_mib"]), f"memory of device {device['index']}")
        name, bus = device["model"] or "unknown", device.get("bus") or ""
        return FoundDevice(uuid_of(device), device["index"], name, memory, bus, health_of(device))

    def telemetry(run: RunTool) -> tuple[Reading, ...]:
        return tuple(
            Reading(
                uuid=uuid_of(device),
                util_pct=device["util_pct"],
                memory_used_mib=_whole(device["memory_used_mib"]),
                temperature_c=device["temp_c"],
                power_w=device["power_w"],
                health=health_of(device),
            )
            for device in parse(run(command))["devices"]
        )

    return DeviceReader(command[0], discover, telemetry)


def _whole(value: float | None) -> int | None:
    return None if value is None else whole_number(value)
