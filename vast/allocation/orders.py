"""What a driver is told to run: the order for each task of a gang, with every variable already worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vast.vendors.base import GrantedDevice
from vast.vendors.environment import no_device_environment, task_environment
from vast.vendors.registry import vendor, vendors
from vast.vendors.sharing import means

# Below the usual range of ephemeral ports, so that a chosen port is seldom in use by chance.
PORTS = range(20_000, 30_000)


@dataclass(frozen=True, slots=True)
class Seat:
    """One task and the place it got."""

    allocation: str
    task: str
    group: Mapping[str, Any]
    index: int
    rank: int
    node_id: str
    node_name: str
    node_address: str
    vendor: str
    devices: tuple[GrantedDevice, ...]
    cpu_millis: int
    host_memory_mib: int


@dataclass(frozen=True, slots=True)
class MeetingPoint:
    """Where tasks that join a running gang find it, and how many it has when it is complete."""

    address: str
    port: str
    world_size: int


def choose_port(start: int, taken: set[int]) -> int:
    """A port for the gang's rendezvous that no live gang on the same address uses."""
    span = len(PORTS)
    return next(
        PORTS[(start + step) % span] for step in range(span) if PORTS[(start + step) % span] not in taken
    )


def launch_orders(
    *,
    job_id: str,
    job_name: str,
    queue: str,
    priority: int,
    max_runtime_s: int | None,
    attempt: int,
    seats: Sequence[Seat],
    master_port: int | None,
    meeting: MeetingPoint | None = None,
) -> list[dict[str, Any]]:
    """One order per seat, in rank order. ``master_port`` None = a job of one task, which needs no rendezvous port.
    ``meeting`` = the seats join a gang that runs already."""
    node_order = {node: number for number, node in enumerate(dict.fromkeys(seat.node_id for seat in seats))}
    per_node: dict[str, int] = {}
    for seat in seats:
        per_node[seat.node_id] = per_node.get(seat.node_id, 0) + 1
    used: dict[str, int] = {}
    orders = []
    for seat in seats:
        local_rank = used.get(seat.node_id, 0)
        used[seat.node_id] = local_rank + 1
        environment = {
            "RANK": str(seat.rank),
            "WORLD_SIZE": str(meeting.world_size if meeting else len(seats)),
            "LOCAL_RANK": str(local_rank),
            "LOCAL_WORLD_SIZE": str(per_node[seat.node_id]),
            "NODE_RANK": str(node_order[seat.node_id]),
            "GROUP_RANK": str(node_order[seat.node_id]),
            "NNODES": str(len(node_order)),
            "MASTER_ADDR": meeting.address if meeting else seats[0].node_address or "127.0.0.1",
            "MASTER_PORT": meeting.port if meeting else str(master_port) if master_port else "0",
            "VAST_JOB_ID": job_id,
            "VAST_JOB_NAME": job_name,
            "VAST_QUEUE": queue,
            "VAST_ATTEMPT": str(attempt),
            "VAST_TASK_ID": seat.task,
            "VAST_GROUP": seat.group["name"],
            "VAST_TASK_INDEX": str(seat.index),
            "VAST_NODE_NAME": seat.node_name,
        }
        environment |= (
            task_environment(vendor(seat.vendor), seat.devices)
            if seat.devices
            else no_device_environment(vendors().values())
        )
        environment |= _sharing_environment(seat, priority)
        orders.append(_order(seat, job_id, job_name, priority, max_runtime_s, environment, master_port))
    return orders


def _sharing(seat: Seat) -> str:
    """The policy of the seat's slices. A best-effort slice that came with compute, as vendors' templates do, is a cut
    like any other."""
    asked: str = seat.group["request"]["sharing"]
    return "fixed-ratio" if asked == "best-effort" and any(d.cores for d in seat.devices) else asked


def _sharing_environment(seat: Seat, priority: int) -> dict[str, str]:
    """How the policy is told to the vendor's library; whole devices and hard partitions have nobody to share with."""
    if all(device.exclusive for device in seat.devices) or seat.group["request"]["isolation"] == "hard":
        return {}
    policy = _sharing(seat)
    how = means(vendor(seat.vendor).sharing, policy)
    return {**(how.environment(priority) if how else {}), "VAST_SHARING": policy}


def _order(
    seat: Seat,
    job_id: str,
    job_name: str,
    priority: int,
    max_runtime_s: int | None,
    environment: Mapping[str, str],
    master_port: int | None,
) -> dict[str, Any]:
    command = seat.group["command"]
    return {
        "allocation": seat.allocation,
        "task": seat.task,
        "job": job_id,
        "name": f"{job_name}/{seat.group['name']}/{seat.index}",
        "command": ["/bin/sh", "-c", command] if isinstance(command, str) else command,
        "simulate": seat.group["simulate"],
        "env": {**seat.group["env"], **environment},
        "working_dir": seat.group["working_dir"],
        "max_runtime_s": max_runtime_s,
        "sharing": _sharing(seat),
        "priority": priority,
        "reserve_port": master_port if seat.rank == 0 else None,
        "devices": [
            {
                "uuid": d.uuid,
                "index": d.index,
                "cores": d.cores,
                "memory_mib": d.memory_mib,
                "exclusive": d.exclusive,
            }
            for d in seat.devices
        ],
        "cpu_millis": seat.cpu_millis,
        "memory_mib": seat.host_memory_mib,
    }
