"""Jobs, their tasks, what happened to them, and the answers kept for repeated submissions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from vast.common import clock
from vast.common.ids import new_id
from vast.common.models import Entity
from vast.jobs.choices import JobState, StopIntent, TaskState
from vast.queues.models import Queue


class Job(Entity):
    """What a user submitted. ``document`` is the checked job document with every default filled in."""

    name = models.CharField(max_length=80)
    queue = models.ForeignKey(Queue, on_delete=models.PROTECT, related_name="jobs")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="jobs")
    priority = models.IntegerField(default=0)
    state = models.CharField(max_length=16, choices=JobState.choices, default=JobState.PENDING)
    stop_intent = models.CharField(
        max_length=16, choices=StopIntent.choices, default=StopIntent.NONE, blank=True
    )
    document = models.JSONField()
    labels = models.JSONField(default=dict, blank=True)
    max_runtime_s = models.PositiveIntegerField(null=True, blank=True)
    tasks_total = models.PositiveIntegerField()
    asked = models.JSONField(
        default=dict, help_text='Milli-cards by device class ("any" when several would do).'
    )
    array_id = models.UUIDField(null=True, blank=True)
    array_index = models.PositiveIntegerField(null=True, blank=True)
    array_size = models.PositiveIntegerField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0, help_text="How often it was started.")
    launch_failures = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    avoid_nodes = models.JSONField(default=list, blank=True)
    preemptible = models.BooleanField(default=True)
    attempt_at = models.DateTimeField(null=True, blank=True, help_text="When this attempt was placed.")
    saved_at = models.DateTimeField(null=True, blank=True, help_text="Last checkpoint of this attempt.")
    evicted_at = models.JSONField(
        default=list, blank=True, help_text="When it lost tasks to others lately, Unix seconds."
    )
    shrunk_at = models.DateTimeField(null=True, blank=True, help_text="When it last lost extras.")
    hold_timeouts = models.PositiveSmallIntegerField(default=0)
    evict_not_before = models.DateTimeField(null=True, blank=True)
    reason = models.JSONField(null=True, blank=True)
    reason_at = models.DateTimeField(null=True, blank=True)
    position = models.PositiveIntegerField(null=True, blank=True)
    submitted_at = models.DateTimeField(default=clock.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    exit_code = models.IntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-submitted_at", "-id"]
        indexes = [
            models.Index(fields=["-submitted_at", "-id"], name="job_newest"),
            models.Index(fields=["state", "-submitted_at"], name="job_state"),
            models.Index(fields=["queue", "-submitted_at"], name="job_queue"),
            models.Index(fields=["owner", "-submitted_at"], name="job_owner"),
            models.Index(fields=["name"], name="job_name"),
            models.Index(fields=["array_id"], name="job_array", condition=~Q(array_id=None)),
        ]

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """One replica of a task group. Its slices are in ``allocation``."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="tasks")
    group = models.CharField(max_length=63)
    index = models.PositiveIntegerField(help_text="Within the group.")
    rank = models.PositiveIntegerField(help_text="Within the job.")
    state = models.CharField(max_length=16, choices=TaskState.choices, default=TaskState.PENDING)
    attempt = models.PositiveIntegerField(default=0)
    pid = models.PositiveIntegerField(null=True, blank=True)
    exit_code = models.IntegerField(null=True, blank=True)
    signal = models.PositiveSmallIntegerField(null=True, blank=True)
    cause = models.CharField(max_length=32, blank=True)
    message = models.TextField(blank=True)
    log_tail = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["job", "rank"]
        constraints = [models.UniqueConstraint(fields=["job", "rank"], name="task_rank_once")]

    def __str__(self) -> str:
        return f"{self.group}/{self.index}"


class JobEvent(models.Model):
    """One thing that happened to a job: who, when and why."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)
    from_state = models.CharField(max_length=16, blank=True)
    to_state = models.CharField(max_length=16, blank=True)
    actor = models.CharField(max_length=150, blank=True)
    reason = models.JSONField(null=True, blank=True)
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["job", "id"], name="event_job")]

    def __str__(self) -> str:
        return f"{self.kind} {self.from_state}→{self.to_state}"


class SubmissionKey(models.Model):
    """An ``Idempotency-Key`` that was used, so that a repeated submission gets the first answer."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=128)
    body_digest = models.CharField(max_length=64)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=clock.now, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="submission_key_once")]

    def __str__(self) -> str:
        return self.key
