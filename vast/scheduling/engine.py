"""The engine: one snapshot in, a stream of decisions out. Pure: no clock, no I/O, integers only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vast.common.reasons import Reason
from vast.scheduling.budget import Budget, BudgetExhausted
from vast.scheduling.decisions import Decision, Placement, Start, Wait
from vast.scheduling.explain import Survey, no_matching_model
from vast.scheduling.ledger import Ledger, exceeds
from vast.scheduling.order import Line, Shares, Turns
from vast.scheduling.placement import Search, Seat, Seated, Unseated
from vast.scheduling.shapes import JobShape, Shapes
from vast.scheduling.snapshot import HeldSlice, PendingJob, Queue, Snapshot
from vast.scheduling.state import PoolState

NOT_EVALUATED = Reason("NOT_EVALUATED_YET")


def decide(snapshot: Snapshot, now: int, budget: int) -> Iterator[Decision]:
    """Decide every pending job once: a Start or a Wait with its reason, in the order of deciding.

    ``now`` in seconds since the epoch. ``budget`` in search steps, for each pool by itself: pools do not
    touch each other, and one snapshot per pool gives the same decisions. Jobs that it does not reach wait as
    NOT_EVALUATED_YET.
    """
    class_of = {device.id: device.device_class for node in snapshot.nodes for device in node.devices}
    for pool in sorted({queue.pool for queue in snapshot.queues}):
        queues = [queue for queue in snapshot.queues if queue.pool == pool]
        yield from PoolCycle(snapshot, pool, queues, class_of, now, budget).decisions()


class PoolCycle:
    """One pass over the pending jobs of one pool."""

    def __init__(
        self,
        snapshot: Snapshot,
        pool: str,
        queues: Sequence[Queue],
        class_of: dict[str, str],
        now: int,
        budget: int,
    ) -> None:
        self._now = now
        self._budget = Budget(budget)
        self._state = PoolState((node for node in snapshot.nodes if node.pool == pool), snapshot.held)
        self._ledger = Ledger(queues, snapshot.held, class_of)
        self._shapes = Shapes(self._state)
        self._search = Search(self._state, self._budget)
        self._turns = Turns(self._ledger, Shares(self._ledger, self._state.capacity))
        self._lines = self._form_lines(snapshot.pending)
        self._failed: dict[tuple[JobShape, str], Reason] = {}
        self._no_room: dict[JobShape, Reason] = {}

    def _form_lines(self, pending: Sequence[PendingJob]) -> dict[str, Line]:
        jobs: dict[str, list[PendingJob]] = {}
        for job in pending:
            if job.queue in self._ledger.queues:
                jobs.setdefault(job.queue, []).append(job)
        return {queue_id: Line(jobs[queue_id]) for queue_id in sorted(jobs)}

    def decisions(self) -> Iterator[Decision]:
        for queue_id, line in self._lines.items():
            shut = self._shut(queue_id)
            if shut is None:
                yield from self._offer_next(queue_id, held_changed=True)
            while shut is not None and line.head is not None:
                yield _pass_over(line, line.head, shut)
        while (leaf := self._turns.next_leaf()) is not None:
            line = self._lines[leaf]
            job = line.head
            if job is None:
                raise RuntimeError(f"queue {leaf} offered a job that it does not have")
            answer = self._answer(job)
            if isinstance(answer, Start):
                yield answer
                line.advance(started=True)
            else:
                yield _pass_over(line, job, answer)
            yield from self._offer_next(leaf, held_changed=isinstance(answer, Start))

    def _shut(self, queue_id: str) -> Reason | None:
        """Why the queue starts nothing at all."""
        if not self._ledger.is_leaf(queue_id):
            return Reason("QUEUE_NOT_LEAF", {"queue": self._ledger.queues[queue_id].name})
        closed = self._ledger.closed_by(queue_id)
        return Reason("QUEUE_CLOSED", {"queue": closed.name}) if closed else None

    def _offer_next(self, leaf: str, *, held_changed: bool) -> Iterator[Decision]:
        """Let the leaf offer its first job that is not in back-off; those before it wait."""
        line = self._lines[leaf]
        while (job := line.head) is not None and job.not_before > self._now:
            yield _pass_over(line, job, Reason("BACKING_OFF", {"seconds": job.not_before - self._now}))
        demand = self._shapes.of(job).demand if job is not None else None
        self._turns.offer(leaf, demand, held_changed=held_changed)

    def _answer(self, job: PendingJob) -> Start | Reason:
        if self._budget.exhausted:
            return NOT_EVALUATED
        shape = self._shapes.of(job)
        known = self._failed.get((shape, job.queue))
        if known is not None:
            return known
        over = self._over_limit(job.queue, shape)
        if over is not None:
            return over
        if shape in self._no_room:
            return self._no_room[shape]
        if shape.unmatched is not None:
            return no_matching_model(shape.unmatched)
        return self._place(job, shape)

    def _over_limit(self, queue_id: str, shape: JobShape) -> Reason | None:
        """The limit that the job passes whatever devices it gets."""
        for name, asked in shape.least.items():
            room = self._ledger.room(queue_id, name)
            if room is not None and asked > room.free:
                return exceeds(room, name, asked)
        return None

    def _place(self, job: PendingJob, shape: JobShape) -> Start | Reason:
        rooms = {name: self._ledger.room(job.queue, name) for name in self._state.classes}
        free = {name: room.free for name, room in rooms.items() if room is not None}
        try:
            outcome = self._search.seat(shape, free)
        except BudgetExhausted:
            return NOT_EVALUATED
        if isinstance(outcome, Seated):
            for name, charge in outcome.charges.items():
                self._ledger.start(job.queue, name, charge)
            return Start(job.id, tuple(self._placements(job, outcome)))
        reason = self._explain(job, shape, outcome)
        if outcome.limited is None:
            self._no_room[shape] = reason
        else:
            self._failed[shape, job.queue] = reason
        return reason

    def _placements(self, job: PendingJob, seated: Seated) -> Iterator[Placement]:
        for group, seats in zip(job.groups, seated.groups, strict=True):
            request = group.request
            for task_id, seat in zip(group.task_ids, seats, strict=True):
                yield Placement(
                    task=task_id,
                    node=self._state.nodes[seat.node].id,
                    slices=self._slices(seat),
                    cpu_millis=request.cpu_millis,
                    host_memory_mib=request.host_memory_mib,
                )

    def _slices(self, seat: Seat) -> tuple[HeldSlice, ...]:
        needs = ((self._state.devices[d].id, seat.ask.needs[self._state.sku[d]]) for d in seat.devices)
        return tuple(HeldSlice(d, need.cores, need.memory_mib, need.whole, need.charge) for d, need in needs)

    def _explain(self, job: PendingJob, shape: JobShape, outcome: Unseated) -> Reason:
        survey = Survey(self._state, outcome.group)
        evidence = survey.evidence(outcome.own_devices)
        if outcome.limited is not None:
            name, asked = outcome.limited
            room = self._ledger.room(job.queue, name)
            if room is None:
                raise RuntimeError(f"no limit of class {name} above queue {job.queue}")
            over = exceeds(room, name, max(asked, shape.demand.get(name, 0)))
            if outcome.limit_only:
                return Reason(over.code, over.params, evidence)
            evidence = (over, *evidence)
        if outcome.placed:
            return Reason("GANG_INCOMPLETE", {"placed": outcome.placed, "total": shape.tasks}, evidence)
        return Reason("INSUFFICIENT_RESOURCES", survey.summary(), evidence)


def _pass_over(line: Line, job: PendingJob, reason: Reason) -> Wait:
    position = line.position
    line.advance(started=False)
    return Wait(job.id, reason, position)
