"""The engine's picture of the database, kept warm between cycles.

Inventory is read again only when a row of it changed; what is held is followed by the rows that changed lately, with an
overlap that covers transactions still open at the last look, and read whole now and then as a check.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Count, Max, Sum

from vast.allocation.choices import AllocationState
from vast.allocation.inventory import load_nodes, load_pools, ratios_of_models
from vast.allocation.kept import kept_seats
from vast.allocation.models import Allocation, Slice
from vast.allocation.past_use import Use, past_use
from vast.allocation.waiting import load_pending, load_running
from vast.common import clock
from vast.common.models import Entity
from vast.inventory.models import Device as DeviceRow
from vast.inventory.models import Node as NodeRow
from vast.inventory.models import Pool as PoolRow
from vast.jobs.choices import JobState
from vast.jobs.models import Job
from vast.queues.choices import QueueMode, QueueState
from vast.queues.models import Queue as QueueRow
from vast.queues.models import QueueQuota
from vast.scheduling.snapshot import (
    HeldJob,
    HeldSlice,
    HeldTask,
    Node,
    PendingJob,
    Pool,
    Queue,
    Quota,
    Snapshot,
)

OVERLAP = timedelta(seconds=15)
RELOAD_EVERY_S = 60.0
PAST_USE_EVERY_S = 30.0


class World:
    """Reads snapshots. One per process and thread."""

    def __init__(self) -> None:
        self._inventory_stamp: Any = None
        self._nodes: tuple[Node, ...] = ()
        self._pools: tuple[Pool, ...] = ()
        self._queue_stamp: Any = None
        self._queues: tuple[Queue, ...] = ()
        self._past_use: Use = {}
        self._past_use_at = 0.0
        self._held: dict[UUID, HeldTask] = {}
        self._held_since: datetime | None = None
        self._reload_at = 0.0
        self._pending: dict[UUID, tuple[int, PendingJob]] = {}
        self._running: dict[UUID, tuple[int, HeldJob]] = {}

    def snapshot(self) -> Snapshot:
        """The present moment. Reads only what changed."""
        holds, reservations = kept_seats()
        return Snapshot(
            nodes=self.nodes(),
            queues=self.queues(),
            held=tuple(self._read_held()),
            pending=tuple(self._read_pending()),
            jobs=tuple(self._read_running()),
            holds=holds,
            reservations=reservations,
            pools=self._pools,
        )

    def version_of(self, job: UUID) -> int:
        """The version of the pending job that the last snapshot showed."""
        found = self._pending.get(job) or self._running.get(job)
        if found is None:
            raise KeyError(job)
        return found[0]

    def forget(self) -> None:
        """After a failed commit: trust nothing that is remembered."""
        self.__init__()  # type: ignore[misc]

    def nodes(self) -> tuple[Node, ...]:
        stamp = (_stamp(NodeRow), _stamp(DeviceRow), _stamp(PoolRow), ratios_of_models())
        if stamp != self._inventory_stamp:
            self._nodes, self._pools, self._inventory_stamp = load_nodes(), load_pools(), stamp
        return self._nodes

    def pools(self) -> tuple[Pool, ...]:
        """As ``nodes`` last read them."""
        return self._pools

    def queues(self) -> tuple[Queue, ...]:
        self._read_past_use()
        stamp = _stamp(QueueRow)
        if stamp != self._queue_stamp:
            self._queues, self._queue_stamp = _load_queues(self._past_use), stamp
        return self._queues

    def _read_past_use(self) -> None:
        """Past use moves slowly and is a sum over history: now and then is enough."""
        if not any(pool.decay for pool in self._pools):
            return
        if time.monotonic() >= self._past_use_at:
            self._past_use_at = time.monotonic() + PAST_USE_EVERY_S
            self._past_use = past_use(clock.now())
            self._queue_stamp = None

    def _read_held(self) -> list[HeldTask]:
        now = clock.now()
        rows = Allocation.objects.order_by()
        if self._held_since is None or time.monotonic() >= self._reload_at:
            self._held.clear()
            rows = rows.exclude(state=AllocationState.ENDED)
            self._reload_at = time.monotonic() + RELOAD_EVERY_S
        else:
            rows = rows.filter(updated_at__gte=self._held_since - OVERLAP)
        self._held_since = now
        changed = list(
            rows.values_list(
                "id",
                "task_id",
                "job_id",
                "group",
                "queue_id",
                "node_id",
                "cpu_millis",
                "host_memory_mib",
                "state",
            )
        )
        live = [row for row in changed if row[8] != AllocationState.ENDED]
        slices = _slices([row[0] for row in live if row[0] not in self._held])
        for row in changed:
            if row[8] == AllocationState.ENDED:
                self._held.pop(row[0], None)
                continue
            known = self._held.get(row[0])
            self._held[row[0]] = HeldTask(
                task=str(row[1]),
                job=str(row[2]),
                group=row[3],
                queue=str(row[4]),
                node=str(row[5]),
                slices=known.slices if known else tuple(slices.get(row[0], ())),
                cpu_millis=row[6],
                host_memory_mib=row[7],
                stopping=row[8] == AllocationState.STOPPING,
            )
        return list(self._held.values())

    def _read_pending(self) -> list[PendingJob]:
        versions = _follow(self._pending, [JobState.PENDING], load_pending)
        return [self._pending[pk][1] for pk in versions if pk in self._pending]

    def _read_running(self) -> list[HeldJob]:
        versions = _follow(self._running, [JobState.STARTING, JobState.RUNNING], load_running)
        return [self._running[pk][1] for pk in versions if pk in self._running]


Loaded = TypeVar("Loaded", PendingJob, HeldJob)


def _follow(
    known: dict[UUID, tuple[int, Loaded]],
    states: list[JobState],
    load: Callable[[list[UUID]], dict[UUID, tuple[int, Loaded]]],
) -> list[UUID]:
    """Bring what is known of the jobs in these states up to date; their ids."""
    versions = dict(Job.objects.filter(state__in=states).order_by().values_list("id", "version"))
    for gone in known.keys() - versions.keys():
        del known[gone]
    stale = [pk for pk, version in versions.items() if known.get(pk, (0,))[0] != version]
    for start in range(0, len(stale), 2000):
        known.update(load(stale[start : start + 2000]))
    return list(versions)


def _stamp(model: type[Entity]) -> tuple[Any, ...]:
    """Differs after every change. The newest time alone would hide a change made earlier but committed later."""
    found = model._default_manager.aggregate(Max("updated_at"), Count("id"), Sum("version"))
    return tuple(found.values())


def _load_queues(past_use: Use) -> tuple[Queue, ...]:
    quotas: dict[UUID, dict[str, Quota]] = {}
    for row in QueueQuota.objects.all():
        quotas.setdefault(row.queue_id, {})[row.device_class_id] = Quota(
            guaranteed=row.guaranteed, limit=row.limit, weight=row.weight, reserved=row.reserved
        )
    return tuple(
        Queue(
            id=str(row.pk),
            name=row.path,
            pool=str(row.pool_id),
            parent=str(row.parent_id) if row.parent_id else None,
            priority=row.priority,
            open=row.state == QueueState.OPEN,
            created_at=int(row.created_at.timestamp()),
            quotas=quotas.get(row.pk, {}),
            strict=row.mode == QueueMode.STRICT,
            min_runtime=row.min_runtime_s,
            evictions_per_hour=row.evictions_per_hour,
            usage=past_use.get(row.pk, {}),
        )
        for row in QueueRow.objects.order_by("path")
    )


def _slices(allocations: list[UUID]) -> dict[UUID, list[HeldSlice]]:
    found: dict[UUID, list[HeldSlice]] = {}
    rows = (
        Slice.objects.filter(allocation__in=allocations)
        .order_by("id")
        .values_list("allocation_id", "device_id", "cores", "memory_mib", "exclusive", "charge", "partition")
    )
    for allocation, device, cores, memory, exclusive, charge, partition in rows if allocations else ():
        part = HeldSlice(str(device), cores, memory, exclusive, charge, partition)
        found.setdefault(allocation, []).append(part)
    return found
