"""What could leave: the running work of a pool as units that stay or go together, and what each of them costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from vast.scheduling.snapshot import HeldJob, HeldTask, Hold, PendingJob, Placement, Snapshot
from vast.scheduling.state import ALL_SLOTS, PoolState

Held = HeldTask | Placement


class Kind(IntEnum):
    """In the order in which units are taken."""

    STOPPING = 0
    EXTRA = 1
    MINIMUM = 2
    HOLD = 3


class Part(NamedTuple):
    """What a unit holds of one device: percent, MiB, slice slots (all of them if exclusive), number of slices."""

    cores: int
    memory_mib: int
    slots: int
    slices: int


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Tasks of one job that leave together: its minimum, one extra, one task that is leaving already, or seats that
    are only held.

    ``charges`` in milli-cards by class. ``work`` = milli-cards x seconds that would be lost. ``started_at`` in seconds
    (unknown = 0, old). ``extras`` leave with their minimum; ``turn`` is their order, the last rank first. ``ends_at`` =
    when its time is up at the latest (None = nobody knows). ``guest`` = may be stopped for a reservation on which it
    started.
    """

    id: str
    job: str
    queue: str
    kind: Kind
    tasks: tuple[Held, ...]
    charges: Mapping[str, int]
    priority: int = 0
    preemptible: bool = True
    movable: bool = False
    work: int = 0
    started_at: int = 0
    evicted_at: tuple[int, ...] = ()
    extras: tuple[Unit, ...] = ()
    turn: int = 0
    ends_at: int | None = None
    guest: bool = False
    by_device: Mapping[int, Part] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """The whole job leaves with it."""
        return self.kind is Kind.MINIMUM

    @property
    def fixed(self) -> bool:
        """Counts as non-preemptible use of its queue."""
        return not self.preemptible and self.kind is not Kind.EXTRA


class Field:
    """The units of one pool, and which of them sit on a device or node. Order: by id."""

    def __init__(self, state: PoolState, snapshot: Snapshot, holds: Iterable[Hold], now: int) -> None:
        self._state = state
        self._now = now
        self.units: dict[Unit, None] = {}
        self.on_device: dict[int, list[Unit]] = {}
        self.on_node: dict[int, list[Unit]] = {}
        self.of_job: dict[str, list[Unit]] = {}
        jobs = {job.id: job for job in snapshot.jobs}
        self._known: dict[str, PendingJob | HeldJob] = {job.id: job for job in snapshot.pending} | jobs
        for job_id, tasks in _by_job(state, snapshot.held).items():
            for unit in self._units_of(job_id, jobs.get(job_id), tasks):
                self.add(unit)
        for hold in holds:
            self.add(self.unit_of_hold(hold))

    def add(self, unit: Unit) -> None:
        self.units[unit] = None
        self.of_job.setdefault(unit.job, []).append(unit)
        for device in unit.by_device:
            self.on_device.setdefault(device, []).append(unit)
        for node in sorted({self._state.node_index[task.node] for task in unit.tasks}):
            self.on_node.setdefault(node, []).append(unit)

    def drop(self, unit: Unit) -> None:
        """The unit is gone, or has become another one."""
        del self.units[unit]
        self.of_job[unit.job].remove(unit)
        for device in unit.by_device:
            self.on_device[device].remove(unit)
        for node in {self._state.node_index[task.node] for task in unit.tasks}:
            self.on_node[node].remove(unit)

    def with_extras(self, unit: Unit) -> tuple[Unit, ...]:
        """The unit and those of its extras that are still there."""
        return (unit, *(extra for extra in unit.extras if extra in self.units))

    def told_to_stop(self, unit: Unit) -> None:
        """From now on the tasks of this unit only wait to be gone."""
        self.drop(unit)
        for task in unit.tasks:
            self.add(self._unit(Kind.STOPPING, unit.job, unit.queue, (task,), name=task.task))

    def unit_of_hold(self, hold: Hold) -> Unit:
        """Seats that are held count as running work with nothing to lose."""
        job = self._known.get(hold.job)
        return self._unit(
            Kind.HOLD,
            hold.job,
            hold.queue,
            hold.seats,
            priority=job.priority if job else 0,
            preemptible=job.preemptible if job else True,
            started_at=hold.since,
        )

    def _units_of(self, job_id: str, job: HeldJob | None, tasks: Sequence[HeldTask]) -> Iterator[Unit]:
        staying = [task for task in tasks if not task.stopping]
        for task in tasks:
            if task.stopping:
                yield self._unit(Kind.STOPPING, job_id, task.queue, (task,), name=task.task)
        if job is None or not staying:
            return
        minimum, extras = split(job, staying)
        spare = tuple(self._of(job, Kind.EXTRA, (task,), task.task, turn=i) for i, task in enumerate(extras))
        yield from spare
        if minimum:
            yield self._of(job, Kind.MINIMUM, tuple(minimum), job_id, spare)

    def _of(
        self,
        job: HeldJob,
        kind: Kind,
        tasks: tuple[HeldTask, ...],
        name: str,
        extras: tuple[Unit, ...] = (),
        turn: int = 0,
    ) -> Unit:
        since = max(job.saved_at or 0, job.started_at or 0)
        seconds = max(0, self._now - since) if since else self._now
        return self._unit(
            kind,
            job.id,
            tasks[0].queue,
            tasks,
            name=name,
            priority=job.priority,
            preemptible=job.preemptible or kind is Kind.EXTRA,
            movable=job.movable,
            seconds=seconds,
            started_at=job.started_at or 0,
            evicted_at=job.evicted_at,
            extras=extras,
            turn=turn,
            ends_at=_end(job),
            guest=job.preemptible and (job.movable or job.checkpoints),
        )

    def _unit(
        self,
        kind: Kind,
        job: str,
        queue: str,
        tasks: tuple[Held, ...],
        *,
        name: str = "",
        priority: int = 0,
        preemptible: bool = True,
        movable: bool = False,
        seconds: int = 0,
        started_at: int = 0,
        evicted_at: tuple[int, ...] = (),
        extras: tuple[Unit, ...] = (),
        turn: int = 0,
        ends_at: int | None = None,
        guest: bool = False,
    ) -> Unit:
        charges: dict[str, int] = {}
        by_device: dict[int, Part] = {}
        for part in (part for task in tasks for part in task.slices):
            device = self._state.device_index[part.device]
            name_of_class = self._state.devices[device].device_class
            charges[name_of_class] = charges.get(name_of_class, 0) + part.charge
            cores, memory, slots, slices = by_device.get(device, Part(0, 0, 0, 0))
            slots += ALL_SLOTS if part.exclusive else 1
            by_device[device] = Part(cores + part.cores, memory + part.memory_mib, slots, slices + 1)
        return Unit(
            id=name or job,
            job=job,
            queue=queue,
            kind=kind,
            tasks=tasks,
            charges=charges,
            priority=priority,
            preemptible=preemptible,
            movable=movable,
            work=sum(charges.values()) * seconds,
            started_at=started_at,
            evicted_at=evicted_at,
            extras=extras,
            turn=turn,
            ends_at=ends_at,
            guest=guest,
            by_device=by_device,
        )


def fixed_tasks(snapshot: Snapshot) -> frozenset[str]:
    """The tasks that nobody may evict: the minimums of jobs that are not preemptible. Extras always are."""
    jobs = {job.id: job for job in snapshot.jobs if not job.preemptible}
    staying: dict[str, list[HeldTask]] = {}
    for task in snapshot.held:
        if task.job in jobs and not task.stopping:
            staying.setdefault(task.job, []).append(task)
    return frozenset(task.task for job, tasks in staying.items() for task in split(jobs[job], tasks)[0])


def _end(job: HeldJob) -> int | None:
    """A job whose slices may be paused by their neighbours is never sure to end."""
    pausable = any(group.request.sharing == "priority-preemption" for group in job.groups)
    if job.started_at is None or job.max_runtime is None or pausable:
        return None
    return job.started_at + job.max_runtime


def _by_job(state: PoolState, held: Iterable[HeldTask]) -> dict[str, list[HeldTask]]:
    found: dict[str, list[HeldTask]] = {}
    for task in held:
        if task.node in state.node_index:
            found.setdefault(task.job, []).append(task)
    return dict(sorted(found.items()))


def split(job: HeldJob, tasks: Sequence[HeldTask]) -> tuple[list[HeldTask], list[HeldTask]]:
    """The tasks of the minimum, and the extras (last rank first: the first to go)."""
    rank = {task: i for group in job.groups for i, task in enumerate(group.task_ids)}
    minimum_of = {group.name: group.minimum for group in job.groups}
    minimum: list[HeldTask] = []
    extras: list[HeldTask] = []
    taken: dict[str, int] = {}
    for task in sorted(tasks, key=lambda task: (task.group, rank.get(task.task, 0), task.task)):
        have = taken.get(task.group, 0)
        if have < minimum_of.get(task.group, 0) or task.group not in minimum_of:
            minimum.append(task)
            taken[task.group] = have + 1
        else:
            extras.append(task)
    return minimum, extras[::-1]
