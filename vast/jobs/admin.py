from __future__ import annotations

from django.contrib import admin

from vast.common.adminsite import ReadOnlyAdmin, ReadOnlyInline
from vast.jobs.models import Job, JobEvent, SubmissionKey, Task


class TaskInline(ReadOnlyInline):
    model = Task
    fields = ["rank", "group", "index", "state", "exit_code", "cause", "started_at", "ended_at"]


class JobEventInline(ReadOnlyInline):
    model = JobEvent
    fk_name = "job"
    fields = ["at", "kind", "from_state", "to_state", "actor", "reason"]
    show_change_link = False


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ["name", "queue", "owner", "state", "priority", "tasks_total", "submitted_at", "ended_at"]
    list_filter = ["state", "queue__tenant", "queue"]
    list_select_related = ["queue", "owner"]
    search_fields = ["name", "=id", "owner__username"]
    date_hierarchy = "submitted_at"
    inlines = [TaskInline, JobEventInline]


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ["job", "group", "index", "rank", "state", "attempt", "exit_code", "cause"]
    list_filter = ["state", "cause"]
    list_select_related = ["job"]
    search_fields = ["=id", "=job__id", "job__name"]


@admin.register(JobEvent)
class JobEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "job", "kind", "from_state", "to_state", "actor"]
    list_filter = ["kind", "to_state"]
    list_select_related = ["job"]
    search_fields = ["=job__id", "job__name", "actor"]


@admin.register(SubmissionKey)
class SubmissionKeyAdmin(ReadOnlyAdmin):
    list_display = ["key", "user", "job", "created_at"]
    list_select_related = ["user", "job"]
    search_fields = ["key", "user__username"]
