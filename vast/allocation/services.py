"""What happens to running work: reports from drivers, stops, lost nodes. Everything here may be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from vast.allocation.choices import AllocationState
from vast.allocation.models import Allocation
from vast.allocation.scene import Scene, begin_stop, lock_scene
from vast.common import clock
from vast.common.errors import Conflict
from vast.common.models import OutboxMessage
from vast.common.reasons import Reason
from vast.common.sentences import say
from vast.config.env import environment
from vast.inventory.models import Node
from vast.jobs.choices import ENDED, TASK_ENDED, WAITING, JobState, StopIntent, TaskState
from vast.jobs.models import Job, JobEvent, Task

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


@transaction.atomic
def report(items: Sequence[Report]) -> list[UUID]:
    """Take in reports, in order. Reports on ended or unknown allocations change nothing.

    Returns the allocations on which stop orders were written.
    """
    ids = {item.allocation for item in items}
    owners = dict(
        Allocation.objects.filter(pk__in=ids).exclude(state=AllocationState.ENDED).values_list("pk", "job_id")
    )
    scene = lock_scene(owners.values())
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
    back_in_line = _back_in_line(scene, job, task, before, item)
    if back_in_line:
        task.state, task.pid = TaskState.PENDING, None
    scene.batch.change_task(task, log_tail=item.log_tail)
    if job.tasks_total > 1:
        scene.batch.note(job, "task", task=task, from_state=before, to_state=task.state)
    if back_in_line:
        scene.batch.change(job)
    elif job.state != JobState.STOPPING and task.state != TaskState.SUCCEEDED:
        begin_stop(scene, job, *_consequence(job, task, allocation, item))


def _back_in_line(scene: Scene, job: Job, task: Task, before: str, item: Report) -> bool:
    """Whether only this task waits again while its job runs on: an extra that was taken back, or one that was lost
    while the gang's minimum is still there."""
    if job.state not in (JobState.RUNNING, JobState.STARTING) or task.state == TaskState.SUCCEEDED:
        return False
    if before == TaskState.STOPPING:
        return True
    if item.event != "exited" or item.cause not in {"agent_shutdown", "lost", "stopped"}:
        return False
    group = next(group for group in job.document["groups"] if group["name"] == task.group)
    counted = {TaskState.STARTING, TaskState.RUNNING, TaskState.SUCCEEDED}
    others = sum(
        other.group == task.group and other.pk != task.pk and other.state in counted
        for other in scene.tasks[job.pk]
    )
    return group["min_replicas"] is not None and others >= group["min_replicas"]


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


def _settle(scene: Scene, job: Job) -> None:
    """Carry the job on when its tasks' states call for it."""
    tasks, live = scene.tasks[job.pk], scene.live[job.pk]
    if job.state == JobState.STOPPING:
        if not live:
            _finish_stop(scene, job, tasks)
        return
    placed = [t for t in tasks if t.state != TaskState.PENDING]
    if job.state == JobState.STARTING and all(
        t.state == TaskState.RUNNING or t.state in TASK_ENDED for t in placed
    ):
        job.launch_failures, job.not_before, job.avoid_nodes = 0, None, []
        scene.batch.move(job, JobState.RUNNING)
    if job.state == JobState.RUNNING and not live and all(t.state == TaskState.SUCCEEDED for t in placed):
        for extra in (t for t in tasks if t.state == TaskState.PENDING):
            extra.state = TaskState.CANCELLED
            scene.batch.change_task(extra)
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
    scene = lock_scene([job_id])
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
        begin_stop(scene, job, StopIntent.CANCEL, reason, actor=actor)
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
    scene = lock_scene(late)
    for job in scene.jobs.values():
        if job.state == JobState.STARTING:
            job.launch_failures += 1
            given_up = job.launch_failures >= environment().max_launch_failures
            reason = Reason("LAUNCH_TIMED_OUT", {"seconds": int(older_than.total_seconds())})
            begin_stop(scene, job, StopIntent.FAIL if given_up else StopIntent.REQUEUE, reason)
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
