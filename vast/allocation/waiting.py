"""Jobs as the engine sees them: those that wait, and those that hold something."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from vast.allocation.translate import task_groups, topology
from vast.jobs.choices import TASK_ENDED
from vast.jobs.models import Job, Task
from vast.scheduling.snapshot import HeldJob, PendingJob

FIELDS = (
    "id",
    "version",
    "queue_id",
    "owner_id",
    "priority",
    "submitted_at",
    "document",
    "not_before",
    "avoid_nodes",
    "preemptible",
    "max_runtime_s",
    "evict_not_before",
    "attempt_at",
    "saved_at",
    "evicted_at",
    "shrunk_at",
)


def _seconds(at: datetime | None) -> int:
    return int(at.timestamp()) + 1 if at else 0


def _tasks(ids: Iterable[UUID]) -> tuple[dict[UUID, list[str]], set[str]]:
    """The tasks of each job in rank order, and which of them have ended."""
    tasks: dict[UUID, list[str]] = {}
    ended: set[str] = set()
    rows = Task.objects.filter(job__in=list(ids)).order_by("job_id", "rank")
    for job, task, state in rows.values_list("job_id", "id", "state"):
        tasks.setdefault(job, []).append(str(task))
        if state in TASK_ENDED:
            ended.add(str(task))
    return tasks, ended


def _checkpoints(document: dict[str, Any]) -> bool:
    return document["checkpoint"] is not None


def load_pending(ids: list[UUID]) -> dict[UUID, tuple[int, PendingJob]]:
    """By id, with the version that was read."""
    tasks, _ = _tasks(ids)
    return {
        row.pk: (
            row.version,
            PendingJob(
                id=str(row.pk),
                queue=str(row.queue_id),
                priority=row.priority,
                submitted_at=int(row.submitted_at.timestamp()),
                groups=task_groups(row.document, tasks.get(row.pk, [])),
                not_before=_seconds(row.not_before),
                avoid_nodes=frozenset(row.avoid_nodes),
                preemptible=row.preemptible,
                may_evict=row.document["may_evict"],
                movable=row.document["movable"],
                checkpoints=_checkpoints(row.document),
                max_runtime=row.max_runtime_s,
                evict_not_before=_seconds(row.evict_not_before),
                owner=str(row.owner_id),
                topology=topology(row.document["topology"]),
            ),
        )
        for row in Job.objects.filter(pk__in=ids).only(*FIELDS).order_by()
    }


def load_running(ids: list[UUID]) -> dict[UUID, tuple[int, HeldJob]]:
    """By id, with the version that was read. Tasks that have ended are left out."""
    tasks, ended = _tasks(ids)
    return {
        row.pk: (
            row.version,
            HeldJob(
                id=str(row.pk),
                queue=str(row.queue_id),
                priority=row.priority,
                submitted_at=int(row.submitted_at.timestamp()),
                groups=task_groups(row.document, tasks.get(row.pk, []), ended),
                preemptible=row.preemptible,
                movable=row.document["movable"],
                checkpoints=_checkpoints(row.document),
                started_at=int(row.attempt_at.timestamp()) if row.attempt_at else None,
                saved_at=_saved(row),
                max_runtime=row.max_runtime_s,
                evicted_at=tuple(row.evicted_at),
                shrunk_at=int(row.shrunk_at.timestamp()) if row.shrunk_at else 0,
                owner=str(row.owner_id),
                topology=topology(row.document["topology"]),
            ),
        )
        for row in Job.objects.filter(pk__in=ids).only(*FIELDS).order_by()
    }


def _saved(row: Job) -> int | None:
    return int(row.saved_at.timestamp()) if row.saved_at else None
