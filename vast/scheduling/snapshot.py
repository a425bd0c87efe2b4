"""What the engine is given: the whole world of one moment, as plain data.

All quantities are integers: compute in percent of one device (100 = a whole device), memory in MiB, quota in
milli-cards (1000 = one card), CPU in milli-CPU, time in seconds since the epoch. Ids are opaque strings;
where an order must be total, it ends with the id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vast.vendors.base import SliceRule


@dataclass(frozen=True, slots=True)
class Device:
    """One accelerator as the engine sees it. ``external`` devices are held by somebody outside VAST."""

    id: str
    vendor: str
    model: str
    device_class: str
    memory_mib: int
    max_slices: int
    rule: SliceRule
    healthy: bool = True
    cordoned: bool = False
    numa: int = 0
    link_group: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One machine with its devices. ``domains`` maps a topology level (rack, spine, ...) to the domain's
    id."""

    id: str
    name: str
    pool: str
    cpu_millis: int
    memory_mib: int
    task_slots: int
    devices: tuple[Device, ...]
    ready: bool = True
    cordoned: bool = False
    simulated: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    domains: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quota:
    """Milli-cards of one device class. ``limit`` None = no limit."""

    guaranteed: int = 0
    limit: int | None = None
    weight: int = 100
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class Queue:
    """One node of the queue tree of one pool. Only leaves take jobs. ``created_at`` breaks ties: older
    first."""

    id: str
    name: str
    pool: str
    parent: str | None = None
    priority: int = 0
    open: bool = True
    created_at: int = 0
    quotas: Mapping[str, Quota] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to satisfy a request; empty fields match everything. Memory given here overrides the
    request's."""

    vendor: str = ""
    model: str = ""
    device_class: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    memory_mib: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What each task of a group asks for.

    ``devices`` 0 = CPU only. ``exclusive`` = whole devices. ``cores`` None with memory given = no compute
    reservation (best effort). At most one of ``memory_mib`` and ``memory_percent`` is set.
    """

    devices: int = 1
    cores: int | None = None
    memory_mib: int | None = None
    memory_percent: int | None = None
    exclusive: bool = False
    alternatives: tuple[Alternative, ...] = (Alternative(),)
    cpu_millis: int = 0
    host_memory_mib: int = 0
    needs_simulated: bool = False


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Replicas of one shape; ``task_ids`` in rank order. Strategies are "pack" or "spread"."""

    name: str
    task_ids: tuple[str, ...]
    request: Request
    node_strategy: str = "pack"
    device_strategy: str = "pack"


@dataclass(frozen=True, slots=True)
class PendingJob:
    """A job that waits. Its groups together are one gang: all tasks are placed in one decision or none.

    ``not_before`` (seconds) is a back-off after a failed launch. ``avoid_nodes`` just failed this job.
    """

    id: str
    queue: str
    priority: int
    submitted_at: int
    groups: tuple[TaskGroup, ...]
    not_before: int = 0
    avoid_nodes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class HeldSlice:
    """Part of a device that a task holds; ``charge`` in milli-cards, fixed when it was given."""

    device: str
    cores: int
    memory_mib: int
    exclusive: bool
    charge: int


@dataclass(frozen=True, slots=True)
class HeldTask:
    """A task that is starting, running or stopping. One that is stopping still fills its device and counts
    against limits, but is no longer held by its queue."""

    task: str
    job: str
    group: str
    queue: str
    node: str
    slices: tuple[HeldSlice, ...] = ()
    cpu_millis: int = 0
    host_memory_mib: int = 0
    stopping: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The world of one moment. Every id that is referred to is in it."""

    nodes: tuple[Node, ...]
    queues: tuple[Queue, ...]
    held: tuple[HeldTask, ...] = ()
    pending: tuple[PendingJob, ...] = ()
