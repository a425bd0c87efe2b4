"""One scheduling cycle: snapshot, decide, commit in batches as decisions come, keep the reasons of those that wait."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from vast.allocation.commit import commit
from vast.allocation.world import World
from vast.common import clock
from vast.common.broadcast import EVENTS, publish_on_commit
from vast.common.rows import write
from vast.jobs.choices import JobState
from vast.jobs.lifecycle import event_payload
from vast.jobs.models import Job, JobEvent
from vast.scheduling.decisions import Decision, Grow, Start, Wait
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import Snapshot
from vast.simulator.recording import Ring

log = logging.getLogger(__name__)
# Small enough that the first jobs are on their way while later ones are still being decided.
BATCH = 100
REASON_EVERY_S = 1.0


@dataclass(slots=True)
class Cycle:
    """Runs cycles on one warm world. ``deliver`` is called after each commit that wrote orders."""

    budget: int
    deliver: Callable[[], None]
    guard: Callable[[], None] = lambda: None
    world: World = field(default_factory=World)
    ring: Ring | None = None
    _written: dict[str, tuple[Any, int]] = field(default_factory=dict)
    _reasons_at: float = 0.0

    def run(self) -> int:
        """One cycle. Returns how many jobs were started."""
        snapshot = self.world.snapshot()
        if not snapshot.pending and not snapshot.holds and not _grows(snapshot):
            self._written.clear()
            return 0
        started, waits, batch, made = 0, [], [], []
        now = int(clock.now().timestamp())
        for decision in decide(snapshot, now, self.budget):
            made.append(decision)
            if isinstance(decision, Wait):
                waits.append(decision)
                whole = True
            else:
                batch.append(decision)
                whole = isinstance(decision, Start | Grow)
            # Never between an eviction and the hold that it serves.
            if whole and len(batch) >= BATCH:
                started += self._commit(batch)
                batch = []
        if batch:
            started += self._commit(batch)
        self._keep_reasons(waits)
        if self.ring is not None:
            self.ring.add(snapshot, now, self.budget, made)
        return started

    def _commit(self, batch: Sequence[Decision]) -> int:
        with transaction.atomic():
            self.guard()
            result = commit(batch, self.world.version_of)
        if result.refused:
            log.info("%d decisions were overtaken by changes and will be made again", len(result.refused))
        if result.orders:
            self.deliver()
        return len(result.started)

    def _keep_reasons(self, waits: list[Wait]) -> None:
        """Write the reasons that changed, at most once a second: a busy queue moves faster than people read."""
        if time.monotonic() - self._reasons_at < REASON_EVERY_S and len(waits) > BATCH:
            return
        self._reasons_at = time.monotonic()
        changed = {}
        for wait in waits:
            now_known = (wait.reason, wait.position)
            if self._written.get(wait.job) != now_known:
                changed[wait.job] = now_known
        self._written = {wait.job: self._written.get(wait.job, (None, 0)) for wait in waits} | changed
        ids = list(changed)
        for start in range(0, len(ids), 500):
            _write_reasons({UUID(job): changed[job] for job in ids[start : start + 500]})


def _grows(snapshot: Snapshot) -> bool:
    """Whether a running job waits for more tasks."""
    held = {task.task for task in snapshot.held}
    return any(task not in held for job in snapshot.jobs for group in job.groups for task in group.task_ids)


@transaction.atomic
def _write_reasons(reasons: dict[UUID, tuple[Any, int]]) -> None:
    """``version`` stays: a reason is an observation, not a change of the job."""
    now = clock.now()
    rows = (
        Job.objects.select_for_update(of=("self",), skip_locked=True)
        .select_related("queue")
        .filter(pk__in=reasons, state=JobState.PENDING)
    )
    jobs, events = [], []
    for job in rows.order_by("pk"):
        reason, position = reasons[job.pk]
        data = reason.as_dict()
        if (job.reason or {}).get("code") != data["code"]:
            events.append(
                JobEvent(
                    job=job,
                    kind="reason",
                    from_state=job.state,
                    to_state=job.state,
                    actor="scheduler",
                    reason=data,
                    at=now,
                )
            )
        job.reason, job.reason_at, job.position = data, now, position
        jobs.append(job)
    write(Job, jobs, ["reason", "reason_at", "position"])
    JobEvent.objects.bulk_create(events)
    if events:
        publish_on_commit(EVENTS, [event_payload(event) for event in events])
