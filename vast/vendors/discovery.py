"""The real devices of this machine, in the form the agent reports them.

Asks every vendor's tool that is installed. A tool that is absent means no devices of that vendor; one that
fails is logged and never stops the others.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vast.vendors.base import Found, FoundDevice, Reading, RunTool, ToolError, Vendor
from vast.vendors.registry import model_or_default, vendors

log = logging.getLogger(__name__)

TOOL_TIMEOUT_S = 20
PCI_DEVICES = Path("/sys/bus/pci/devices")

Installed = Callable[[str], object]


def run_tool(command: Sequence[str]) -> str:
    """Run a vendor's tool and return what it prints. Raises ToolError when it fails or takes too long."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TOOL_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        told = (done.stderr.strip() or done.stdout.strip())[:500]
        raise ToolError(f"{command[0]} ended with {done.returncode}: {told}")
    return done.stdout


def discover(run: RunTool = run_tool, installed: Installed = shutil.which) -> dict[str, list[dict[str, Any]]]:
    """The machine's devices and links: ``{"devices": [...], "links": [...]}`` of the agent's inventory
    message.
    """
    devices: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    for vendor in vendors().values():
        found = _found(vendor, run, installed)
        groups = _link_groups(found)
        devices += [_inventory_device(vendor, device, groups) for device in found.devices]
        links += [
            {"a": link.a, "b": link.b, "kind": link.kind, "bandwidth_gbps": link.bandwidth_gbps}
            for link in found.links
        ]
    return {"devices": devices, "links": links}


def read_telemetry(devices: Iterable[Mapping[str, Any]], run: RunTool = run_tool) -> list[Reading]:
    """What the given inventory devices do now, in their order.

    A device that its vendor's tool no longer lists, or whose tool fails, is unhealthy and tells nothing: work
    must not be sent to a card that cannot be seen. A vendor without a reader leaves its devices unknown.
    """
    wanted = list(devices)
    readings: dict[str, Reading] = {}
    unreadable: set[str] = set()
    for key in dict.fromkeys(str(device["vendor"]) for device in wanted):
        vendor = vendors().get(key)
        if vendor is None or vendor.reader is None:
            unreadable.add(key)
            continue
        try:
            readings.update((reading.uuid, reading) for reading in vendor.reader.telemetry(run))
        except ToolError as error:
            log.warning("telemetry of %s: %s", vendor.name, error)
    return [
        readings.get(
            device["uuid"],
            Reading(
                device["uuid"],
                None,
                None,
                None,
                None,
                "unknown" if device["vendor"] in unreadable else "unhealthy",
            ),
        )
        for device in wanted
    ]


def _found(vendor: Vendor, run: RunTool, installed: Installed) -> Found:
    if vendor.reader is None or not installed(vendor.reader.tool):
        return Found()
    try:
        return vendor.reader.discover(run)
    except ToolError as error:
        log.warning("devices of %s are not found: %s", vendor.name, error)
        return Found()


def _inventory_device(vendor: Vendor, device: FoundDevice, groups: Mapping[str, str]) -> dict[str, Any]:
    model = model_or_default(vendor.key, device.model, device.memory_mib)
    return {
        "uuid": device.uuid,
        "index": device.index,
        "vendor": vendor.key,
        "model": model.name,
        "memory_mib": device.memory_mib,
        "max_slices": model.max_slices,
        "numa": _numa(device.bus_id),
        "bus_id": device.bus_id,
        "link_group": groups.get(device.uuid, ""),
        "health": device.health,
    }


def _link_groups(found: Found) -> dict[str, str]:
    """The link group of each linked device: devices that reach each other over links are one group."""
    group_of = {device.uuid: position for position, device in enumerate(found.devices)}
    for link in found.links:
        a, b = group_of[link.a], group_of[link.b]
        group_of = {uuid: min(a, b) if group in (a, b) else group for uuid, group in group_of.items()}
    kinds = {uuid: link.kind for link in found.links for uuid in (link.a, link.b)}
    numbers = {group: number for number, group in enumerate(sorted({group_of[uuid] for uuid in kinds}))}
    return {uuid: f"{kind}-{numbers[group_of[uuid]]}" for uuid, kind in kinds.items()}


def _numa(bus_id: str) -> int:
    """The NUMA node of a PCI device; 0 where the kernel does not tell. Some tools write the domain with 8
    digits.
    """
    domain, _, rest = bus_id.lower().partition(":")
    try:
        return max(0, int((PCI_DEVICES / f"{domain[-4:]}:{rest}" / "numa_node").read_text()))
    except (OSError, ValueError):
        return 0
