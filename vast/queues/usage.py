"""What queues hold and wait for, added up along the tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from django.apps import apps
from django.db.models import Count, Sum

from vast.queues.models import Queue


@dataclass(slots=True)
class Usage:
    """Milli-cards by device class; jobs by number."""

    held: Counter[str] = field(default_factory=Counter)
    waiting: Counter[str] = field(default_factory=Counter)
    pending_jobs: int = 0
    running_jobs: int = 0


def usage_by_queue() -> dict[UUID, Usage]:
    """Each queue's own use and that of all queues below it; four queries whatever the number of jobs."""
    parents = dict(Queue.objects.order_by().values_list("id", "parent_id"))
    found = {queue: Usage() for queue in parents}

    def add(queue: UUID | None, change: Callable[[Usage], None]) -> None:
        while queue is not None:
            change(found[queue])
            queue = parents[queue]

    for queue, device_class, charge in _held():
        add(queue, lambda usage, c=device_class, n=charge: usage.held.update({c: n}))  # type: ignore[misc]
    for queue, asked, jobs in _waiting():
        add(queue, lambda usage, a=asked, n=jobs: usage.waiting.update({c: m * n for c, m in a.items()}))  # type: ignore[misc]
        add(queue, lambda usage, n=jobs: setattr(usage, "pending_jobs", usage.pending_jobs + n))  # type: ignore[misc]
    for queue, jobs in _running():
        add(queue, lambda usage, n=jobs: setattr(usage, "running_jobs", usage.running_jobs + n))  # type: ignore[misc]
    return found


# ``queues`` lies below ``jobs`` and ``allocation``: their models are looked up by name for these read-only sums.
def _held() -> list[tuple[UUID, str, int]]:
    rows = (
        apps.get_model("allocation", "Slice").objects.filter(live=True).exclude(allocation__state="stopping")
    )
    return list(
        rows.order_by()
        .values_list("allocation__queue_id", "device__model__device_class_id")
        .annotate(Sum("charge"))
    )


def _waiting() -> list[tuple[UUID, dict[str, int], int]]:
    rows = apps.get_model("jobs", "Job").objects.filter(state__in=["pending", "held", "blocked"])
    return list(rows.order_by().values_list("queue_id", "asked").annotate(Count("id")))


def _running() -> list[tuple[UUID, int]]:
    rows = apps.get_model("jobs", "Job").objects.filter(state__in=["starting", "running"])
    return list(rows.order_by().values_list("queue_id").annotate(Count("id")))
