"""The one function through which a job changes state: it checks the transition and writes the event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vast.common import clock
from vast.common.broadcast import EVENTS, publish_on_commit
from vast.common.errors import Conflict
from vast.common.reasons import Reason, render
from vast.common.rows import write
from vast.common.sentences import say
from vast.jobs.choices import ENDED, HOLDING, JOB_TRANSITIONS, JobState
from vast.jobs.models import Job, JobEvent, Task

SYSTEM = "system"
AnyReason = Reason | Mapping[str, Any] | None


class IllegalTransition(Conflict):
    code = "illegal_transition"


class Batch:
    """Changes to many jobs, written in few statements. Use inside a transaction in which the jobs are locked."""

    def __init__(self) -> None:
        self._jobs: dict[Any, Job] = {}
        self._tasks: dict[Any, Task] = {}
        self._events: list[JobEvent] = []
        self._tails: dict[Any, Task] = {}

    def move(self, job: Job, to: str, *, actor: str = SYSTEM, reason: AnyReason = None) -> None:
        """Change the job's state. Raises IllegalTransition (HTTP 409) when the table does not allow it."""
        if to not in JOB_TRANSITIONS[job.state]:
            raise IllegalTransition(say("job.wrong_state", state=job.state, wanted=to))
        now, why = clock.now(), _as_dict(reason)
        self._events.append(
            JobEvent(
                job=job, kind="state", from_state=job.state, to_state=to, actor=actor, reason=why, at=now
            )
        )
        job.state = to
        if to == JobState.STARTING:
            job.attempt += 1
            job.attempt_at, job.saved_at = now, None
        if to == JobState.RUNNING and job.started_at is None:
            job.started_at = now
        if to in ENDED:
            job.ended_at = now
        if to in HOLDING or to in ENDED:
            job.reason, job.position = why, None
        elif why is not None:
            job.reason, job.reason_at = why, now
        self.change(job)

    def change(self, job: Job) -> None:
        self._jobs[job.pk] = job

    def change_task(self, task: Task, *, log_tail: str | None = None) -> None:
        self._tasks[task.pk] = task
        if log_tail is not None:
            task.log_tail = log_tail
            self._tails[task.pk] = task

    def note(
        self,
        job: Job,
        kind: str,
        *,
        task: Task | None = None,
        from_state: str = "",
        to_state: str = "",
        actor: str = SYSTEM,
        reason: AnyReason = None,
    ) -> None:
        self._events.append(
            JobEvent(
                job=job,
                task=task,
                kind=kind,
                from_state=from_state,
                to_state=to_state,
                actor=actor,
                reason=_as_dict(reason),
                at=clock.now(),
            )
        )

    def save(self) -> None:
        for job in self._jobs.values():
            job.touch()
        write(Job, self._jobs.values(), JOB_FIELDS)
        write(Task, self._tasks.values(), TASK_FIELDS)
        write(Task, self._tails.values(), ["log_tail"])
        if self._events:
            JobEvent.objects.bulk_create(self._events, batch_size=1000)
            publish_on_commit(EVENTS, [event_payload(event) for event in self._events])


JOB_FIELDS = [
    "state",
    "stop_intent",
    "attempt",
    "launch_failures",
    "not_before",
    "avoid_nodes",
    "attempt_at",
    "saved_at",
    "evicted_at",
    "shrunk_at",
    "hold_timeouts",
    "evict_not_before",
    "reason",
    "reason_at",
    "position",
    "started_at",
    "ended_at",
    "exit_code",
    "priority",
    "version",
    "updated_at",
]
TASK_FIELDS = [
    "state",
    "attempt",
    "pid",
    "exit_code",
    "signal",
    "cause",
    "message",
    "started_at",
    "ended_at",
]


def _as_dict(reason: AnyReason) -> dict[str, Any] | None:
    if reason is None:
        return None
    return reason.as_dict() if isinstance(reason, Reason) else dict(reason)


def event_payload(event: JobEvent) -> dict[str, Any]:
    """The event as REST and the live socket give it; ``tenant`` is for the socket's filter and is not sent."""
    return {
        "id": event.pk,
        "job": str(event.job_id),
        "job_name": event.job.name,
        "task": str(event.task_id) if event.task_id else None,
        "kind": event.kind,
        "from_state": event.from_state,
        "to_state": event.to_state,
        "at": event.at.isoformat(),
        "actor": event.actor,
        "reason": event.reason,
        "message": render(event.reason) if event.reason else "",
        "tenant": str(event.job.queue.tenant_id) if event.job.queue.tenant_id else None,
    }
