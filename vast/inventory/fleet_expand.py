"""What the schema of a fleet file cannot say: names, vendors, models and how the numbers fit together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from vast.inventory.fleet_schema import MAX_DEVICES_PER_NODE, MAX_NODES, near
from vast.vendors.base import DeviceModel, Vendor
from vast.vendors.registry import find_model, vendors

SIMULATED_MAX_SLICES = 100

_NUMBERING = re.compile(r"\{i(?::0?(\d{1,2})d)?\}")
_NODE_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class DeviceBlock:
    """``count`` devices of one model, defaults filled in; 0 ``link_groups`` = not linked."""

    vendor: Vendor
    model: DeviceModel
    count: int
    memory_mib: int
    max_slices: int
    link_groups: int
    numa_nodes: int


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """One entry of ``nodes`` as ``written``, with the names of the nodes it stands for and its device
    blocks.
    """

    written: dict[str, Any]
    node_names: tuple[str, ...]
    blocks: tuple[DeviceBlock, ...]


def check(document: dict[str, Any]) -> tuple[list[NodeEntry], list[str]]:
    """The entries of a document that fits the schema, and what is wrong with it; use the first only without
    the second."""
    errors: list[str] = []
    entries: list[NodeEntry] = []
    topology = document.get("topology", [])
    total = sum(entry.get("count", 1) for entry in document["nodes"])
    if total > MAX_NODES:
        return [], [f"nodes: {total} nodes in all; at most {MAX_NODES} are allowed"]
    seen: dict[str, str] = {}
    for position, written in enumerate(document["nodes"]):
        place = f"nodes[{position}]"
        names = _names(written, place, errors)
        _check_names(names, place, seen, errors)
        errors += [
            f"{place}.location.{level}: not a level of this fleet"
            + (near(level, topology) if topology else "; the file has no topology list")
            for level in written.get("location", {})
            if level not in topology
        ]
        entries.append(NodeEntry(written, names, _blocks(written, place, errors)))
    return entries, errors


def _names(written: dict[str, Any], place: str, errors: list[str]) -> tuple[str, ...]:
    """The names an entry stands for: ``{i}`` or ``{i:04d}`` is the number from 0 inside the entry."""
    template, count = written["name"], written.get("count", 1)
    if count > 1 and not _NUMBERING.search(template):
        errors.append(
            f"{place}.name: {template!r} stands for {count} nodes; write {{i}} or {{i:04d}} for the number"
        )
        return ()
    return tuple(_numbered(template, number) for number in range(count))


def _numbered(template: str, number: int) -> str:
    return _NUMBERING.sub(lambda found: str(number).zfill(int(found[1] or 1)), template)


def _check_names(names: tuple[str, ...], place: str, seen: dict[str, str], errors: list[str]) -> None:
    for name in names:
        if not _NODE_NAME.fullmatch(name):
            errors.append(
                f"{place}.name: {name!r} is no node name; allowed are a-z, 0-9, and inside also . -, up to 63"
            )
            return
        if name in seen:
            errors.append(f"{place}.name: {name!r} is already the name of a node of {seen[name]}")
            return
        seen[name] = place


def _blocks(written: dict[str, Any], place: str, errors: list[str]) -> tuple[DeviceBlock, ...]:
    blocks = []
    for position, devices in enumerate(written.get("devices", [])):
        block = _block(devices, f"{place}.devices[{position}]", errors)
        if block is not None:
            blocks.append(block)
    total = sum(block.count for block in blocks)
    if total > MAX_DEVICES_PER_NODE:
        errors.append(f"{place}.devices: {total} devices; a node has at most {MAX_DEVICES_PER_NODE}")
    return tuple(blocks)


def _block(devices: dict[str, Any], place: str, errors: list[str]) -> DeviceBlock | None:
    vendor = vendors().get(devices["vendor"])
    if vendor is None:
        errors.append(
            f"{place}.vendor: unknown vendor {devices['vendor']!r}{near(devices['vendor'], list(vendors()))}"
        )
        return None
    model = find_model(vendor.key, devices["model"])
    if model is None:
        known = [known.name for known in vendor.models]
        errors.append(
            f"{place}.model: {vendor.name} has no model {devices['model']!r}{near(devices['model'], known)}"
        )
        return None
    count = devices.get("count", 1)
    max_slices = devices.get("max_slices", SIMULATED_MAX_SLICES if model.rule.shareable else 1)
    if max_slices > 1 and not model.rule.shareable:
        errors.append(f"{place}.max_slices: {model.name} cannot be shared; only 1 is allowed")
    link_groups = devices.get("link_groups", 1 if count > 1 and model.fabric != "pcie" else 0)
    numa_nodes = devices.get("numa_nodes", min(2, count))
    for field, value in (("link_groups", link_groups), ("numa_nodes", numa_nodes)):
        if value > count:
            errors.append(f"{place}.{field}: {value} for {count} devices; at most {count} is allowed")
    return DeviceBlock(
        vendor=vendor,
        model=model,
        count=count,
        memory_mib=devices.get("memory_mib", model.memory_mib),
        max_slices=max_slices,
        link_groups=link_groups,
        numa_nodes=numa_nodes,
    )
