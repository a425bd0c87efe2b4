from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Count, Sum
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from vast.allocation.models import Slice
from vast.api.schema import JobDocumentField, ReasonSerializer
from vast.common.reasons import render
from vast.common.sentences import current_language
from vast.jobs.asked import as_text
from vast.jobs.choices import JobState, TaskState
from vast.jobs.lifecycle import event_payload
from vast.jobs.models import Job, JobEvent, Task


class QueueRefSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    path = serializers.CharField()


class OwnerSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    username = serializers.CharField()


class ArraySerializer(serializers.Serializer):
    id = serializers.UUIDField()
    index = serializers.IntegerField()
    size = serializers.IntegerField()


def with_message(reason: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if reason is None else {**reason, "message": render(reason, current_language())}


@extend_schema_field(JobDocumentField)
class DocumentField(serializers.JSONField):
    pass


def page_context(jobs: Iterable[Job]) -> dict[str, Any]:
    """What a page of jobs needs beyond its rows: two queries, however many jobs."""
    ids = [job.pk for job in jobs]
    tasks: dict[UUID, Counter[str]] = {}
    for job, state, count in (
        Task.objects.filter(job__in=ids).order_by().values_list("job_id", "state").annotate(Count("id"))
    ):
        tasks.setdefault(job, Counter())[state] = count
    held: dict[UUID, dict[str, Any]] = {}
    rows = Slice.objects.filter(live=True, allocation__job__in=ids).order_by()
    for job, device_class, charge, cores in rows.values_list(
        "allocation__job_id", "device__model__device_class_id"
    ).annotate(Sum("charge"), Sum("cores")):
        entry = held.setdefault(job, {"milli": {}, "cores": 0})
        entry["milli"][device_class] = charge
        entry["cores"] += cores
    return {"tasks": tasks, "held": held}


class JobSerializer(serializers.ModelSerializer):
    queue = QueueRefSerializer(read_only=True)
    pool = serializers.CharField(source="queue.pool.name", read_only=True)
    owner = OwnerSerializer(read_only=True)
    state = serializers.ChoiceField(choices=JobState.choices, read_only=True)
    reason = serializers.SerializerMethodField()
    labels = serializers.DictField(child=serializers.CharField(), read_only=True)
    document = DocumentField(read_only=True)
    array = serializers.SerializerMethodField()
    tasks = serializers.SerializerMethodField(help_text="Number of tasks by state.")
    held = serializers.SerializerMethodField(help_text="Milli-cards held now, by device class.")
    cores = serializers.SerializerMethodField(help_text="Percent of devices held now, in sum.")
    asked = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    requested = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = [
            "id",
            "name",
            "queue",
            "pool",
            "priority",
            "state",
            "reason",
            "position",
            "owner",
            "labels",
            "document",
            "array",
            "attempt",
            "tasks_total",
            "tasks",
            "submitted_at",
            "started_at",
            "ended_at",
            "exit_code",
            "held",
            "cores",
            "asked",
            "requested",
            "max_runtime_s",
            "version",
        ]
        read_only_fields = fields

    def get_reason(self, job: Job) -> ReasonSerializer(allow_null=True):  # type: ignore[valid-type]
        return with_message(job.reason)

    def get_array(self, job: Job) -> ArraySerializer(allow_null=True):  # type: ignore[valid-type]
        if job.array_id is None:
            return None
        return {"id": job.array_id, "index": job.array_index, "size": job.array_size}

    def get_tasks(self, job: Job) -> dict[str, int]:
        return dict(self.context["tasks"].get(job.pk, {}))

    def get_held(self, job: Job) -> dict[str, int]:
        return self.context["held"].get(job.pk, {}).get("milli", {})  # type: ignore[no-any-return]

    def get_cores(self, job: Job) -> int:
        return self.context["held"].get(job.pk, {}).get("cores", 0)  # type: ignore[no-any-return]

    def get_requested(self, job: Job) -> str:
        return as_text(job.document)


class JobPatchSerializer(serializers.Serializer):
    priority = serializers.IntegerField(min_value=-1000, max_value=1000)


class TaskSliceSerializer(serializers.Serializer):
    device = serializers.UUIDField()
    device_uuid = serializers.CharField()
    vendor = serializers.CharField()
    model = serializers.CharField()
    index = serializers.IntegerField()
    cores = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    exclusive = serializers.BooleanField()
    charge = serializers.IntegerField()


class TaskNodeSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    address = serializers.CharField()


class TaskSerializer(serializers.ModelSerializer):
    """``node`` and ``slices``: where it runs, or where its last attempt ran."""

    state = serializers.ChoiceField(choices=TaskState.choices, read_only=True)
    node = serializers.SerializerMethodField()
    allocation = serializers.SerializerMethodField()
    slices = serializers.SerializerMethodField()

    class Meta:
        model = Task
        fields = [
            "id",
            "group",
            "index",
            "rank",
            "state",
            "node",
            "allocation",
            "slices",
            "exit_code",
            "signal",
            "cause",
            "message",
            "pid",
            "started_at",
            "ended_at",
            "attempt",
        ]
        read_only_fields = fields

    def _allocation(self, task: Task) -> Any:
        return self.context["allocations"].get(task.pk)

    def get_node(self, task: Task) -> TaskNodeSerializer(allow_null=True):  # type: ignore[valid-type]
        row = self._allocation(task)
        return {"id": row.node_id, "name": row.node.name, "address": row.node.address} if row else None

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_allocation(self, task: Task) -> UUID | None:
        row = self._allocation(task)
        return row.pk if row else None

    def get_slices(self, task: Task) -> TaskSliceSerializer(many=True):  # type: ignore[valid-type]
        row = self._allocation(task)
        return [
            {
                "device": piece.device_id,
                "device_uuid": piece.device.uuid,
                "vendor": piece.device.model.vendor,
                "model": piece.device.model.name,
                "index": piece.device.index,
                "cores": piece.cores,
                "memory_mib": piece.memory_mib,
                "exclusive": piece.exclusive,
                "charge": piece.charge,
            }
            for piece in (row.slices.all() if row else ())
        ]


class JobEventSerializer(serializers.Serializer):
    """What happened to a job: as the live socket sends it."""

    id = serializers.IntegerField()
    job = serializers.UUIDField()
    job_name = serializers.CharField()
    task = serializers.UUIDField(allow_null=True)
    kind = serializers.CharField()
    from_state = serializers.CharField()
    to_state = serializers.CharField()
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    reason = ReasonSerializer(allow_null=True)
    message = serializers.CharField()

    def to_representation(self, instance: JobEvent) -> dict[str, Any]:
        payload = {key: value for key, value in event_payload(instance).items() if key != "tenant"}
        if payload["reason"]:
            payload["message"] = render(payload["reason"], current_language())
        return payload


class WhyCheckSerializer(serializers.Serializer):
    code = serializers.CharField()
    ok = serializers.BooleanField(allow_null=True, help_text="null = not looked at.")
    params = serializers.DictField()
    message = serializers.CharField()


class AheadSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    priority = serializers.IntegerField()
    position = serializers.IntegerField()


class WhySerializer(serializers.Serializer):
    state = serializers.ChoiceField(choices=JobState.choices)
    headline = ReasonSerializer(allow_null=True)
    message = serializers.CharField()
    position = serializers.IntegerField(allow_null=True)
    ahead = AheadSerializer(many=True, help_text="The first few jobs that wait in front of it in its queue.")
    checks = WhyCheckSerializer(many=True)
    evaluated_at = serializers.DateTimeField(allow_null=True)


class LogSerializer(serializers.Serializer):
    data = serializers.CharField()
    next_offset = serializers.IntegerField()
    size = serializers.IntegerField()
    complete = serializers.BooleanField(help_text="The task has ended and this is the end of its log.")
    source = serializers.ChoiceField(
        choices=["node", "tail"], help_text="tail = only the end, kept when the task ended."
    )
