"""Submitting, listing and controlling jobs; tasks and their logs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import connection
from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.filters import OrderingFilter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from vast.allocation.models import Allocation
from vast.allocation.services import cancel
from vast.api.etags import require_match, with_etag
from vast.api.pagination import ById, NewestFirst
from vast.api.parsers import DocumentJSONParser, LegacyYAMLParser, YAMLParser
from vast.api.schema import JobDocumentField
from vast.common.errors import FieldError, Invalid, NotAllowed
from vast.common.sentences import say
from vast.drivers.tasks import deliver_now
from vast.jobs import services
from vast.jobs.api.filters import JobFilter
from vast.jobs.api.serializers import (
    JobEventSerializer,
    JobPatchSerializer,
    JobSerializer,
    LogSerializer,
    TaskSerializer,
    WhySerializer,
    page_context,
)
from vast.jobs.api.submission import checked
from vast.jobs.document import JobDocument
from vast.jobs.models import Job, JobEvent, Task
from vast.jobs.selectors import visible_jobs, visible_tasks
from vast.jobs.why import explain
from vast.live.logs import MOST_BYTES, MOST_OFFSET, MOST_WAIT_S, read_log
from vast.tenancy.policies import may_control_job

KEY_HEADER = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Repeating a submission under the same key gives the first answer.",
)
DRY_RUN = OpenApiParameter("dry_run", bool, description="Check only; nothing is created.")


class JobOrdering(OrderingFilter):
    """Sorting by one field; the id makes the order total."""

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: Any) -> list[str]:
        chosen = list(super().get_ordering(request, queryset, view) or ["-submitted_at"])[:1]
        return [*chosen, "-id" if chosen[0].startswith("-") else "id"]


class JobViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    queryset = Job.objects.none()
    serializer_class = JobSerializer
    pagination_class = NewestFirst
    filterset_class = JobFilter
    filter_backends = [*viewsets.GenericViewSet.filter_backends[:1], JobOrdering]
    ordering_fields = ["submitted_at", "priority", "name"]
    ordering = ["-submitted_at"]
    parser_classes = [DocumentJSONParser, YAMLParser, LegacyYAMLParser]
    lookup_value_converter = "uuid"

    def get_queryset(self) -> QuerySet[Job]:
        if getattr(self, "swagger_fake_view", False):
            return self.queryset
        return visible_jobs(self.request.user)

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.BaseSerializer[Any]:
        rows = args[0] if args else []
        kwargs["context"] = {
            **self.get_serializer_context(),
            **page_context(rows if isinstance(rows, list) else [rows]),
        }
        return super().get_serializer(*args, **kwargs)

    def _answer(self, job: Job, status: int = 200) -> Response:
        return with_etag(job, self.get_serializer(job).data, status)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self._answer(self.get_object())

    @extend_schema(
        request={"application/json": JobDocumentField, "application/yaml": JobDocumentField},
        responses={201: JobSerializer, 200: JobSerializer},
        parameters=[KEY_HEADER, DRY_RUN],
    )
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Submit a job document. An array of jobs answers with its first job."""
        key = request.headers.get("Idempotency-Key", "")
        if len(key) > 128:
            raise Invalid(
                errors=[
                    FieldError("Idempotency-Key", "max_length", say("most_characters", max_length=128), 128)
                ]
            )
        document, queue = checked(request.user, request.data)
        if request.query_params.get("dry_run") in {"true", "1"}:
            return Response({"valid": True, "document": document.model_dump(mode="json")})
        body = json.dumps(document.model_dump(mode="json"), sort_keys=True).encode()
        job, new = services.submit(document=document, queue=queue, owner=request.user, key=key, body=body)
        if not new:
            return self._answer(self.get_queryset().get(pk=job.pk))
        # Just made: nothing has to be read to show it.
        context = {
            **self.get_serializer_context(),
            "tasks": {job.pk: {"pending": job.tasks_total}},
            "held": {},
        }
        return with_etag(job, JobSerializer(job, context=context).data, 201)

    @extend_schema(request=JobPatchSerializer, responses=JobSerializer)
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        job = self._controlled()
        form = JobPatchSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        services.change_priority(
            job_id=job.pk,
            priority=form.validated_data["priority"],
            actor=request.user.username,
            check=lambda row: require_match(request, row),
        )
        return self._answer(self.get_object())

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: UUID | None = None) -> Response:
        """At every stage; frees what was held. 409 when the job has ended."""
        job = self._controlled()
        cancel(job_id=job.pk, actor=request.user.username)
        deliver_now()
        return self._answer(self.get_object(), 202)

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def hold(self, request: Request, pk: UUID | None = None) -> Response:
        """Keep a waiting job from starting."""
        services.hold(job_id=self._controlled().pk, actor=request.user.username)
        return self._answer(self.get_object())

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def release(self, request: Request, pk: UUID | None = None) -> Response:
        """Let a held job wait for its turn."""
        services.release(job_id=self._controlled().pk, actor=request.user.username)
        return self._answer(self.get_object())

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def checkpoint(self, request: Request, pk: UUID | None = None) -> Response:
        """The job has saved its work just now: stopping it loses what comes after."""
        services.saved(job_id=self._controlled().pk)
        return self._answer(self.get_object())

    @extend_schema(responses=TaskSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def tasks(self, request: Request, pk: UUID | None = None) -> Response:
        """All tasks in rank order, with where they run or last ran."""
        job = self.get_object()
        newest = (
            Allocation.objects.filter(job=job)
            .order_by("task_id", "-created_at", "-id")
            .distinct("task_id")
            .select_related("node")
            .defer("order")
            .prefetch_related("slices__device__model")
        )
        context = {"allocations": {row.task_id: row for row in newest}}
        rows = job.tasks.defer("log_tail").order_by("rank")
        return Response(TaskSerializer(rows, many=True, context=context).data)

    @extend_schema(responses=JobEventSerializer(many=True))
    @action(detail=True, pagination_class=ById, filterset_class=None, filter_backends=[])
    def events(self, request: Request, pk: UUID | None = None) -> Response:
        """Everything that happened to the job, oldest first."""
        rows = JobEvent.objects.filter(job=self.get_object()).select_related("job__queue")
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(JobEventSerializer(page, many=True).data)

    @extend_schema(responses=WhySerializer)
    @action(detail=True, pagination_class=None, filterset_class=None)
    def why(self, request: Request, pk: UUID | None = None) -> Response:
        """Why the job waits: the checks in the order in which they are made."""
        return Response(WhySerializer(explain(self.get_object())).data)

    @extend_schema(responses=OpenApiTypes.OBJECT, filters=False)
    @action(detail=False, pagination_class=None, filterset_class=None, url_path="schema")
    def document_schema(self, request: Request) -> Response:
        """The JSON Schema of the job document."""
        return Response(JobDocument.model_json_schema())

    def _controlled(self) -> Job:
        job: Job = self.get_object()
        if not may_control_job(self.request.user, owner_id=job.owner_id, tenant_id=job.queue.tenant_id):
            raise NotAllowed(say("job.not_yours"))
        return job


class LogQuery(serializers.Serializer):
    offset = serializers.IntegerField(min_value=0, default=0)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_BYTES, default=65_536)
    wait = serializers.FloatField(
        min_value=0, max_value=MOST_WAIT_S, default=0, help_text="Seconds to wait for more."
    )
    format = serializers.ChoiceField(choices=["json", "text"], default="json")

    def validate_offset(self, value: int) -> int:
        if value > MOST_OFFSET:
            raise serializers.ValidationError(str(say("at_most", le=MOST_OFFSET)))
        return value


class TaskLogView(APIView):
    """A task's log from a byte offset on; with ``wait`` it follows."""

    @extend_schema(parameters=[LogQuery], responses=LogSerializer, operation_id="tasks_log")
    def get(self, request: Request, pk: UUID) -> Response | StreamingHttpResponse:
        query = LogQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        task: Task | None = visible_tasks(request.user).filter(pk=pk).first()
        if task is None:
            raise Http404
        # The answer may take long: do not keep a database connection meanwhile.
        connection.close()
        if asked["format"] == "text":
            return self._download(task)
        part = async_to_sync(read_log)(pk, offset=asked["offset"], limit=asked["limit"], wait_s=asked["wait"])
        return Response(part)

    @staticmethod
    def _download(task: Task) -> StreamingHttpResponse:
        # Before the answer begins, so that a node that is away still makes it a 503.
        first = async_to_sync(read_log)(task.pk, offset=0, limit=MOST_BYTES, wait_s=0)
        answer = StreamingHttpResponse(_parts(task.pk, first), content_type="text/plain; charset=utf-8")
        answer["Content-Disposition"] = (
            f'attachment; filename="{task.job.name}-{task.group}-{task.index}.log"'
        )
        return answer


async def _parts(task: UUID, part: dict[str, Any]) -> AsyncIterator[bytes]:
    """The log as long as it is now: a task may write faster than anyone downloads."""
    size = part["size"]
    yield part["data"].encode()
    while part["data"] and not part["complete"] and part["next_offset"] < size:
        part = await read_log(task, offset=part["next_offset"], limit=MOST_BYTES, wait_s=0)
        yield part["data"].encode()
