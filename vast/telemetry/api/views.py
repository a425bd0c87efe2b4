"""The overview: what the pool does now, in one answer; the live socket keeps it current."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Min
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from vast.common import clock
from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import Device, Node
from vast.jobs.api.serializers import JobEventSerializer
from vast.jobs.selectors import visible_events, visible_jobs
from vast.live.aggregate import Sums, add_up, overview_payload, read_given
from vast.telemetry.latest import latest
from vast.tenancy.policies import visible_tenants


class UsageSerializer(serializers.Serializer):
    devices = serializers.IntegerField()
    devices_reporting = serializers.IntegerField()
    devices_allocated = serializers.IntegerField()
    util_pct = serializers.FloatField(allow_null=True)
    memory_used_mib = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    cores_allocated_pct = serializers.FloatField()
    memory_allocated_mib = serializers.IntegerField()
    power_w = serializers.IntegerField()


class PoolUsageSerializer(UsageSerializer):
    id = serializers.UUIDField()
    name = serializers.CharField()


class VendorUsageSerializer(UsageSerializer):
    vendor = serializers.CharField()


class TotalUsageSerializer(UsageSerializer):
    jobs = serializers.DictField(child=serializers.IntegerField())


class NodeUsageSerializer(UsageSerializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    pool = serializers.CharField()
    vendors = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=NodeState.choices)
    cordoned = serializers.BooleanField()


class WaitingSerializer(serializers.Serializer):
    jobs = serializers.IntegerField()
    oldest_s = serializers.IntegerField(allow_null=True)
    milli = serializers.DictField(child=serializers.IntegerField())


class UnhealthySerializer(serializers.Serializer):
    devices = serializers.IntegerField()
    nodes = serializers.IntegerField()


class OverviewSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    pools = PoolUsageSerializer(many=True)
    vendors = VendorUsageSerializer(many=True)
    totals = TotalUsageSerializer()
    nodes = NodeUsageSerializer(many=True)
    waiting = WaitingSerializer()
    unhealthy = UnhealthySerializer()
    recent_events = JobEventSerializer(many=True)


class OverviewView(APIView):
    @extend_schema(responses=OverviewSerializer, operation_id="overview_retrieve")
    def get(self, request: Request) -> Response:
        given = read_given()
        if not latest.devices:
            latest.load_devices()
        overview = add_up(latest, given)
        events = visible_events(request.user).filter(kind="state").order_by("-id")[:30]
        return Response(
            {
                "at": clock.now().isoformat(),
                **overview_payload(overview, given, visible_tenants(request.user)),
                "nodes": _nodes(overview.nodes),
                "waiting": _waiting(request),
                "unhealthy": {
                    "devices": Device.objects.filter(present=True)
                    .exclude(health=DeviceHealth.HEALTHY)
                    .count(),
                    "nodes": Node.objects.exclude(state=NodeState.READY).count(),
                },
                "recent_events": JobEventSerializer(list(events)[::-1], many=True).data,
            }
        )


def _nodes(sums: dict[str, Sums]) -> list[dict[str, Any]]:
    vendors: dict[str, set[str]] = {}
    for device in latest.devices.values():
        vendors.setdefault(device.node, set()).add(device.vendor)
    return [
        {
            "id": str(node.pk),
            "name": node.name,
            "pool": node.pool.name,
            "state": node.state,
            "cordoned": node.cordoned,
            "vendors": sorted(vendors.get(str(node.pk), ())),
            **sums.get(str(node.pk), Sums()).as_dict(),
        }
        for node in Node.objects.select_related("pool").order_by("name", "id")
    ]


def _waiting(request: Request) -> dict[str, Any]:
    rows = (
        visible_jobs(request.user)
        .filter(state__in=["pending", "blocked", "held"])
        .select_related(None)
        .order_by()
    )
    milli: dict[str, int] = {}
    for asked, count in rows.values_list("asked").annotate(Count("id")):
        for device_class, amount in asked.items():
            milli[device_class] = milli.get(device_class, 0) + amount * count
    found = rows.aggregate(jobs=Count("id"), oldest=Min("submitted_at"))
    oldest = found["oldest"]
    return {
        "jobs": found["jobs"],
        "milli": milli,
        "oldest_s": int((clock.now() - oldest).total_seconds()) if oldest else None,
    }
