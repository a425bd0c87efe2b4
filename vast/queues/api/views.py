"""The queue tree and its quotas."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from vast.api.etags import EtagOnRetrieve, require_match, with_etag
from vast.api.permissions import AdminWrites
from vast.queues import services
from vast.queues.api.serializers import (
    NewQueueSerializer,
    QueueQuotasSerializer,
    QueueSerializer,
    plain_quotas,
)
from vast.queues.models import Queue
from vast.queues.selectors import DEPTH_FIRST, visible_queues
from vast.queues.usage import usage_by_queue
from vast.tenancy.policies import is_admin


class QueueViewSet(EtagOnRetrieve, viewsets.ModelViewSet):
    """Depth-first: each queue comes after its parent."""

    queryset = Queue.objects.none()
    serializer_class = QueueSerializer
    permission_classes = [AdminWrites]
    filterset_fields = ["pool__name", "tenant__name", "state"]
    search_fields = ["path"]
    http_method_names = ["get", "post", "patch", "put", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Queue]:
        if getattr(self, "swagger_fake_view", False):
            return self.queryset
        below = Queue.objects.filter(parent=OuterRef("pk"))
        return (
            visible_queues(self.request.user)
            .annotate(is_leaf=~Exists(below))
            .prefetch_related("quotas")
            .order_by(DEPTH_FIRST)
        )

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.BaseSerializer[Any]:
        if self.action in {"list", "retrieve"} and not getattr(self, "swagger_fake_view", False):
            visible = (
                None
                if is_admin(self.request.user)
                else set(visible_queues(self.request.user).values_list("id", flat=True))
            )
            kwargs["context"] = {
                **self.get_serializer_context(),
                "usage": usage_by_queue(),
                "visible": visible,
            }
        return super().get_serializer(*args, **kwargs)

    def _answer(self, queue: Queue, status: int = 200) -> Response:
        fresh = self.get_queryset().get(pk=queue.pk)
        data = QueueSerializer(
            fresh, context={**self.get_serializer_context(), "usage": usage_by_queue()}
        ).data
        return with_etag(fresh, data, status)

    @extend_schema(request=NewQueueSerializer, responses={201: QueueSerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        form = NewQueueSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return self._answer(services.create_queue(**form.validated_data), 201)

    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        found = self.get_object()
        form = QueueSerializer(found, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        with transaction.atomic():
            queue = Queue.objects.select_for_update().get(pk=found.pk)
            require_match(request, queue)
            services.change_queue(queue=queue, **form.validated_data)
        return self._answer(queue)

    @extend_schema(exclude=True)
    def update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.http_method_not_allowed(request, *args, **kwargs)

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        found = self.get_object()
        with transaction.atomic():
            queue = Queue.objects.select_for_update().get(pk=found.pk)
            require_match(request, queue)
            services.delete_queue(queue=queue)
        return Response(status=204)

    @extend_schema(request=QueueQuotasSerializer, responses=QueueSerializer)
    @action(detail=True, methods=["put"])
    def quotas(self, request: Request, pk: str | None = None) -> Response:
        """Replace all quotas of the queue."""
        found = self.get_object()
        form = QueueQuotasSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with transaction.atomic():
            queue = Queue.objects.select_for_update().get(pk=found.pk)
            require_match(request, queue)
            services.set_quotas(queue=queue, quotas=plain_quotas(form.validated_data["quotas"]))
        return self._answer(queue)
