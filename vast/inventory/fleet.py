"""Fleet files: a YAML description of simulated nodes and their devices. No Django: the agent and the CLI use
it.

``load`` and ``parse`` check the file as a whole and report every problem at once, each with its field's name.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from vast.inventory.fleet_expand import DeviceBlock, NodeEntry, check
from vast.inventory.fleet_schema import violations

DEFAULT_POOL = "default"
DEFAULT_ADDRESS = "127.0.0.1"
DEFAULT_CPU_MILLIS = 64_000
DEFAULT_MEMORY_MIB = 524_288
DEFAULT_TASK_SLOTS = 1000

_NAMESPACE = uuid.UUID("2f6f8f0a-8d5c-5b6e-9a53-3d6c1a9be7d4")


class FleetError(ValueError):
    """A fleet file that cannot be used. ``errors``: one text per problem, ``field: what is wrong``."""

    def __init__(self, source: str, errors: list[str]) -> None:
        self.source = source
        self.errors = errors
        super().__init__("\n".join(f"{source}: {error}" for error in errors))


@dataclass(frozen=True, slots=True)
class FleetDevice:
    """One simulated device. ``index`` counts per vendor on its node, as the vendors' tools count."""

    uuid: str
    index: int
    vendor: str
    model: str
    memory_mib: int
    max_slices: int
    numa: int
    bus_id: str
    link_group: str


@dataclass(frozen=True, slots=True)
class FleetLink:
    """A direct connection of two devices, given by their uuids; Gbit/s in one direction."""

    a: str
    b: str
    kind: str
    bandwidth_gbps: int


@dataclass(frozen=True, slots=True)
class FleetNode:
    """One simulated node. ``levels`` are the fleet's topology levels, widest first."""

    name: str
    address: str
    cpu_millis: int
    memory_mib: int
    task_slots: int
    labels: dict[str, str]
    location: dict[str, str]
    levels: tuple[str, ...]
    devices: tuple[FleetDevice, ...] = ()
    links: tuple[FleetLink, ...] = ()

    def inventory(self) -> dict[str, Any]:
        """The body of the agent's ``inventory`` message."""
        return {
            "hostname": self.name,
            "address": self.address,
            "cpu_millis": self.cpu_millis,
            "memory_mib": self.memory_mib,
            "task_slots": self.task_slots,
            "simulated": True,
            "labels": dict(self.labels),
            "location": dict(self.location),
            "levels": list(self.levels),
            "devices": [
                {
                    "uuid": device.uuid,
                    "index": device.index,
                    "vendor": device.vendor,
                    "model": device.model,
                    "memory_mib": device.memory_mib,
                    "max_slices": device.max_slices,
                    "numa": device.numa,
                    "bus_id": device.bus_id,
                    "link_group": device.link_group,
                    "health": "healthy",
                }
                for device in self.devices
            ],
            "links": [
                {"a": link.a, "b": link.b, "kind": link.kind, "bandwidth_gbps": link.bandwidth_gbps}
                for link in self.links
            ],
        }


@dataclass(frozen=True, slots=True)
class Fleet:
    """A whole fleet file, its ``count`` entries written out as single nodes."""

    name: str
    pool: str = DEFAULT_POOL
    topology: tuple[str, ...] = ()
    nodes: list[FleetNode] = field(default_factory=list)


def load(path: str | Path) -> Fleet:
    """Read a fleet file. Raises FleetError for one that cannot be read or is wrong."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FleetError(str(path), [f"file: cannot be read: {error}"]) from error
    return parse(text, file.name)


def parse(text: str, name: str = "fleet file") -> Fleet:
    """Read the text of a fleet file; ``name`` stands before each error. Raises FleetError."""
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise FleetError(name, [f"file: not valid YAML: {error}"]) from error
    errors = violations(document)
    if errors:
        raise FleetError(name, errors)
    entries, errors = check(document)
    if errors:
        raise FleetError(name, errors)
    topology = tuple(document.get("topology", ()))
    return Fleet(
        name=document["name"],
        pool=document.get("pool", DEFAULT_POOL),
        topology=topology,
        nodes=[
            _node(document["name"], name, entry, topology) for entry in entries for name in entry.node_names
        ],
    )


def _node(fleet: str, name: str, entry: NodeEntry, topology: tuple[str, ...]) -> FleetNode:
    devices: list[FleetDevice] = []
    links: list[FleetLink] = []
    groups = 0
    for block in entry.blocks:
        added, added_links = _block(f"{fleet}/{name}", block, devices, groups)
        devices += added
        links += added_links
        groups += block.link_groups
    written = entry.written
    return FleetNode(
        name=name,
        address=written.get("address", DEFAULT_ADDRESS),
        cpu_millis=written.get("cpu_millis", DEFAULT_CPU_MILLIS),
        memory_mib=written.get("memory_mib", DEFAULT_MEMORY_MIB),
        task_slots=written.get("task_slots", DEFAULT_TASK_SLOTS),
        labels=written.get("labels", {}),
        location=written.get("location", {}),
        levels=topology,
        devices=tuple(devices),
        links=tuple(links),
    )


def _block(
    node: str, block: DeviceBlock, before: list[FleetDevice], groups_before: int
) -> tuple[list[FleetDevice], list[FleetLink]]:
    """The devices of one block and the links inside each of its link groups, where everyone reaches
    everyone.
    """
    vendor, model = block.vendor, block.model
    first = sum(device.vendor == vendor.key for device in before)
    devices = []
    for position in range(block.count):
        index = first + position
        group = groups_before + position * block.link_groups // block.count
        devices.append(
            FleetDevice(
                uuid=vendor.uuid_prefix + str(uuid.uuid5(_NAMESPACE, f"{node}/{vendor.key}/{index}")),
                index=index,
                vendor=vendor.key,
                model=model.name,
                memory_mib=block.memory_mib,
                max_slices=block.max_slices,
                numa=position * block.numa_nodes // block.count,
                # Three apart, so that 64 devices stay below the last bus.
                bus_id=f"0000:{0x10 + 3 * (len(before) + position):02x}:00.0",
                link_group=f"{model.fabric}-{group}" if block.link_groups else "",
            )
        )
    links = [
        FleetLink(a.uuid, b.uuid, model.fabric, model.link_gbps)
        for position, a in enumerate(devices)
        for b in devices[position + 1 :]
        if a.link_group and a.link_group == b.link_group
    ]
    return devices, links


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A safe loader that refuses a key written twice, where YAML would quietly take the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value!r} is written twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)  # type: ignore[no-any-return]
