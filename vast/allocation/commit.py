"""Making decisions true: allocations, slices, new states and the orders for the drivers, in one transaction.

Nothing is believed that the engine saw: jobs are locked and must still be pending in the version that was decided on,
devices are locked and their limits are counted again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from vast.allocation.choices import AllocationState
from vast.allocation.evictions import deals, take_from_others
from vast.allocation.models import Allocation, Hold, Slice
from vast.allocation.orders import MeetingPoint, Seat, choose_port, launch_orders
from vast.allocation.scene import Scene, lock_scene
from vast.common import clock
from vast.common.ids import new_id
from vast.common.models import OutboxMessage
from vast.common.reasons import Reason
from vast.inventory.models import Device, Node
from vast.inventory.oversubscription import ratios_of
from vast.jobs.choices import JobState, TaskState
from vast.jobs.models import Job, Task
from vast.scheduling.decisions import Decision, Evict, Grow, Keep, Release, Reserve, Start
from vast.vendors.base import GrantedDevice


@dataclass(slots=True)
class Room:
    """What may still be promised of one locked device while starts are checked against it."""

    row: Device
    cores: int
    memory_mib: int
    slices: int = 0
    exclusive: bool = False


@dataclass(slots=True)
class Committed:
    """``refused`` jobs changed, or their devices did, between deciding and committing; they stay as they were.
    ``orders`` = whether a driver has something new to do."""

    started: list[UUID] = field(default_factory=list)
    refused: list[UUID] = field(default_factory=list)
    orders: bool = False


@transaction.atomic
def commit(decisions: Sequence[Decision], version_of: Callable[[UUID], int]) -> Committed:
    """Make decisions true, in their order. ``version_of`` gives the version of a job that was decided on.

    What belongs together (evictions and the hold that they serve) must be in one call; it happens whole or not at all.
    """
    scene = lock_scene(UUID(decision.job) for decision in decisions)
    placed = [d for d in decisions if isinstance(d, Start | Grow)]
    rooms = _lock_devices(UUID(s.device) for d in placed for p in d.placements for s in p.slices)
    nodes = Node.objects.in_bulk({UUID(p.node) for d in placed for p in d.placements})
    gangs = any(scene.jobs[UUID(d.job)].tasks_total > 1 for d in placed if UUID(d.job) in scene.jobs)
    work = _Work(scene, version_of, rooms, nodes, _taken_ports() if gangs else {})
    for deal in deals(decisions):
        work.carry_out(deal)
    work.writer.save()
    scene.save()
    work.result.orders = bool(work.writer.messages or scene.orders)
    return work.result


@dataclass(slots=True)
class _Work:
    """One commit under way."""

    scene: Scene
    version_of: Callable[[UUID], int]
    rooms: dict[UUID, Room]
    nodes: dict[UUID, Node]
    ports: dict[str, set[int]]
    writer: _Writer = field(default_factory=lambda: _Writer())
    result: Committed = field(default_factory=Committed)

    def carry_out(self, deal: Sequence[Decision]) -> None:
        """The decisions of one deal, all or none."""
        if len(deal) > 1 or isinstance(deal[0], Keep | Release | Reserve | Evict):
            if not take_from_others(self.scene, deal, self._unchanged):
                self.result.refused.append(UUID(deal[-1].job))
            return
        (decision,) = deal
        if isinstance(decision, Start):
            self._start(decision)
        elif isinstance(decision, Grow):
            self._grow(decision)

    def _unchanged(self, job: Job) -> bool:
        return job.version == self.version_of(job.pk)

    def _start(self, start: Start) -> None:
        job = self.scene.jobs.get(UUID(start.job))
        ready = job is not None and job.state == JobState.PENDING and self._unchanged(job)
        if job is None or not ready or not _take(start, self.rooms):
            self.result.refused.append(UUID(start.job))
            return
        self._place(job, start, self.ports, None)
        Hold.objects.filter(job=job).delete()
        job.hold_timeouts, job.evict_not_before = 0, None
        self.scene.batch.move(job, JobState.STARTING)
        self.result.started.append(job.pk)

    def _grow(self, grow: Grow) -> None:
        """Extras, or lost members, of a job that runs."""
        job = self.scene.jobs.get(UUID(grow.job))
        wanted = {placement.task for placement in grow.placements}
        runs = job is not None and (
            job.state == JobState.RUNNING
            or (job.state == JobState.STARTING and job.pk in self.result.started)
        )
        free = job is not None and wanted <= {
            str(task.pk) for task in self.scene.tasks[job.pk] if task.state == TaskState.PENDING
        }
        if job is None or not (runs and free) or not _take(grow, self.rooms):
            self.result.refused.append(UUID(grow.job))
            return
        self._place(job, grow, {}, self._meeting_point(job))
        Hold.objects.filter(job=job).delete()
        self.scene.batch.note(
            job, "grown", actor="scheduler", reason=Reason("GROWN", {"tasks": len(grow.placements)})
        )
        self.scene.batch.change(job)

    def _meeting_point(self, job: Job) -> MeetingPoint | None:
        rows = [row for row in self.writer.allocations if row.job_id == job.pk]
        known = rows or list(
            Allocation.objects.filter(job=job).exclude(state=AllocationState.ENDED).order_by("task__rank")[:1]
        )
        if not known or not known[0].order:
            return None
        env = known[0].order["env"]
        return MeetingPoint(env["MASTER_ADDR"], env["MASTER_PORT"], job.tasks_total)

    def _place(
        self, job: Job, placed: Start | Grow, ports: dict[str, set[int]], meeting: MeetingPoint | None
    ) -> None:
        tasks = self.scene.tasks[job.pk]
        self.writer.add(job, placed, tasks, self.nodes, self.rooms, ports, meeting)
        seated = {placement.task for placement in placed.placements}
        for task in tasks:
            if str(task.pk) in seated:
                task.state = TaskState.STARTING
                task.attempt = job.attempt + (1 if isinstance(placed, Start) else 0)
                self.scene.batch.change_task(task)


def _lock_devices(ids: Iterable[UUID]) -> dict[UUID, Room]:
    rows = (
        Device.objects.select_for_update(of=("self",))
        .select_related("model", "node__pool")
        .filter(pk__in=set(ids))
        .order_by("pk")
    )
    rooms = {row.pk: _whole(row) for row in rows}
    for device, cores, memory, exclusive in Slice.objects.filter(device__in=rooms, live=True).values_list(
        "device_id", "cores", "memory_mib", "exclusive"
    ):
        _use(rooms[device], cores, memory, exclusive)
    return rooms


def _whole(row: Device) -> Room:
    """The device with nothing on it, as much as may be promised of it."""
    ratio = ratios_of(row)
    return Room(row=row, cores=ratio.cores_of(100), memory_mib=ratio.memory_of(row.memory_mib))


def _use(room: Room, cores: int, memory_mib: int, exclusive: bool) -> None:
    room.cores -= cores
    room.memory_mib -= memory_mib
    room.slices += 1
    room.exclusive = room.exclusive or exclusive


def _take(start: Start | Grow, rooms: dict[UUID, Room]) -> bool:
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
        start: Start | Grow,
        tasks: list[Task],
        nodes: dict[UUID, Node],
        rooms: dict[UUID, Room],
        ports: dict[str, set[int]],
        meeting: MeetingPoint | None,
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
                    partition=piece.partition,
                )
                for device, piece in held
            ]
            rows.append(row)
            seats.append(_seat(row, task, node, groups[task.group], held))
        port = self._port(job, rows, ports) if meeting is None else None
        orders = launch_orders(
            job_id=str(job.pk),
            job_name=job.name,
            queue=job.queue.path,
            priority=job.priority,
            max_runtime_s=job.max_runtime_s,
            attempt=job.attempt + (1 if isinstance(start, Start) else 0),
            seats=seats,
            master_port=port,
            meeting=meeting,
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
