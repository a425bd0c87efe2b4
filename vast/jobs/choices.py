"""The states of jobs and tasks, and which changes are legal (design: scheduling semantics, section 6)."""

from __future__ import annotations

from django.db import models


class JobState(models.TextChoices):
    HELD = "held"
    BLOCKED = "blocked"
    PENDING = "pending"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class TaskState(models.TextChoices):
    PENDING = "pending"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StopIntent(models.TextChoices):
    """What becomes of a stopping job once its last task is gone."""

    NONE = ""
    CANCEL = "cancel"
    REQUEUE = "requeue"
    FAIL = "fail"


ENDED = frozenset({JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED, JobState.SKIPPED})
WAITING = frozenset({JobState.HELD, JobState.BLOCKED, JobState.PENDING})
HOLDING = frozenset({JobState.STARTING, JobState.RUNNING, JobState.STOPPING})
TASK_ENDED = frozenset({TaskState.SUCCEEDED, TaskState.FAILED, TaskState.CANCELLED})

JOB_TRANSITIONS: dict[str, frozenset[str]] = {
    JobState.HELD: frozenset({JobState.PENDING, JobState.BLOCKED, JobState.CANCELLED}),
    JobState.BLOCKED: frozenset({JobState.PENDING, JobState.HELD, JobState.SKIPPED, JobState.CANCELLED}),
    JobState.PENDING: frozenset({JobState.STARTING, JobState.HELD, JobState.CANCELLED, JobState.FAILED}),
    JobState.STARTING: frozenset(
        {JobState.RUNNING, JobState.STOPPING, JobState.PENDING, JobState.SUCCEEDED, JobState.FAILED}
    ),
    JobState.RUNNING: frozenset({JobState.STOPPING, JobState.SUCCEEDED, JobState.FAILED, JobState.PENDING}),
    JobState.STOPPING: frozenset({JobState.PENDING, JobState.CANCELLED, JobState.FAILED}),
    JobState.SUCCEEDED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELLED: frozenset(),
    JobState.SKIPPED: frozenset(),
}
