"""What the engine is given: the whole world of one moment, as plain data.

All quantities are integers: compute in percent of one device (100 = a whole device), memory in MiB, quota in
milli-cards (1000 = one card), CPU in milli-CPU, time in seconds since the epoch. Ids are opaque strings;
where an order must be total, it ends with the id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vast.vendors.base import PartitionTemplate, SliceRule


@dataclass(frozen=True, slots=True)
class Device:
    """One accelerator as the engine sees it.

    ``cores_ratio`` and ``memory_ratio`` are over-subscription in thousandths (1000 = off). ``templates`` are the hard
    partitions it can be cut into, out of ``partition_slots`` placement slots. ``external`` = milli-cards held by
    somebody outside VAST; such a device takes nobody else.
    """

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
    cores_ratio: int = 1000
    memory_ratio: int = 1000
    templates: tuple[PartitionTemplate, ...] = ()
    partition_slots: int = 0
    external: int = 0


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
class Pool:
    """Policy of one pool; a pool without an entry has these defaults. Times in seconds, ratios in thousandths.

    ``min_slice_charge`` in milli-cards. ``levels`` are the topology levels, widest first; "node" is always the last.
    ``oversell`` bounds the sum of the roots' guarantees. ``decay`` = k of usage decay in thousandths (0 = off).
    """

    id: str
    min_slice_charge: int = 1
    levels: tuple[str, ...] = ()
    oversell: int = 1000
    decay: int = 0
    hold_timeout: int = 600
    reserve_after: int = 600
    max_reservations: int = 4
    grow_after: int = 60
    moves_per_hour: int = 100


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
    first.

    ``strict`` = first in, first out: a job that cannot start holds back later ones of its leaf that ask for one of its
    classes. ``min_runtime`` protects young minimums (seconds). ``usage`` = decayed use per class, any unit.
    ``evictions_per_hour`` bounds losses of one job, None = no bound.
    """

    id: str
    name: str
    pool: str
    parent: str | None = None
    priority: int = 0
    open: bool = True
    created_at: int = 0
    quotas: Mapping[str, Quota] = field(default_factory=dict)
    strict: bool = False
    min_runtime: int = 0
    evictions_per_hour: int | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


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
    reservation (best effort). At most one of ``memory_mib`` and ``memory_percent`` is set. ``isolation`` is "fixed",
    "dynamic" or "hard"; ``partition`` names a hard template (empty = the smallest that covers the request). ``link`` =
    "" or the connection that the task's devices must share ("nvlink", "pcie", "any"), a wish unless ``link_required``.
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
    isolation: str = "fixed"
    sharing: str = "fixed-ratio"
    partition: str = ""
    link: str = ""
    link_required: bool = False


@dataclass(frozen=True, slots=True)
class Topology:
    """Keep tasks inside one domain of ``level``; every ``chunk`` consecutive ranks each, where given (0 = all)."""

    level: str
    required: bool = False
    chunk: int = 0


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Replicas of one shape; ``task_ids`` in rank order. Strategies are "pack" or "spread".

    ``min_replicas`` belong to the gang (None = all); the rest are extras.
    """

    name: str
    task_ids: tuple[str, ...]
    request: Request
    node_strategy: str = "pack"
    device_strategy: str = "pack"
    min_replicas: int | None = None
    topology: Topology | None = None

    @property
    def minimum(self) -> int:
        return len(self.task_ids) if self.min_replicas is None else self.min_replicas


@dataclass(frozen=True, slots=True)
class PendingJob:
    """A job that waits. The minimums of its groups together are one gang: placed in one decision or not at all.

    ``not_before`` (seconds) is a back-off after a failed launch, ``evict_not_before`` one after a hold that timed out.
    ``avoid_nodes`` just failed this job. ``max_runtime`` in seconds per attempt, None = unknown. ``movable`` = may be
    restarted elsewhere without loss. ``topology`` is for the whole gang.
    """

    id: str
    queue: str
    priority: int
    submitted_at: int
    groups: tuple[TaskGroup, ...]
    not_before: int = 0
    avoid_nodes: frozenset[str] = frozenset()
    preemptible: bool = True
    may_evict: bool = True
    movable: bool = False
    checkpoints: bool = False
    max_runtime: int | None = None
    evict_not_before: int = 0
    owner: str = ""
    topology: Topology | None = None


@dataclass(frozen=True, slots=True)
class HeldSlice:
    """Part of a device that a task holds; ``charge`` in milli-cards, fixed when it was given."""

    device: str
    cores: int
    memory_mib: int
    exclusive: bool
    charge: int
    partition: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one task goes and what it gets there (after the vendor's rounding)."""

    task: str
    node: str
    slices: tuple[HeldSlice, ...]
    cpu_millis: int
    host_memory_mib: int


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
class HeldJob:
    """What is known of a job that holds something. A held task without one is never taken from anybody.

    ``groups`` list the tasks of the current attempt that have not ended. ``started_at`` None = unknown, treated as old.
    ``saved_at`` = last checkpoint. ``evicted_at`` = its losses and moves of the last hour. Seconds.
    """

    id: str
    queue: str
    priority: int
    submitted_at: int
    groups: tuple[TaskGroup, ...]
    preemptible: bool = True
    movable: bool = False
    checkpoints: bool = False
    started_at: int | None = None
    saved_at: int | None = None
    max_runtime: int | None = None
    evicted_at: tuple[int, ...] = ()
    shrunk_at: int = 0
    owner: str = ""
    topology: Topology | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """Seats kept for a pending job while their holders leave. Counts as work of the job with nothing to lose.

    ``victims`` are the tasks that were told to leave for it. ``rule`` as in ``Evict``. ``since`` in seconds.
    """

    job: str
    queue: str
    seats: tuple[Placement, ...]
    since: int
    victims: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A concrete set of devices for a job that waited long, free at ``starts_at`` (None = nobody can say)."""

    job: str
    queue: str
    seats: tuple[Placement, ...]
    starts_at: int | None
    since: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The world of one moment. Every id that is referred to is in it."""

    nodes: tuple[Node, ...]
    queues: tuple[Queue, ...]
    held: tuple[HeldTask, ...] = ()
    pending: tuple[PendingJob, ...] = ()
    jobs: tuple[HeldJob, ...] = ()
    holds: tuple[Hold, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    pools: tuple[Pool, ...] = ()

    def pool(self, pool_id: str) -> Pool:
        """The policy of a pool."""
        return next((pool for pool in self.pools if pool.id == pool_id), Pool(pool_id))
