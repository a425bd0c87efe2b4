"""The nodes this process speaks for: the machine itself, or nodes of a fleet file."""

from __future__ import annotations

import os
import socket
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from vast.vendors import discovery

Inventory = dict[str, Any]
LOCAL_TASK_SLOTS = 256


class UnusableFleet(Exception):
    """The fleet file is wrong, or does not describe a node that was asked for."""


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """``name`` is unique in ``cluster``. ``inventory`` is the body of the protocol's inventory message."""

    name: str
    cluster: str
    pool: str
    inventory: Inventory

    @property
    def simulated(self) -> bool:
        return bool(self.inventory["simulated"])


def from_fleet(path: Path, names: Collection[str], cluster: str | None, pool: str | None) -> list[NodeSpec]:
    """The fleet's nodes, or those of the given names. Raises UnusableFleet."""
    # Only here: checking a fleet file needs a package that a node without simulation does without.
    from vast.inventory.fleet import FleetError, load

    try:
        fleet = load(path)
    except FleetError as error:
        raise UnusableFleet(str(error)) from error
    wanted = [node for node in fleet.nodes if not names or node.name in names]
    missing = set(names) - {node.name for node in wanted}
    if missing:
        raise UnusableFleet(f"{path} has no node {', '.join(sorted(missing))}")
    return [
        NodeSpec(node.name, cluster or fleet.name, pool or fleet.pool, node.inventory()) for node in wanted
    ]


def this_machine(name: str | None, cluster: str | None, pool: str | None, server: str) -> NodeSpec:
    """The local machine with the devices that the vendors' tools tell of; none is fine."""
    return NodeSpec(
        name or socket.gethostname(), cluster or "local", pool or "default", local_inventory(server)
    )


def local_inventory(server: str) -> Inventory:
    """What this machine has now. Blocks while the vendors' tools run."""
    return {
        "hostname": socket.gethostname(),
        "address": _address_towards(server),
        "cpu_millis": len(os.sched_getaffinity(0)) * 1000,
        "memory_mib": psutil.virtual_memory().total // (1024 * 1024),
        "task_slots": LOCAL_TASK_SLOTS,
        "simulated": False,
        "labels": {},
        "location": {},
        "levels": [],
        **discovery.discover(),
    }


def _address_towards(server: str) -> str:
    """The address other nodes most likely reach this one under: that of the way to the server."""
    url = urlsplit(server)
    host, port = url.hostname or "127.0.0.1", url.port or (443 if url.scheme == "https" else 80)
    try:
        family, kind, _, _, target = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as probe:
            # Sends nothing: a datagram socket only looks the route up.
            probe.connect(target)
            return str(probe.getsockname()[0])
    except OSError:
        return "127.0.0.1"
