"""Taking from running jobs what the engine decided to take: stops, holds and reservations, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from uuid import UUID

from vast.allocation.choices import AllocationState, HoldKind
from vast.allocation.kept import as_json, moment
from vast.allocation.models import Allocation, Hold
from vast.allocation.scene import Scene, begin_stop, stop_task
from vast.common import clock
from vast.common.reasons import Reason
from vast.jobs.choices import JobState, StopIntent
from vast.jobs.models import Job
from vast.scheduling.decisions import Decision, Evict, Keep, Release, Reserve, Wait

SCHEDULER = "scheduler"
RUNS = frozenset({JobState.STARTING, JobState.RUNNING})
HOUR_S = 3600
# How long a job evicts nobody after its hold timed out; doubled each time.
FIRST_BACKOFF = timedelta(seconds=60)
MOST_DOUBLINGS = 6


def deals(decisions: Sequence[Decision]) -> Iterator[list[Decision]]:
    """Decisions that belong together: evictions, the new places of those that move, and the hold that they serve."""
    deal: list[Decision] = []
    for decision in decisions:
        if isinstance(decision, Evict):
            deal.append(decision)
        elif deal and isinstance(decision, Keep):
            deal.append(decision)
            if decision.job == _asker(deal):
                yield deal
                deal = []
        elif not isinstance(decision, Wait):
            yield [decision]


def _asker(deal: Sequence[Decision]) -> str:
    return next(decision.by for decision in deal if isinstance(decision, Evict))


def take_from_others(scene: Scene, deal: Sequence[Decision], unchanged: Callable[[Job], bool]) -> bool:
    """Carry the deal out; False (and nothing done) when the world is not any more what it was decided on."""
    if not all(_holds_true(scene, decision, unchanged) for decision in deal):
        return False
    for decision in deal:
        job = scene.jobs[UUID(decision.job)]
        match decision:
            case Evict():
                _evict(scene, job, decision)
            case Keep():
                _keep(job, decision)
            case Reserve():
                _reserve(job, decision)
            case Release():
                _release(scene, job, decision)
    return True


def _holds_true(scene: Scene, decision: Decision, unchanged: Callable[[Job], bool]) -> bool:
    job = scene.jobs.get(UUID(decision.job))
    if job is None:
        return False
    match decision:
        case Evict():
            running = {
                str(row.task_id)
                for row in scene.live[job.pk].values()
                if row.state in (AllocationState.STARTING, AllocationState.RUNNING)
            }
            return job.state in RUNS and set(decision.tasks) <= running
        case Keep():
            return job.state in RUNS or (job.state == JobState.PENDING and unchanged(job))
        case Reserve():
            return job.state == JobState.PENDING and unchanged(job)
    return True


def _evict(scene: Scene, job: Job, evict: Evict) -> None:
    now = clock.now()
    recent = [at for at in job.evicted_at if now.timestamp() - at < HOUR_S]
    job.evicted_at = [*recent, int(now.timestamp())]
    reason = _named(scene, evict)
    if evict.whole:
        begin_stop(scene, job, StopIntent.REQUEUE, reason, actor=SCHEDULER)
        return
    job.shrunk_at = now
    going = set(evict.tasks)
    for allocation in _live(scene, job):
        if str(allocation.task_id) in going:
            stop_task(scene, allocation)
    scene.batch.note(job, "shrunk", actor=SCHEDULER, reason=reason)
    scene.batch.change(job)


def _live(scene: Scene, job: Job) -> list[Allocation]:
    return list(scene.live[job.pk].values())


def _named(scene: Scene, evict: Evict) -> Reason:
    """The reason with the asker's name, which says more to people than its id."""
    asker = scene.jobs.get(UUID(evict.by))
    params = dict(evict.reason.params)
    if asker is not None:
        params |= {"job": asker.name, "job_id": evict.by}
    return Reason(evict.reason.code, params, evict.reason.evidence)


def _keep(job: Job, keep: Keep) -> None:
    Hold.objects.update_or_create(
        job=job,
        defaults={
            "queue_id": job.queue_id,
            "kind": HoldKind.HOLD,
            "seats": as_json(keep.seats),
            "victims": list(keep.victims),
            "rule": keep.rule,
            "since": clock.now(),
            "starts_at": None,
        },
    )


def _reserve(job: Job, reserve: Reserve) -> None:
    Hold.objects.update_or_create(
        job=job,
        defaults={
            "queue_id": job.queue_id,
            "kind": HoldKind.RESERVATION,
            "seats": as_json(reserve.seats),
            "victims": [],
            "rule": "",
            "since": clock.now(),
            "starts_at": moment(reserve.starts_at),
        },
    )


def _release(scene: Scene, job: Job, release: Release) -> None:
    Hold.objects.filter(job=job).delete()
    if release.timed_out:
        wait = FIRST_BACKOFF * 2 ** min(job.hold_timeouts, MOST_DOUBLINGS)
        job.hold_timeouts += 1
        job.evict_not_before = clock.now() + wait
        scene.batch.change(job)
