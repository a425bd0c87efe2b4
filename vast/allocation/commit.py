"""Making decisions true: allocations, slices, new states and the orders for the drivers, in one transaction.

Nothing is believed that the engine saw: jobs are locked and must still be pending in the version that was decided on,
devices are locked and their limits are counted again.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from vast.allocation.choices import AllocationState
from vast.allocation.models import Allocation, Slice
from vast.allocation.orders import Seat, choose_port, launch_orders
from vast.common import clock
from vast.common.ids import new_id
from vast.common.models import OutboxMessage
from vast.inventory.models import Device, Node
from vast.jobs.choices import JobState, TaskState
from vast.jobs.lifecycle import Batch
from vast.jobs.models import Job, Task
from vast.scheduling.decisions import Start
from vast.vendors.base import GrantedDevice


@dataclass(slots=True)
class Room:
    """What is left of one locked device while starts are checked against it."""

    row: Device
    cores: int = 100
    memory_mib: int = 0
    slices: int = 0
    exclusive: bool = False


@dataclass(slots=True)
class Committed:
    """``refused`` jobs changed, or their devices did, between deciding and committing; they stay pending."""

    started: list[UUID] = field(default_factory=list)
    refused: list[UUID] = field(default_factory=list)


@transaction.atomic
def commit(starts: Sequence[tuple[Start, int]]) -> Committed:
    """Start these gangs. Each comes with the version of the job that the decision was made on."""
    result = Committed()
    versions = {UUID(start.job): version for start, version in starts}
    jobs = {
        job.pk: job
        for job in Job.objects.select_for_update(of=("self",))
        .select_related("queue")
        .filter(pk__in=versions, state=JobState.PENDING)
        .order_by("pk")
        if job.version == versions[job.pk]
    }
    rooms = _lock_devices(UUID(s.device) for start, _ in starts for p in start.placements for s in p.slices)
    nodes = Node.objects.in_bulk({UUID(p.node) for start, _ in starts for p in start.placements})
    tasks = _tasks(jobs)
    ports = _taken_ports() if any(job.tasks_total > 1 for job in jobs.values()) else {}
    batch, writer = Batch(), _Writer()
    for start, _ in starts:
        job = jobs.get(UUID(start.job))
        if job is None or not _take(start, rooms):
            result.refused.append(UUID(start.job))
            continue
        writer.add(job, start, tasks[job.pk], nodes, rooms, ports)
        batch.move(job, JobState.STARTING)
        for task in tasks[job.pk]:
            task.state, task.attempt = TaskState.STARTING, job.attempt
            batch.change_task(task)
        result.started.append(job.pk)
    writer.save()
    batch.save()
    return result


def _tasks(jobs: dict[UUID, Job]) -> dict[UUID, list[Task]]:
    found: dict[UUID, list[Task]] = {pk: [] for pk in jobs}
    for task in Task.objects.filter(job__in=jobs).defer("log_tail").order_by("job_id", "rank"):
        found[task.job_id].append(task)
    return found


def _lock_devices(ids: Iterable[UUID]) -> dict[UUID, Room]:
    rows = (
        Device.objects.select_for_update(of=("self",))
        .select_related("model")
        .filter(pk__in=set(ids))
        .order_by("pk")
    )
    rooms = {row.pk: Room(row=row, memory_mib=row.memory_mib) for row in rows}
    for device, cores, memory, exclusive in Slice.objects.filter(device__in=rooms, live=True).values_list(
        "device_id", "cores", "memory_mib", "exclusive"
    ):
        _use(rooms[device], cores, memory, exclusive)
    return rooms


def _use(room: Room, cores: int, memory_mib: int, exclusive: bool) -> None:
    room.cores -= cores
    room.memory_mib -= memory_mib
    room.slices += 1
    room.exclusive = room.exclusive or exclusive


def _take(start: Start, rooms: dict[UUID, Room]) -> bool:
    """Book the gang's slices, or nothing at all when one does not fit any more."""
    booked: list[tuple[Room, Room]] = []
    for piece in (piece for placement in start.placements for piece in placement.slices):
        room = rooms.get(UUID(piece.device))
        fits = (
            room is not None
            and not room.exclusive
            and room.row.present
            and (
                room.slices == 0
                if piece.exclusive
                else room.cores >= piece.cores
                and room.memory_mib >= piece.memory_mib
                and room.slices < room.row.max_slices
            )
        )
        if room is None or not fits:
            for taken, before in reversed(booked):
                taken.cores, taken.memory_mib, taken.slices, taken.exclusive = (
                    before.cores,
                    before.memory_mib,
                    before.slices,
                    before.exclusive,
                )
            return False
        booked.append((room, Room(room.row, room.cores, room.memory_mib, room.slices, room.exclusive)))
        _use(room, piece.cores, piece.memory_mib, piece.exclusive)
    return True


def _taken_ports() -> dict[str, set[int]]:
    taken: dict[str, set[int]] = {}
    live = Allocation.objects.exclude(state=AllocationState.ENDED).filter(master_port__isnull=False)
    for address, port in live.values_list("node__address", "master_port"):
        if port is not None:
            taken.setdefault(address, set()).add(port)
    return taken


class _Writer:
    """Collects the rows of many starts and writes them in few statements."""

    def __init__(self) -> None:
        self.allocations: list[Allocation] = []
        self.slices: list[Slice] = []
        self.messages: list[OutboxMessage] = []

    def add(
        self,
        job: Job,
        start: Start,
        tasks: list[Task],
        nodes: dict[UUID, Node],
        rooms: dict[UUID, Room],
        ports: dict[str, set[int]],
    ) -> None:
        by_id = {str(task.pk): task for task in tasks}
        groups = {group["name"]: group for group in job.document["groups"]}
        rows, seats = [], []
        for placement in sorted(start.placements, key=lambda p: by_id[p.task].rank):
            task, node = by_id[placement.task], nodes[UUID(placement.node)]
            row = Allocation(
                id=new_id(),
                task=task,
                job=job,
                queue_id=job.queue_id,
                node=node,
                group=task.group,
                cpu_millis=placement.cpu_millis,
                host_memory_mib=placement.host_memory_mib,
            )
            held = [(rooms[UUID(piece.device)].row, piece) for piece in placement.slices]
            self.slices += [
                Slice(
                    allocation=row,
                    device=device,
                    cores=piece.cores,
                    memory_mib=piece.memory_mib,
                    exclusive=piece.exclusive,
                    charge=piece.charge,
                )
                for device, piece in held
            ]
            rows.append(row)
            seats.append(_seat(row, task, node, groups[task.group], held))
        port = self._port(job, rows, ports)
        orders = launch_orders(
            job_id=str(job.pk),
            job_name=job.name,
            queue=job.queue.path,
            max_runtime_s=job.max_runtime_s,
            attempt=job.attempt + 1,
            seats=seats,
            master_port=port,
        )
        now = clock.now()
        for row, order in zip(rows, orders, strict=True):
            row.order = order
            self.messages.append(
                OutboxMessage(kind="launch", node=row.node_id, allocation=row.pk, due_at=now)
            )
        self.allocations += rows

    @staticmethod
    def _port(job: Job, rows: list[Allocation], ports: dict[str, set[int]]) -> int | None:
        if len(rows) < 2:
            return None
        taken = ports.setdefault(rows[0].node.address, set())
        port = choose_port(zlib.crc32(job.pk.bytes + bytes([job.launch_failures % 256])), taken)
        taken.add(port)
        rows[0].master_port = port
        return port

    def save(self) -> None:
        Allocation.objects.bulk_create(self.allocations, batch_size=1000)
        Slice.objects.bulk_create(self.slices, batch_size=2000)
        OutboxMessage.objects.bulk_create(self.messages, batch_size=2000)


def _seat(
    row: Allocation, task: Task, node: Node, group: dict[str, Any], held: list[tuple[Device, Any]]
) -> Seat:
    return Seat(
        allocation=str(row.pk),
        task=str(task.pk),
        group=group,
        index=task.index,
        rank=task.rank,
        node_id=str(node.pk),
        node_name=node.name,
        node_address=node.address,
        vendor=held[0][0].model.vendor if held else "",
        devices=tuple(
            GrantedDevice(
                uuid=device.uuid,
                model=device.model.name,
                index=device.index,
                memory_mib=piece.memory_mib,
                cores=piece.cores,
                exclusive=piece.exclusive,
            )
            for device, piece in held
        ),
        cpu_millis=row.cpu_millis,
        host_memory_mib=row.host_memory_mib,
    )
