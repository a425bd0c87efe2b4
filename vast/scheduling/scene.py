"""Everything that one cycle of one pool works on, made from the snapshot once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vast.common.reasons import Reason
from vast.scheduling.budget import Budget
from vast.scheduling.capacity import Capacity
from vast.scheduling.clearing import Clearing
from vast.scheduling.ledger import (
    Ledger,
    Room,
    exceeds,
    larger_than_limit,
    not_preemptible,
    reserved_for_others,
)
from vast.scheduling.placement import Search, Seat, Seated
from vast.scheduling.rights import Rights
from vast.scheduling.scenario import Scenarios
from vast.scheduling.shapes import JobShape, Shapes
from vast.scheduling.shares import Shares
from vast.scheduling.snapshot import (
    HeldJob,
    HeldSlice,
    Hold,
    PendingJob,
    Placement,
    Queue,
    Snapshot,
    TaskGroup,
)
from vast.scheduling.state import PoolState
from vast.scheduling.trial import book
from vast.scheduling.victims import Field, Kind, Unit, fixed_tasks
from vast.scheduling.wants import Wants


class Scene:
    """The pool as arrays, the ledger, and the searches on them. ``ended`` are the holds that no longer count."""

    def __init__(
        self,
        snapshot: Snapshot,
        pool: str,
        queues: Sequence[Queue],
        class_of: dict[str, str],
        now: int,
        budget: int,
    ) -> None:
        self.now = now
        self.class_of = class_of
        self.policy = snapshot.pool(pool)
        self.budget = Budget(budget)
        nodes = [node for node in snapshot.nodes if node.pool == pool]
        self.state = PoolState(nodes, snapshot.held, policy=self.policy)
        in_pool = {queue.id for queue in queues}
        self.pending = {job.id: job for job in snapshot.pending if job.queue in in_pool}
        self.running = {job.id: job for job in snapshot.jobs if job.queue in in_pool}
        self.held_tasks = {task.task: task for task in snapshot.held if task.queue in in_pool}
        self.seated: dict[str, set[str]] = {}
        for task in self.held_tasks.values():
            self.seated.setdefault(task.job, set()).add(task.task)
        self.holds = {hold.job: hold for hold in snapshot.holds if hold.queue in in_pool}
        self.ended = [hold for hold in self.holds.values() if not self._stands(hold)]
        for hold in self.ended:
            del self.holds[hold.job]
        self.ledger = Ledger(queues, snapshot.held, class_of, fixed_tasks(snapshot))
        for hold in self.holds.values():
            for seat in hold.seats:
                self.state.put(seat)
        self.shapes = Shapes(self.state)
        self.search = Search(self.state, self.budget)
        self.field = Field(self.state, snapshot, self.holds.values(), now)
        for unit in self.field.units:
            if unit.kind is Kind.HOLD:
                book(self.ledger, unit, 1)
        self.capacity = Capacity(nodes, self.held_tasks.values(), self.holds.values())
        self._occupied = {name: self.ledger.occupied(name) for name in self.ledger.reserves.classes}
        self.wants = Wants(self)
        self.shares = Shares(self.ledger, self.capacity.divided, self.wants.all(), self.policy.decay)
        self.rights = Rights(self.ledger, self.shares, now)
        clearing = Clearing(self.state, self.ledger, self.field, self.budget)
        self.scenarios = Scenarios(
            self.state, self.ledger, self.rights, self.search, clearing, self.shape_of_unit
        )

    def _stands(self, hold: Hold) -> bool:
        """Whether the hold still makes sense: its job waits for it, its seats are on nodes and devices in order."""
        waiting = hold.job in self.pending or hold.job in self.running or hold.job in self.seated
        if not waiting or self.timed_out(hold):
            return False
        return all(self.in_order(seat) for seat in hold.seats)

    def in_order(self, seat: Placement) -> bool:
        """Whether the seat's node and devices may be used at all."""
        state = self.state
        node = state.node_index.get(seat.node)
        if node is None or not state.ready[node] or state.node_cordoned[node]:
            return False
        devices = [state.device_index.get(part.device) for part in seat.slices]
        return all(device is not None and state.usable[device] for device in devices)

    def timed_out(self, hold: Hold) -> bool:
        return self.now - hold.since > self.policy.hold_timeout

    def shape_of_unit(self, unit: Unit) -> JobShape | None:
        """What the tasks of a running job would need elsewhere; None when that is not known."""
        job = self.running.get(unit.job)
        if job is None or not unit.whole:
            return None  # an extra comes back by growing
        return self.shapes.of(self.as_pending(job, unit))

    @staticmethod
    def as_pending(job: HeldJob, unit: Unit) -> PendingJob:
        """The minimum of a running job as if it waited."""
        leaving = {task.task for task in unit.tasks}
        groups = tuple(
            replace(group, task_ids=tasks, min_replicas=len(tasks))
            for group in job.groups
            if (tasks := tuple(task for task in group.task_ids if task in leaving))
        )
        return PendingJob(job.id, job.queue, job.priority, job.submitted_at, groups, topology=job.topology)

    def placements(self, groups: Sequence[TaskGroup], seated: Seated) -> tuple[Placement, ...]:
        """The seats with the names of their tasks, in rank order."""
        return tuple(self._placements(groups, seated))

    def _placements(self, groups: Sequence[TaskGroup], seated: Seated) -> Iterator[Placement]:
        for group, seats in zip(groups, seated.groups, strict=True):
            for task_id, seat in zip(group.task_ids, seats, strict=False):
                yield Placement(
                    task=task_id,
                    node=self.state.nodes[seat.node].id,
                    slices=self._slices(seat),
                    cpu_millis=group.request.cpu_millis,
                    host_memory_mib=group.request.host_memory_mib,
                )

    def _slices(self, seat: Seat) -> tuple[HeldSlice, ...]:
        needs = ((self.state.devices[d].id, seat.ask.needs[self.state.sku[d]]) for d in seat.devices)
        return tuple(
            HeldSlice(d, need.cores, need.memory_mib, need.whole, need.charge, need.partition)
            for d, need in needs
        )

    def rooms(self, queue: str, *, fixed: bool = False) -> dict[str, int]:
        """Milli-cards that may still start, for the classes in which something bounds them: limits, what is reserved
        for others and, for work that is not preemptible (``fixed``), guarantees."""
        rooms: dict[str, int] = {}
        for name in self.state.classes:
            bounds = [room.free for room in self.bounds(queue, name, fixed=fixed)]
            if bounds:
                rooms[name] = min(bounds)
        return rooms

    def bounds(self, queue: str, name: str, *, fixed: bool) -> list[Room]:
        """All that bounds a start in this class: the limit, the reserve of others, the guarantee; where present."""
        ledger = self.ledger
        found = [room for room in (ledger.room(queue, name),) if room is not None]
        if name in ledger.reserves.classes:
            free = self.capacity.free(name) - (ledger.occupied(name) - self._occupied[name])
            unreserved = ledger.unreserved(queue, name, free)
            found += [unreserved] if unreserved is not None else []
        if fixed:
            found.append(ledger.fixed_room(queue, name, self.shares.guarantee))
        return found

    def never_allowed(self, queue: str, name: str, asked: int) -> Reason | None:
        """Why the queue could not hold ``asked`` milli-cards even if it held nothing else."""
        for step in self.ledger.path(queue):
            limit = self.ledger.quota(step, name).limit
            if limit is not None and asked > limit:
                return larger_than_limit(self.ledger.queues[step], name, limit, asked)
        return None

    def bounded(self, queue: str, name: str, asked: int, *, fixed: bool) -> Reason | None:
        """Why a start of ``asked`` milli-cards is not allowed; None = it is."""
        ledger = self.ledger
        room = ledger.room(queue, name)
        if room is not None and asked > room.free:
            return exceeds(room, name, asked)
        if fixed:
            room = ledger.fixed_room(queue, name, self.shares.guarantee)
            if asked > room.free:
                return not_preemptible(room, name, asked)
        if name in ledger.reserves.classes:
            free = self.capacity.free(name) - (ledger.occupied(name) - self._occupied[name])
            room = ledger.unreserved(queue, name, free)
            if room is not None and asked > room.free:
                return reserved_for_others(room, name, asked)
        return None


NOT_EVALUATED = Reason("NOT_EVALUATED_YET")
