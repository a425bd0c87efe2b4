"""Whether a job could ever run: the same search on the pool as it would be empty and in full health."""

from __future__ import annotations

from vast.common.reasons import Reason
from vast.scheduling.budget import Budget
from vast.scheduling.explain import Survey, no_matching_model
from vast.scheduling.ledger import Ledger, exceeds
from vast.scheduling.placement import Search, Seated, Unseated
from vast.scheduling.shapes import JobShape, Shapes
from vast.scheduling.snapshot import PendingJob, Snapshot
from vast.scheduling.state import PoolState

_UNBOUNDED = 1 << 62


def impossible(snapshot: Snapshot, job: PendingJob) -> Reason | None:
    """Why the job could not run even alone on its queue's pool; None when it could.

    What is held, closed, cordoned, unhealthy or unreachable now does not count: it may change. ``job.queue``
    must be in the snapshot. Pending and held work in the snapshot is not looked at.
    """
    pool = next(queue.pool for queue in snapshot.queues if queue.id == job.queue)
    return EmptyPool(snapshot, pool).impossible(job)


class EmptyPool:
    """One pool without its work; keep it to ask about many jobs as long as inventory and quotas stay.

    It remembers every shape it was asked about, so it should not outlive a process's cache of the inventory.
    """

    def __init__(self, snapshot: Snapshot, pool: str) -> None:
        nodes = (node for node in snapshot.nodes if node.pool == pool)
        self._state = PoolState(nodes, (), pristine=True, policy=snapshot.pool(pool))
        self._ledger = Ledger((queue for queue in snapshot.queues if queue.pool == pool), (), {})
        self._shapes = Shapes(self._state)
        self._search = Search(self._state, Budget(_UNBOUNDED))
        self._known: dict[tuple[JobShape, str], Reason | None] = {}

    def impossible(self, job: PendingJob) -> Reason | None:
        """As the function of this name; the answer for equal jobs of one queue is kept."""
        shape = self._shapes.of(job)
        key = (shape, job.queue)
        if key not in self._known:
            self._known[key] = self._judge(job.queue, shape)
        return self._known[key]

    def _judge(self, queue_id: str, shape: JobShape) -> Reason | None:
        if shape.unmatched is not None:
            return no_matching_model(shape.unmatched)
        rooms = {name: self._ledger.room(queue_id, name) for name in self._state.classes}
        for name, asked in shape.least.items():
            room = rooms[name]
            if room is not None and asked > room.free:
                return exceeds(room, name, asked)
        free = {name: room.free for name, room in rooms.items() if room is not None}
        before = self._state.mark()
        outcome = self._search.seat(shape, free)
        if isinstance(outcome, Seated):
            self._state.undo(before)
            return None
        return self._refusal(queue_id, shape, outcome)

    def _refusal(self, queue_id: str, shape: JobShape, outcome: Unseated) -> Reason:
        if outcome.limited is not None and outcome.limit_only:
            name, asked = outcome.limited
            room = self._ledger.room(queue_id, name)
            if room is not None:
                return exceeds(room, name, max(asked, shape.demand.get(name, 0)))
        survey = Survey(self._state, outcome.group)
        return Reason(
            "EXCEEDS_CAPACITY",
            {**survey.summary(), "placed": outcome.placed, "total": shape.tasks},
            (*outcome.domains, *survey.evidence(outcome.own_devices)),
        )
