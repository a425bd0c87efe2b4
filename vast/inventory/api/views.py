"""Clusters, pools, device classes and models, nodes, devices; enrolling agents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError, Q, QuerySet, Sum
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle
from rest_framework.views import APIView

from vast.allocation.models import Slice
from vast.allocation.services import declare_node_lost
from vast.api.etags import EtagOnRetrieve, require_match, with_etag
from vast.api.pagination import NewestIdFirst
from vast.api.permissions import AdminOnly, AdminWrites
from vast.common import clock
from vast.common.errors import Conflict
from vast.common.sentences import say
from vast.common.wake import wake_scheduler
from vast.inventory import selectors, services
from vast.inventory.api import serializers as s
from vast.inventory.api.filters import DeviceFilter, NodeFilter
from vast.inventory.models import (
    Cluster,
    Device,
    DeviceClass,
    DeviceLink,
    DeviceModel,
    EnrolmentToken,
    Node,
    Pool,
)
from vast.telemetry.models import DeviceSample
from vast.tenancy.policies import is_admin, tenant_roles

MOST_POINTS = 2000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ClusterViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Cluster.objects.prefetch_related("levels")
    serializer_class = s.ClusterSerializer


class PoolViewSet(viewsets.ModelViewSet):
    queryset = Pool.objects.all()
    serializer_class = s.PoolSerializer
    permission_classes = [AdminWrites]
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def perform_update(self, serializer: serializers.BaseSerializer[Pool]) -> None:
        serializer.instance.touch()
        serializer.save()
        wake_scheduler()

    def perform_destroy(self, instance: Pool) -> None:
        try:
            instance.delete()
        except ProtectedError as error:
            raise Conflict(say("pool.in_use")) from error


class DeviceClassViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = DeviceClass.objects.all()
    serializer_class = s.DeviceClassSerializer


class DeviceModelViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.UpdateModelMixin, viewsets.GenericViewSet
):
    queryset = DeviceModel.objects.all()
    serializer_class = s.DeviceModelSerializer
    permission_classes = [AdminWrites]
    http_method_names = ["get", "patch", "head", "options"]
    filterset_fields = ["vendor", "device_class"]

    @extend_schema(
        parameters=[
            OpenApiParameter("present", bool, description="Only models of which the pool has devices.")
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[DeviceModel]:
        if self.request and self.request.query_params.get("present") in {"true", "1"}:
            return self.queryset.filter(devices__present=True).distinct()
        return self.queryset.all()

    def perform_update(self, serializer: serializers.BaseSerializer[DeviceModel]) -> None:
        services.change_model(model=serializer.instance, **serializer.validated_data)


class NodeViewSet(EtagOnRetrieve, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    queryset = Node.objects.none()
    serializer_class = s.NodeSerializer
    permission_classes = [AdminWrites]
    filterset_class = NodeFilter
    search_fields = ["name", "address"]

    def get_queryset(self) -> QuerySet[Node]:
        return selectors.nodes()

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.BaseSerializer[Any]:
        rows = args[0] if args else None
        nodes = rows if isinstance(rows, list) else [rows] if isinstance(rows, Node) else []
        if nodes:
            ids = [node.pk for node in nodes]
            given = (
                Slice.objects.filter(live=True, device__node__in=ids)
                .order_by()
                .values_list("device__node_id")
                .annotate(Sum("cores"), Sum("memory_mib"))
            )
            kwargs["context"] = {
                **self.get_serializer_context(),
                "given": {node: (cores, memory) for node, cores, memory in given},
                "device_ids": selectors.device_ids_by_node(ids),
            }
        return super().get_serializer(*args, **kwargs)

    @extend_schema(request=s.NodeSerializer, responses=s.NodeSerializer)
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        found = self.get_object()
        form = s.NodeSerializer(found, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        with transaction.atomic():
            node = Node.objects.select_for_update().get(pk=found.pk)
            require_match(request, node)
            services.change_node(node=node, **form.validated_data)
        fresh = self.get_object()
        return with_etag(fresh, self.get_serializer(fresh).data)

    @extend_schema(request=None, responses=s.NodeSerializer)
    @action(detail=True, methods=["post"], url_path="declare-lost")
    def declare_lost(self, request: Request, pk: str | None = None) -> Response:
        """State that nothing runs on this unreachable node any more, so that its jobs may run elsewhere."""
        declare_node_lost(node=self.get_object())
        fresh = self.get_object()
        return with_etag(fresh, self.get_serializer(fresh).data)


class DeviceViewSet(
    EtagOnRetrieve, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet
):
    queryset = Device.objects.none()
    serializer_class = s.DeviceSerializer
    permission_classes = [AdminWrites]
    filterset_class = DeviceFilter
    search_fields = ["uuid", "node__name", "model__name", "bus_id"]

    def get_queryset(self) -> QuerySet[Device]:
        live = Slice.objects.filter(live=True).select_related("allocation__job", "allocation__queue")
        live = live.defer("allocation__order", "allocation__job__document").order_by("id")
        return selectors.devices(live)

    def get_serializer_context(self) -> dict[str, Any]:
        context = super().get_serializer_context()
        user = getattr(self.request, "user", None)
        if user is not None and user.is_authenticated and not is_admin(user):
            context["tenants"] = frozenset(tenant_roles(user))
        return context

    @extend_schema(request=s.DeviceSerializer, responses=s.DeviceSerializer)
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        found = self.get_object()
        form = s.DeviceSerializer(
            found, data=request.data, partial=True, context=self.get_serializer_context()
        )
        form.is_valid(raise_exception=True)
        with transaction.atomic():
            device = Device.objects.select_for_update().get(pk=found.pk)
            require_match(request, device)
            services.cordon_device(
                device=device, cordoned=form.validated_data.get("cordoned", device.cordoned)
            )
        fresh = self.get_object()
        return with_etag(fresh, self.get_serializer(fresh).data)

    @extend_schema(
        responses=s.SamplesSerializer,
        parameters=[
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="Default: one hour ago."),
            OpenApiParameter("until", OpenApiTypes.DATETIME),
        ],
    )
    @action(detail=True)
    def samples(self, request: Request, pk: str | None = None) -> Response:
        """Stored readings, thinned to at most 2,000 points."""
        device = self.get_object()
        field = serializers.DateTimeField()
        until = _moment(request, "until", field) or clock.now()
        since = _moment(request, "since", field) or until - timedelta(hours=1)
        rows = list(
            DeviceSample.objects.filter(device=device, at__gte=since, at__lte=until)
            .order_by("at")
            .values_list("at", "util_pct", "memory_used_mib", "temperature_c", "power_w")
        )
        step = max(1, -(-len(rows) // MOST_POINTS))
        return Response({"points": [[row[0].timestamp(), *row[1:]] for row in rows[::step]]})

    @extend_schema(responses=s.DeviceHistorySerializer(many=True))
    @action(detail=True, pagination_class=NewestIdFirst, filterset_class=None, filter_backends=[])
    def allocations(self, request: Request, pk: str | None = None) -> Response:
        """Who holds and held the device, the newest first; of other tenants only how much."""
        rows = Slice.objects.filter(device=self.get_object())
        rows = rows.select_related("allocation__job", "allocation__queue")
        page = self.paginate_queryset(rows.defer("allocation__order", "allocation__job__document"))
        form = s.DeviceHistorySerializer(page, many=True, context=self.get_serializer_context())
        return self.get_paginated_response(form.data)

    @extend_schema(responses=s.DeviceLinkSerializer(many=True))
    @action(detail=True, pagination_class=None, filterset_class=None)
    def links(self, request: Request, pk: str | None = None) -> Response:
        device = self.get_object()
        rows = DeviceLink.objects.filter(Q(a=device) | Q(b=device)).order_by("kind", "a", "b")
        return Response(s.DeviceLinkSerializer(rows, many=True).data)


def _moment(request: Request, name: str, field: serializers.DateTimeField) -> datetime | None:
    raw = request.query_params.get(name)
    if raw is None:
        return None
    try:
        value: datetime = field.run_validation(raw)
        if value < EPOCH:
            raise serializers.ValidationError(str(say("not_before_1970")))
    except serializers.ValidationError as error:
        raise serializers.ValidationError({name: error.detail}) from error
    return value


class EnrolThrottle(AnonRateThrottle):
    rate = "120/min"


class EnrolView(APIView):
    """Agents add their nodes with an enrolment token and get a key for each."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    throttle_classes = [EnrolThrottle]

    @extend_schema(
        request=s.EnrolSerializer, responses={201: s.EnrolledSerializer}, operation_id="agents_enrol"
    )
    def post(self, request: Request) -> Response:
        form = s.EnrolSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response({"nodes": services.enrol(**form.validated_data)}, status=201)


class EnrolmentTokenViewSet(
    mixins.ListModelMixin, mixins.CreateModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet
):
    queryset = EnrolmentToken.objects.select_related("pool")
    serializer_class = s.EnrolmentTokenSerializer
    permission_classes = [AdminOnly]

    @extend_schema(request=s.EnrolmentTokenSerializer, responses={201: s.NewEnrolmentTokenSerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        form = s.EnrolmentTokenSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        token, secret = services.create_enrolment_token(**form.validated_data)
        token.token = secret  # type: ignore[attr-defined]
        return Response(s.NewEnrolmentTokenSerializer(token).data, status=201)
