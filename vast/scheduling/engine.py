"""The engine: one snapshot in, a stream of decisions out. Pure: no clock, no I/O, integers only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vast.common.reasons import Reason
from vast.scheduling.budget import BudgetExhausted
from vast.scheduling.decisions import Decision, Evict, Keep, Reserve, Start, Wait
from vast.scheduling.explain import Survey, no_matching_model
from vast.scheduling.growth import Growth
from vast.scheduling.holds import complete_holds, ended_holds, keep, let_go, waiting_for_victims
from vast.scheduling.order import Line, Turns
from vast.scheduling.placement import Seated, Unseated
from vast.scheduling.reservations import Reservations, reserved
from vast.scheduling.scene import NOT_EVALUATED, Scene
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import Hold, PendingJob, Queue, Reservation, Snapshot
from vast.scheduling.taking import Taking, Wish


def decide(snapshot: Snapshot, now: int, budget: int) -> Iterator[Decision]:
    """Decide every pending job once: a Start or a Wait with its reason, in the order of deciding; between them what
    must leave for whom, and what is kept for whom.

    ``now`` in seconds since the epoch. ``budget`` in search steps, for each pool by itself: pools do not
    touch each other, and one snapshot per pool gives the same decisions. Jobs that it does not reach wait as
    NOT_EVALUATED_YET.
    """
    class_of = {device.id: device.device_class for node in snapshot.nodes for device in node.devices}
    for pool in sorted({queue.pool for queue in snapshot.queues}):
        queues = [queue for queue in snapshot.queues if queue.pool == pool]
        yield from PoolCycle(snapshot, pool, queues, class_of, now, budget).decisions()


# In a strict queue these do not hold back who comes after: the job is not waiting for room.
HOLDS_BACK_NOBODY = frozenset(
    {"NO_MATCHING_MODEL", "BACKING_OFF", "QUEUE_CLOSED", "QUEUE_NOT_LEAF", "BEHIND_OTHERS"}
)


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
        self.scene = Scene(snapshot, pool, queues, class_of, now, budget)
        self._ledger = self.scene.ledger
        self._state = self.scene.state
        self._just_timed_out = {hold.job for hold in self.scene.ended if self.scene.timed_out(hold)}
        self._taking = Taking(self.scene)
        self._reservations = Reservations(self.scene, snapshot.reservations)
        self._turns = Turns(self._ledger, self.scene.shares)
        self._failed: dict[tuple[JobShape, str, bool], Reason] = {}
        self._ahead: dict[str, dict[str, str]] = {}
        self._no_room: dict[JobShape, Reason] = {}
        self._lines: dict[str, Line] = {}

    def _form_lines(self, started: set[str]) -> dict[str, Line]:
        jobs: dict[str, list[PendingJob]] = {}
        for job in self.scene.pending.values():
            if job.id not in started:
                jobs.setdefault(job.queue, []).append(job)
        return {queue_id: Line(jobs[queue_id]) for queue_id in sorted(jobs)}

    def decisions(self) -> Iterator[Decision]:
        yield from ended_holds(self.scene)
        yield from self._reservations.releases()
        growth = Growth(self.scene, self._taking)
        yield from growth.make_whole()
        started = set()
        for complete in complete_holds(self.scene):
            started.add(complete.job)
            growth.seated(complete)
            yield complete
        self._lines = self._form_lines(started)
        for decision in self._main():
            if isinstance(decision, Start):
                growth.seated(decision)
            elif isinstance(decision, Evict):
                growth.lost(decision)
            yield decision
        yield from growth.extras()

    def _main(self) -> Iterator[Decision]:
        for queue_id, line in self._lines.items():
            shut = self._shut(queue_id)
            if shut is None:
                yield from self._offer_next(queue_id, held_changed=True)
            while shut is not None and line.head is not None:
                yield self._pass_over(line, line.head, shut)
        while (leaf := self._turns.next_leaf()) is not None:
            line = self._lines[leaf]
            job = line.head
            if job is None:
                raise RuntimeError(f"queue {leaf} offered a job that it does not have")
            changed = False
            for decision in self._decide(line, job):
                changed |= isinstance(decision, Start | Keep)
                yield decision
            yield from self._offer_next(leaf, held_changed=changed)

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
            yield self._pass_over(line, job, Reason("BACKING_OFF", {"seconds": job.not_before - self._now}))
        demand = self.scene.shapes.of(job).demand if job is not None else None
        self._turns.offer(leaf, demand, held_changed=held_changed)

    def _decide(self, line: Line, job: PendingJob) -> Iterator[Decision]:
        """Everything that follows from one job's turn."""
        hold = self.scene.holds.get(job.id)
        if hold is not None:
            yield from self._decide_held(line, job, hold)
            return
        reservation = self._reservations.step_aside(job)
        if reservation is not None:
            yield from self._decide_reserved(line, job, reservation)
            return
        answer = self._answer(job)
        if isinstance(answer, Reason) and self._may_search(answer):
            answer = self._as_guest(job) or answer
        if isinstance(answer, Start):
            yield answer
            line.advance(started=True)
            return
        taken = self._take(job, answer)
        yield from taken
        if taken:
            yield from self._after_taking(line, job, taken)
            return
        reserve = self._reserve(job, answer)
        if reserve is not None:
            yield reserve
            answer = reserved(reserve, answer)
        yield self._pass_over(line, job, answer)

    def _decide_reserved(self, line: Line, job: PendingJob, reservation: Reservation) -> Iterator[Decision]:
        """The holder of a reservation starts on it or elsewhere, may take, may send guests away, or waits on."""
        answer = self._reservations.start(job, reservation) or self._place(job, self.scene.shapes.of(job))
        if isinstance(answer, Start):
            yield answer
            line.advance(started=True)
            return
        taken = self._take(job, answer) or list(self._reservations.clear_of_guests(job, reservation))
        yield from taken
        if taken:
            yield from self._after_taking(line, job, taken)
            return
        self._reservations.put_back(reservation)
        yield self._pass_over(line, job, reserved(reservation, answer))

    def _take(self, job: PendingJob, answer: Reason) -> list[Decision]:
        self.scene.rights.guarantee_delayed = False
        if not self._may_take(job, answer):
            return []
        wish = Wish(job.id, job.queue, job.priority, job.preemptible, self.scene.shapes.of(job))
        try:
            return list(self._taking.decisions(wish, job.groups))
        except BudgetExhausted:
            return []

    def _after_taking(self, line: Line, job: PendingJob, taken: Sequence[Decision]) -> Iterator[Decision]:
        if isinstance(taken[-1], Start):
            line.advance(started=True)
        else:
            yield self._pass_over(line, job, waiting_for_victims(self.scene, job))

    def _as_guest(self, job: PendingJob) -> Start | None:
        """Room on what others have reserved, if the job may use it."""
        try:
            seated = self._reservations.seat_guest(
                job, self.scene.shapes.of(job), self.scene.rooms(job.queue, fixed=not job.preemptible)
            )
        except BudgetExhausted:
            return None
        return self._start(job, seated) if seated is not None else None

    def _reserve(self, job: PendingJob, answer: Reason) -> Reserve | None:
        """A reservation for a job that its limits allow and that has waited long, or whose right to evict is only
        delayed by the protection of young work."""
        waited = self._now - job.submitted_at >= self.scene.policy.reserve_after
        if not self._may_search(answer) or not (waited or self.scene.rights.guarantee_delayed):
            return None
        try:
            return self._reservations.reserve(
                job, self.scene.shapes.of(job), self.scene.rooms(job.queue, fixed=not job.preemptible)
            )
        except BudgetExhausted:
            return None

    def _may_search(self, answer: Reason) -> bool:
        return (
            answer.code in ("INSUFFICIENT_RESOURCES", "GANG_INCOMPLETE") and not self.scene.budget.exhausted
        )

    def _decide_held(self, line: Line, job: PendingJob, hold: Hold) -> Iterator[Decision]:
        """A job that has a hold starts elsewhere if there is room, and else waits for its victims."""
        holder = let_go(self.scene, hold)
        answer = self._answer(job)
        if isinstance(answer, Start):
            yield answer
            line.advance(started=True)
            return
        keep(self.scene, hold, holder)
        yield self._pass_over(line, job, waiting_for_victims(self.scene, job))

    def _may_take(self, job: PendingJob, answer: Reason) -> bool:
        return (
            job.may_evict
            and answer.code not in ("NOT_EVALUATED_YET", "NO_MATCHING_MODEL")
            and job.evict_not_before <= self._now
            and job.id not in self._just_timed_out
            and not self.scene.budget.exhausted
        )

    def _answer(self, job: PendingJob) -> Start | Reason:
        if self.scene.budget.exhausted:
            return NOT_EVALUATED
        shape = self.scene.shapes.of(job)
        known = self._failed.get((shape, job.queue, job.preemptible))
        if known is not None:
            return known
        behind = self._behind(job, shape)
        if behind is not None:
            return behind
        for name, asked in shape.least.items():
            over = self.scene.never_allowed(job.queue, name, asked)
            over = over or self.scene.bounded(job.queue, name, asked, fixed=not job.preemptible)
            if over is not None:
                return over
        if shape in self._no_room:
            return self._no_room[shape]
        if shape.unmatched is not None:
            return no_matching_model(shape.unmatched)
        return self._place(job, shape)

    def _behind(self, job: PendingJob, shape: JobShape) -> Reason | None:
        """In a strict queue: the job ahead that waits for one of the same classes."""
        ahead = self._ahead.get(job.queue, {})
        return next(
            (Reason("BEHIND_OTHERS", {"job": ahead[name]}) for name in shape.classes if name in ahead), None
        )

    def _note_strict(self, job: PendingJob, reason: Reason) -> None:
        """A job that cannot start now holds back later ones of its strict queue; an impossible one holds back
        nobody."""
        holds_back = self._ledger.queues[job.queue].strict and reason.code not in HOLDS_BACK_NOBODY
        if holds_back and self.scene.wants.possible(job):
            ahead = self._ahead.setdefault(job.queue, {})
            for name in self.scene.shapes.of(job).classes:
                ahead.setdefault(name, job.id)

    def _place(self, job: PendingJob, shape: JobShape) -> Start | Reason:
        try:
            outcome = self.scene.search.seat(shape, self.scene.rooms(job.queue, fixed=not job.preemptible))
        except BudgetExhausted:
            return NOT_EVALUATED
        if isinstance(outcome, Seated):
            return self._start(job, outcome)
        reason = self._explain(job, shape, outcome)
        if outcome.limited is None:
            self._no_room[shape] = reason
        else:
            self._failed[shape, job.queue, job.preemptible] = reason
        return reason

    def _start(self, job: PendingJob, seated: Seated) -> Start:
        self._ledger.book(job.queue, seated.charges, 1, fixed=not job.preemptible)
        return Start(job.id, self.scene.placements(job.groups, seated))

    def _explain(self, job: PendingJob, shape: JobShape, outcome: Unseated) -> Reason:
        survey = Survey(self._state, outcome.group)
        evidence = (*outcome.domains, *survey.evidence(outcome.own_devices))
        if outcome.limited is not None:
            name, asked = outcome.limited
            asked = max(asked, shape.demand.get(name, 0))
            over = self.scene.bounded(job.queue, name, asked, fixed=not job.preemptible)
            if over is None:
                raise RuntimeError(f"nothing bounds class {name} for queue {job.queue}")
            if outcome.limit_only:
                return Reason(over.code, over.params, evidence)
            evidence = (over, *evidence)
        if outcome.placed:
            return Reason("GANG_INCOMPLETE", {"placed": outcome.placed, "total": shape.tasks}, evidence)
        return Reason("INSUFFICIENT_RESOURCES", survey.summary(), evidence)

    def _pass_over(self, line: Line, job: PendingJob, reason: Reason) -> Wait:
        self._note_strict(job, reason)
        position = line.position
        line.advance(started=False)
        return Wait(job.id, reason, position)
