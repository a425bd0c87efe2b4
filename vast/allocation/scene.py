"""Jobs under lock with all that belongs to them, and how what they run is told to stop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from vast.allocation.choices import AllocationState
from vast.allocation.models import Allocation, Slice
from vast.common import clock
from vast.common.models import OutboxMessage
from vast.common.reasons import Reason
from vast.common.rows import write
from vast.common.wake import wake_scheduler
from vast.jobs.choices import JobState, StopIntent, TaskState
from vast.jobs.lifecycle import SYSTEM, Batch
from vast.jobs.models import Job, Task

# A later wish never weakens an earlier one: a job being cancelled is not put back because its node went away.
_STRENGTH = {StopIntent.NONE: 0, StopIntent.REQUEUE: 1, StopIntent.FAIL: 2, StopIntent.CANCEL: 3}


@dataclass(slots=True)
class Scene:
    """The locked jobs that a batch of reports concerns, with all that is needed to carry them on."""

    jobs: dict[UUID, Job]
    tasks: dict[UUID, list[Task]]
    live: dict[UUID, dict[UUID, Allocation]]
    batch: Batch = field(default_factory=Batch)
    changed: dict[UUID, Allocation] = field(default_factory=dict)
    ended: list[UUID] = field(default_factory=list)
    orders: list[OutboxMessage] = field(default_factory=list)

    def task_of(self, allocation: Allocation) -> Task:
        return next(task for task in self.tasks[allocation.job_id] if task.pk == allocation.task_id)

    def change(self, allocation: Allocation) -> None:
        self.changed[allocation.pk] = allocation

    def save(self) -> None:
        now = clock.now()
        for allocation in self.changed.values():
            allocation.touch()
        write(Allocation, self.changed.values(), ["state", "started_at", "ended_at", "version", "updated_at"])
        if self.ended:
            Slice.objects.filter(allocation__in=self.ended).update(live=False)
            OutboxMessage.objects.filter(allocation__in=self.ended, done_at=None).update(done_at=now)
        OutboxMessage.objects.bulk_create(self.orders, batch_size=1000)
        self.batch.save()
        if self.ended:
            wake_scheduler()


def lock_scene(job_ids: Iterable[UUID]) -> Scene:
    """Lock the jobs (in the order of their ids, always first) and read what belongs to them."""
    jobs = {
        job.pk: job
        for job in Job.objects.select_for_update(of=("self",))
        .select_related("queue")
        .filter(pk__in=set(job_ids))
        .order_by("pk")
    }
    tasks: dict[UUID, list[Task]] = {pk: [] for pk in jobs}
    for task in Task.objects.filter(job__in=jobs).defer("log_tail").order_by("job_id", "rank"):
        tasks[task.job_id].append(task)
    live: dict[UUID, dict[UUID, Allocation]] = {pk: {} for pk in jobs}
    rows = Allocation.objects.filter(job__in=jobs).exclude(state=AllocationState.ENDED).select_related("node")
    for allocation in rows.defer("order").order_by("pk"):
        live[allocation.job_id][allocation.pk] = allocation
    return Scene(jobs=jobs, tasks=tasks, live=live)


def begin_stop(
    scene: Scene, job: Job, intent: StopIntent, reason: Reason, *, actor: str = SYSTEM, grace_s: int = 10
) -> None:
    """Stop what the job still runs; the intent says what becomes of it afterwards."""
    if _STRENGTH[intent] > _STRENGTH[StopIntent(job.stop_intent)]:
        job.stop_intent = intent
    if intent == StopIntent.FAIL and job.exit_code is None:
        failed = next((t for t in scene.tasks[job.pk] if t.state == TaskState.FAILED), None)
        job.exit_code = failed.exit_code if failed else None
    if job.state == JobState.STOPPING:
        scene.batch.change(job)
        return
    scene.batch.move(job, JobState.STOPPING, actor=actor, reason=reason)
    for allocation in scene.live[job.pk].values():
        stop_task(scene, allocation)


def stop_task(scene: Scene, allocation: Allocation) -> None:
    """Tell the task to stop, once."""
    if allocation.state == AllocationState.STOPPING:
        return
    allocation.state = AllocationState.STOPPING
    scene.change(allocation)
    scene.orders.append(
        OutboxMessage(kind="stop", node=allocation.node_id, allocation=allocation.pk, due_at=clock.now())
    )
    task = scene.task_of(allocation)
    task.state = TaskState.STOPPING
    scene.batch.change_task(task)
