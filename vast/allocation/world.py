"""The engine's picture of the database, kept warm between cycles.

Inventory is read again only when a row of it changed; what is held is followed by the rows that changed lately, with an
overlap that covers transactions still open at the last look, and read whole now and then as a check.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Max, OuterRef, Q, Sum

from vast.allocation.choices import AllocationState
from vast.allocation.models import Allocation, Slice
from vast.allocation.translate import task_groups
from vast.common import clock
from vast.common.models import Entity
from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import Device as DeviceRow
from vast.inventory.models import Node as NodeRow
from vast.jobs.choices import JobState
from vast.jobs.models import Job, Task
from vast.queues.choices import QueueState
from vast.queues.models import Queue as QueueRow
from vast.queues.models import QueueQuota
from vast.scheduling.snapshot import Device, HeldSlice, HeldTask, Node, PendingJob, Queue, Quota, Snapshot
from vast.vendors.registry import rule_for

OVERLAP = timedelta(seconds=15)
RELOAD_EVERY_S = 60.0


class World:
    """Reads snapshots. One per process and thread."""

    def __init__(self) -> None:
        self._inventory_stamp: Any = None
        self._nodes: tuple[Node, ...] = ()
        self._queue_stamp: Any = None
        self._queues: tuple[Queue, ...] = ()
        self._held: dict[UUID, HeldTask] = {}
        self._held_since: datetime | None = None
        self._reload_at = 0.0
        self._pending: dict[UUID, tuple[int, PendingJob]] = {}

    def snapshot(self) -> Snapshot:
        """The present moment. Reads only what changed."""
        return Snapshot(
            nodes=self.nodes(),
            queues=self.queues(),
            held=tuple(self._read_held()),
            pending=tuple(self._read_pending()),
        )

    def version_of(self, job: UUID) -> int:
        """The version of the pending job that the last snapshot showed."""
        return self._pending[job][0]

    def forget(self) -> None:
        """After a failed commit: trust nothing that is remembered."""
        self.__init__()  # type: ignore[misc]

    def nodes(self) -> tuple[Node, ...]:
        stamp = (_stamp(NodeRow), _stamp(DeviceRow))
        if stamp != self._inventory_stamp:
            self._nodes, self._inventory_stamp = _load_nodes(), stamp
        return self._nodes

    def queues(self) -> tuple[Queue, ...]:
        stamp = _stamp(QueueRow)
        if stamp != self._queue_stamp:
            self._queues, self._queue_stamp = _load_queues(), stamp
        return self._queues

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
        versions = dict(Job.objects.filter(state=JobState.PENDING).order_by().values_list("id", "version"))
        for gone in self._pending.keys() - versions.keys():
            del self._pending[gone]
        stale = [pk for pk, version in versions.items() if self._pending.get(pk, (0,))[0] != version]
        for start in range(0, len(stale), 2000):
            self._pending.update(_load_pending(stale[start : start + 2000]))
        return [self._pending[pk][1] for pk in versions if pk in self._pending]


def _stamp(model: type[Entity]) -> tuple[Any, ...]:
    """Differs after every change. The newest time alone would hide a change made earlier but committed later."""
    found = model._default_manager.aggregate(Max("updated_at"), Count("id"), Sum("version"))
    return tuple(found.values())


def _load_nodes() -> tuple[Node, ...]:
    devices: dict[UUID, list[Device]] = {}
    rows = (
        # A device that is gone but still given out stays in the picture, so that what is held on it adds up.
        DeviceRow.objects.filter(
            Q(present=True) | Exists(Slice.objects.filter(device=OuterRef("pk"), live=True))
        )
        .order_by("node_id", "index", "id")
        .values_list(
            "id",
            "node_id",
            "model__vendor",
            "model__name",
            "model__device_class_id",
            "memory_mib",
            "max_slices",
            "health",
            "cordoned",
            "numa",
            "link_group",
            "present",
        )
    )
    for (
        pk,
        node,
        vendor,
        model,
        device_class,
        memory,
        slices,
        health,
        cordoned,
        numa,
        link_group,
        present,
    ) in rows:
        devices.setdefault(node, []).append(
            Device(
                id=str(pk),
                vendor=vendor,
                model=model,
                device_class=device_class,
                memory_mib=memory,
                max_slices=slices,
                rule=rule_for(vendor, model),
                healthy=present and health == DeviceHealth.HEALTHY,
                cordoned=cordoned,
                numa=numa,
                link_group=link_group,
            )
        )
    return tuple(
        Node(
            id=str(row.pk),
            name=row.name,
            pool=str(row.pool_id),
            cpu_millis=row.cpu_millis,
            memory_mib=row.memory_mib,
            task_slots=row.task_slots,
            devices=tuple(devices.get(row.pk, ())),
            ready=row.state == NodeState.READY,
            cordoned=row.cordoned,
            simulated=row.simulated,
            labels=row.labels,
            domains=row.location,
        )
        for row in NodeRow.objects.order_by("name", "id")
    )


def _load_queues() -> tuple[Queue, ...]:
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
        )
        for row in QueueRow.objects.order_by("path")
    )


def _slices(allocations: list[UUID]) -> dict[UUID, list[HeldSlice]]:
    found: dict[UUID, list[HeldSlice]] = {}
    rows = (
        Slice.objects.filter(allocation__in=allocations)
        .order_by("id")
        .values_list("allocation_id", "device_id", "cores", "memory_mib", "exclusive", "charge")
    )
    for allocation, device, cores, memory, exclusive, charge in rows if allocations else ():
        found.setdefault(allocation, []).append(HeldSlice(str(device), cores, memory, exclusive, charge))
    return found


def _load_pending(ids: list[UUID]) -> dict[UUID, tuple[int, PendingJob]]:
    tasks: dict[UUID, list[str]] = {}
    for job, task in Task.objects.filter(job__in=ids).order_by("job_id", "rank").values_list("job_id", "id"):
        tasks.setdefault(job, []).append(str(task))
    rows = Job.objects.filter(pk__in=ids).only(
        "id", "version", "queue_id", "priority", "submitted_at", "document", "not_before", "avoid_nodes"
    )
    return {
        row.pk: (
            row.version,
            PendingJob(
                id=str(row.pk),
                queue=str(row.queue_id),
                priority=row.priority,
                submitted_at=int(row.submitted_at.timestamp()),
                groups=task_groups(row.document, tasks.get(row.pk, [])),
                not_before=int(row.not_before.timestamp()) + 1 if row.not_before else 0,
                avoid_nodes=frozenset(row.avoid_nodes),
            ),
        )
        for row in rows.order_by()
    }
