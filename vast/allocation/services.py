"""What happens to running work: reports from drivers, stops, lost nodes. Everything here may be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from vast.allocation.choices import AllocationState
from vast.allocation.models import Allocation, Slice
from vast.common import clock
from vast.common.errors import Conflict
from vast.common.models import OutboxMessage
from vast.common.reasons import Reason
from vast.common.rows import write
from vast.common.sentences import say
from vast.common.wake import wake_scheduler
from vast.config.env import environment
from vast.inventory.models import Node
from vast.jobs.choices import ENDED, TASK_ENDED, WAITING, JobState, StopIntent, TaskState
from vast.jobs.lifecycle import SYSTEM, Batch
from vast.jobs.models import Job, JobEvent, Task

# A later wish never weakens an earlier one: a job being cancelled is not put back because its node went away.
_STRENGTH = {StopIntent.NONE: 0, StopIntent.REQUEUE: 1, StopIntent.FAIL: 2, StopIntent.CANCEL: 3}
BACKOFF_S = (1, 5, 15)
# A task can kill the process that watches it, each time anew; a node that breaks now and then is something else.
MOST_LOSSES, LOSSES_WITHIN = 5, timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Report:
    """What a driver says of one allocation. ``cause`` as in the agent's protocol.

    With a ``node`` the report counts only for an allocation on it: nobody speaks for the tasks of another node.
    """

    allocation: UUID
    event: str
    at: datetime | None = None
    pid: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    cause: str = ""
    message: str = ""
    log_tail: str = ""
    node: UUID | None = None

    @classmethod
    def parse(cls, item: Mapping[str, Any], node: UUID | None = None) -> Report:
        """From a status item of the agent's protocol. Raises ValueError, KeyError or TypeError when malformed."""
        at = item.get("at")
        return cls(
            allocation=UUID(item["allocation"]),
            event=item["event"],
            at=datetime.fromtimestamp(float(at), tz=UTC) if at is not None else None,
            pid=item.get("pid"),
            exit_code=item.get("exit_code"),
            signal=item.get("signal"),
            cause=(item.get("cause") or "")[:32],
            message=_text(item.get("message"), 4096),
            log_tail=_text(item.get("log_tail"), 16_384),
            node=node,
        )


def _text(value: Any, most: int) -> str:
    # PostgreSQL takes no NUL in text.
    return str(value or "").replace("\x00", "�")[-most:]


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


def _scene(job_ids: Iterable[UUID]) -> Scene:
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


@transaction.atomic
def report(items: Sequence[Report]) -> list[UUID]:
    """Take in reports, in order. Reports on ended or unknown allocations change nothing.

    Returns the allocations on which stop orders were written.
    """
    ids = {item.allocation for item in items}
    owners = dict(
        Allocation.objects.filter(pk__in=ids).exclude(state=AllocationState.ENDED).values_list("pk", "job_id")
    )
    scene = _scene(owners.values())
    for item in items:
        job = scene.jobs.get(owners.get(item.allocation))  # type: ignore[arg-type]
        allocation = scene.live[job.pk].get(item.allocation) if job else None
        if job is None or allocation is None or item.node not in (None, allocation.node_id):
            continue
        if item.event == "started":
            _started(scene, job, allocation, item)
        elif item.event in {"exited", "launch_failed"}:
            _ended(scene, job, allocation, item)
    for job in scene.jobs.values():
        _settle(scene, job)
    scene.save()
    return [message.allocation for message in scene.orders]


def _started(scene: Scene, job: Job, allocation: Allocation, item: Report) -> None:
    if allocation.state != AllocationState.STARTING:
        return
    allocation.state, allocation.started_at = AllocationState.RUNNING, clock.now()
    scene.change(allocation)
    task = scene.task_of(allocation)
    task.state, task.pid, task.started_at = TaskState.RUNNING, item.pid, item.at or clock.now()
    task.ended_at = task.exit_code = task.signal = None
    task.cause = task.message = ""
    scene.batch.change_task(task)
    if job.tasks_total > 1:
        scene.batch.note(job, "task", task=task, from_state=TaskState.STARTING, to_state=TaskState.RUNNING)


def _ended(scene: Scene, job: Job, allocation: Allocation, item: Report) -> None:
    allocation.state, allocation.ended_at = AllocationState.ENDED, clock.now()
    scene.change(allocation)
    scene.ended.append(allocation.pk)
    del scene.live[job.pk][allocation.pk]
    task = scene.task_of(allocation)
    before = task.state
    task.exit_code, task.signal, task.cause, task.message = (
        item.exit_code,
        item.signal,
        item.cause,
        item.message,
    )
    task.ended_at, task.pid = item.at or clock.now(), item.pid or task.pid
    task.state = _task_outcome(job, item)
    scene.batch.change_task(task, log_tail=item.log_tail)
    if job.tasks_total > 1:
        scene.batch.note(job, "task", task=task, from_state=before, to_state=task.state)
    if job.state != JobState.STOPPING and task.state != TaskState.SUCCEEDED:
        _begin_stop(scene, job, *_consequence(job, task, allocation, item))


def _task_outcome(job: Job, item: Report) -> TaskState:
    if item.event == "exited" and item.cause == "exit":
        if item.exit_code == 0:
            return TaskState.SUCCEEDED
        # What a process returns after it was told to stop says nothing about its work.
        return TaskState.CANCELLED if job.state == JobState.STOPPING else TaskState.FAILED
    if job.state == JobState.STOPPING or item.cause in {"agent_shutdown", "lost", "stopped"}:
        return TaskState.CANCELLED
    return TaskState.FAILED


def _consequence(job: Job, task: Task, allocation: Allocation, item: Report) -> tuple[StopIntent, Reason]:
    """What the end of this task means for its job: fail, or run again."""
    where = {"task": f"{task.group}/{task.index}", "node": allocation.node.name}
    if item.event == "launch_failed" or item.cause == "launch_failed":
        job.launch_failures += 1
        job.avoid_nodes = [*job.avoid_nodes, str(allocation.node_id)][-16:]
        wait = BACKOFF_S[min(job.launch_failures, len(BACKOFF_S)) - 1]
        job.not_before = clock.now() + timedelta(seconds=wait)
        given_up = job.launch_failures >= environment().max_launch_failures
        reason = Reason("LAUNCH_FAILED", {**where, "message": item.message, "times": job.launch_failures})
        return (StopIntent.FAIL if given_up else StopIntent.REQUEUE), reason
    if item.cause == "agent_shutdown":
        return StopIntent.REQUEUE, Reason("NODE_STOPPED", where)
    if item.cause == "lost" and item.node is not None:
        return _loss(job, where)
    if item.cause in {"lost", "stopped"}:
        return StopIntent.REQUEUE, Reason("TASK_LOST", where)
    if item.cause == "max_runtime":
        return StopIntent.FAIL, Reason("MAX_RUNTIME", {**where, "seconds": job.max_runtime_s})
    if item.signal:
        return StopIntent.FAIL, Reason("TASK_KILLED", {**where, "signal": item.signal})
    return StopIntent.FAIL, Reason("TASK_FAILED", {**where, "exit_code": item.exit_code})


def _loss(job: Job, where: dict[str, Any]) -> tuple[StopIntent, Reason]:
    """The node is there, but what watched the task is not: run again, ever later, and not for ever."""
    now = clock.now()
    lost = JobEvent.objects.filter(
        job=job, to_state=JobState.STOPPING, reason__code="TASK_LOST", at__gt=now - LOSSES_WITHIN
    )
    times = lost.count() + 1
    if times >= MOST_LOSSES:
        return StopIntent.FAIL, Reason("TASK_LOST_TOO_OFTEN", {**where, "times": times})
    job.not_before = now + timedelta(seconds=BACKOFF_S[min(times, len(BACKOFF_S)) - 1])
    return StopIntent.REQUEUE, Reason("TASK_LOST", where)


def _begin_stop(
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
        if allocation.state == AllocationState.STOPPING:
            continue
        allocation.state = AllocationState.STOPPING
        scene.change(allocation)
        scene.orders.append(
            OutboxMessage(kind="stop", node=allocation.node_id, allocation=allocation.pk, due_at=clock.now())
        )
        task = scene.task_of(allocation)
        task.state = TaskState.STOPPING
        scene.batch.change_task(task)


def _settle(scene: Scene, job: Job) -> None:
    """Carry the job on when its tasks' states call for it."""
    tasks, live = scene.tasks[job.pk], scene.live[job.pk]
    if job.state == JobState.STOPPING:
        if not live:
            _finish_stop(scene, job, tasks)
        return
    if job.state == JobState.STARTING and all(
        t.state == TaskState.RUNNING or t.state in TASK_ENDED for t in tasks
    ):
        job.launch_failures, job.not_before, job.avoid_nodes = 0, None, []
        scene.batch.move(job, JobState.RUNNING)
    if job.state == JobState.RUNNING and not live and all(t.state == TaskState.SUCCEEDED for t in tasks):
        job.exit_code = 0
        scene.batch.move(job, JobState.SUCCEEDED)


def _finish_stop(scene: Scene, job: Job, tasks: list[Task]) -> None:
    intent, reason = StopIntent(job.stop_intent), job.reason
    job.stop_intent = StopIntent.NONE
    if intent == StopIntent.REQUEUE:
        for task in tasks:
            task.state, task.pid = TaskState.PENDING, None
            scene.batch.change_task(task)
        scene.batch.move(job, JobState.PENDING, reason=reason)
        return
    for task in tasks:
        if task.state not in TASK_ENDED:
            task.state = TaskState.CANCELLED
            scene.batch.change_task(task)
    scene.batch.move(
        job, JobState.CANCELLED if intent == StopIntent.CANCEL else JobState.FAILED, reason=reason
    )


@transaction.atomic
def cancel(*, job_id: UUID, actor: str) -> Job:
    """Cancel at any stage. Raises Conflict when the job has ended."""
    scene = _scene([job_id])
    job = scene.jobs[job_id]
    if job.state in ENDED:
        raise Conflict(say("job.ended", state=job.state), code="job_ended")
    reason = Reason("CANCELLED_BY_USER", {"actor": actor})
    if job.state in WAITING:
        for task in scene.tasks[job.pk]:
            task.state = TaskState.CANCELLED
            scene.batch.change_task(task)
        scene.batch.move(job, JobState.CANCELLED, actor=actor, reason=reason)
    else:
        if job.state == JobState.STOPPING and job.stop_intent != StopIntent.CANCEL:
            job.reason = reason.as_dict()
            scene.batch.note(job, "cancel", actor=actor, reason=reason)
        _begin_stop(scene, job, StopIntent.CANCEL, reason, actor=actor)
        _settle(scene, job)
    scene.save()
    return job


@transaction.atomic
def put_back_late_launches(*, older_than: timedelta) -> int:
    """Jobs whose launch takes too long on a node that answers are stopped and put back. Returns how many."""
    late = set(
        Allocation.objects.filter(
            state=AllocationState.STARTING, created_at__lt=clock.now() - older_than, node__state="ready"
        ).values_list("job_id", flat=True)[:500]
    )
    scene = _scene(late)
    for job in scene.jobs.values():
        if job.state == JobState.STARTING:
            job.launch_failures += 1
            given_up = job.launch_failures >= environment().max_launch_failures
            reason = Reason("LAUNCH_TIMED_OUT", {"seconds": int(older_than.total_seconds())})
            _begin_stop(scene, job, StopIntent.FAIL if given_up else StopIntent.REQUEUE, reason)
    scene.save()
    return len(late)


@transaction.atomic
def lose_allocations(ids: Iterable[UUID]) -> None:
    """These tasks are known to be gone though nobody saw them end."""
    report(
        [
            Report(allocation=pk, event="exited", cause="lost", message="The node no longer knows this task.")
            for pk in ids
        ]
    )


@transaction.atomic
def declare_node_lost(*, node: Node) -> int:
    """A human vouches that nothing runs on the node any more; its jobs may run elsewhere. Returns how many tasks."""
    if node.state == "ready":
        raise Conflict(say("node.answers"))
    ids = list(
        Allocation.objects.filter(node=node).exclude(state=AllocationState.ENDED).values_list("pk", flat=True)
    )
    # The old key is void: an agent that comes back has to enrol anew, and is then told to kill what it still runs.
    Node.objects.filter(pk=node.pk).update(
        cordoned=True, key_digest="", version=F("version") + 1, updated_at=clock.now()
    )
    lose_allocations(ids)
    return len(ids)


@transaction.atomic
def accepted(*, node_id: UUID, allocations: Iterable[UUID], kind: str) -> None:
    """The agent holds these orders of one kind (launch, stop) durably: they need not be repeated."""
    OutboxMessage.objects.filter(
        node=node_id, allocation__in=list(allocations), kind=kind, done_at=None
    ).update(done_at=clock.now())


def desired(*, node_id: UUID) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """What the node's agent should be doing: orders to run, stops, and every live allocation's id."""
    rows = Allocation.objects.filter(node=node_id).exclude(state=AllocationState.ENDED)
    run = [row.order for row in rows.filter(state=AllocationState.STARTING).order_by("created_at", "id")]
    stop = [
        {"allocation": str(pk), "grace_s": 10}
        for pk in rows.filter(state=AllocationState.STOPPING).values_list("pk", flat=True)
    ]
    return run, stop, [str(pk) for pk in rows.values_list("pk", flat=True)]


def missing(*, node_id: UUID, reported: Iterable[str]) -> list[UUID]:
    """Allocations that should run on the node but which its agent, newly connected, does not know."""
    known = set(reported)
    rows = Allocation.objects.filter(
        node=node_id, state__in=[AllocationState.RUNNING, AllocationState.STOPPING]
    )
    return [pk for pk in rows.values_list("pk", flat=True) if str(pk) not in known]
