"""Reads of jobs, scoped to the reader."""

from __future__ import annotations

from django.db.models import QuerySet

from vast.jobs.models import Job, JobEvent, Task
from vast.tenancy.models import User
from vast.tenancy.policies import is_admin, tenant_roles


def visible_jobs(user: User) -> QuerySet[Job]:
    jobs = Job.objects.select_related("queue__pool", "owner")
    return jobs if is_admin(user) else jobs.filter(queue__tenant__in=tenant_roles(user).keys())


def visible_tasks(user: User) -> QuerySet[Task]:
    tasks = Task.objects.select_related("job__queue")
    return tasks if is_admin(user) else tasks.filter(job__queue__tenant__in=tenant_roles(user).keys())


def visible_events(user: User) -> QuerySet[JobEvent]:
    events = JobEvent.objects.select_related("job__queue")
    return events if is_admin(user) else events.filter(job__queue__tenant__in=tenant_roles(user).keys())


def newest_event_id(user: User) -> int:
    """The newest event that the user may see; 0 when there is none."""
    return visible_events(user).order_by("-id").values_list("id", flat=True).first() or 0
