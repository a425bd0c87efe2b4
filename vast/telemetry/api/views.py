"""The overview: what the pool does now, in one answer; the live socket keeps it current."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Min, QuerySet
from django.db.models.fields.json import KT
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from vast.api.schema import ReasonSerializer
from vast.common import clock
from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import Device, Node
from vast.jobs.api.serializers import JobEventSerializer, with_message
from vast.jobs.asked import ANY
from vast.jobs.selectors import visible_events, visible_jobs
from vast.live.aggregate import Sums, add_up, overview_payload, read_given
from vast.live.history import history
from vast.queues.selectors import visible_queues
from vast.telemetry.latest import latest
from vast.tenancy.policies import visible_tenants

MOST_NAMED = 5
NEVER = datetime.min.replace(tzinfo=UTC)
FIRST_VENDOR = "document__groups__0__request__selector__0__vendor"
SECOND_GROUP = "document__groups__1__name"


class FateSerializer(serializers.Serializer):
    """Compute in milli-cards by what becomes of it; the parts add up to all devices."""

    busy = serializers.IntegerField(help_text="Given out and working.")
    idle = serializers.IntegerField(help_text="Given out, but not working.")
    free = serializers.IntegerField()
    cordoned = serializers.IntegerField(help_text="Not given out, and kept from it.")
    down = serializers.IntegerField(help_text="On unhealthy devices and unreachable nodes.")


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
    fate = FateSerializer()


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
    milli = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Milli-cards by device class; `nvidia/any` = any class of that vendor, `any` = any device.",
    )


class UnhealthySerializer(serializers.Serializer):
    devices = serializers.IntegerField()
    nodes = serializers.IntegerField()


class SickDeviceSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    model = serializers.CharField()
    index = serializers.IntegerField()
    node = serializers.CharField()
    health = serializers.ChoiceField(choices=DeviceHealth.choices)


class AwayNodeSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    last_seen_at = serializers.DateTimeField(allow_null=True)


class WaitingJobSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    queue = serializers.CharField()
    submitted_at = serializers.DateTimeField()
    reason = ReasonSerializer(allow_null=True)


class AttentionSerializer(serializers.Serializer):
    """The first few of each; the lists behind them have all."""

    devices = SickDeviceSerializer(many=True)
    nodes = AwayNodeSerializer(many=True)
    jobs = WaitingJobSerializer(many=True)


class SetupSerializer(serializers.Serializer):
    """What a new pool needs before it is of use."""

    nodes = serializers.BooleanField()
    queues = serializers.BooleanField()
    jobs = serializers.BooleanField()


class OverviewSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    pools = PoolUsageSerializer(many=True)
    vendors = VendorUsageSerializer(many=True)
    totals = TotalUsageSerializer()
    nodes = NodeUsageSerializer(many=True)
    waiting = WaitingSerializer()
    unhealthy = UnhealthySerializer()
    attention = AttentionSerializer()
    setup = SetupSerializer()
    recent_events = JobEventSerializer(many=True)


class OverviewView(APIView):
    @extend_schema(responses=OverviewSerializer, operation_id="overview_retrieve")
    def get(self, request: Request) -> Response:
        given = read_given()
        if not latest.devices:
            latest.load_devices()
        overview = add_up(latest, given)
        events = list(visible_events(request.user).filter(kind="state").order_by("-id")[:30])
        nodes = list(Node.objects.select_related("pool").order_by("name", "id"))
        away = [node for node in nodes if node.state != NodeState.READY]
        sick = Device.objects.filter(present=True).exclude(health=DeviceHealth.HEALTHY)
        return Response(
            {
                "at": clock.now().isoformat(),
                **overview_payload(overview, given, visible_tenants(request.user)),
                "nodes": _nodes(nodes, overview.nodes),
                "waiting": _waiting(request),
                "unhealthy": {"devices": sick.count(), "nodes": len(away)},
                "attention": {
                    "devices": _devices(sick),
                    "nodes": _away(away),
                    "jobs": _longest_waiting(request),
                },
                "setup": {
                    "nodes": bool(nodes),
                    "queues": visible_queues(request.user).filter(children=None).exists(),
                    "jobs": bool(events) or visible_jobs(request.user).exists(),
                },
                "recent_events": JobEventSerializer(events[::-1], many=True).data,
            }
        )


def _nodes(nodes: list[Node], sums: dict[str, Sums]) -> list[dict[str, Any]]:
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
        for node in nodes
    ]


def _waiting(request: Request) -> dict[str, Any]:
    rows = (
        visible_jobs(request.user)
        .filter(state__in=["pending", "blocked", "held"])
        .select_related(None)
        .order_by()
    )
    milli: dict[str, int] = {}
    # A request that names only a vendor is for "any" of several classes; its document says which vendor's.
    named = rows.annotate(vendor=KT(FIRST_VENDOR), second=KT(SECOND_GROUP))
    for asked, vendor, second, count in named.values_list("asked", "vendor", "second").annotate(Count("id")):
        whose = f"{vendor}/{ANY}" if vendor and second is None else ANY
        for device_class, amount in asked.items():
            key = whose if device_class == ANY else device_class
            milli[key] = milli.get(key, 0) + amount * count
    found = rows.aggregate(jobs=Count("id"), oldest=Min("submitted_at"))
    oldest = found["oldest"]
    return {
        "jobs": found["jobs"],
        "milli": milli,
        "oldest_s": int((clock.now() - oldest).total_seconds()) if oldest else None,
    }


# What somebody should look at: the first few of each kind, the lists behind them have all.
def _devices(sick: QuerySet[Device]) -> list[dict[str, Any]]:
    return [
        {
            "id": device.pk,
            "model": device.model.name,
            "index": device.index,
            "node": device.node.name,
            "health": device.health,
        }
        for device in sick.select_related("model", "node")[:MOST_NAMED]
    ]


def _away(nodes: list[Node]) -> list[dict[str, Any]]:
    """The one that was heard last comes first: it is the news."""
    heard = sorted(nodes, key=lambda node: node.last_seen_at or NEVER, reverse=True)
    return [
        {"id": node.pk, "name": node.name, "last_seen_at": node.last_seen_at} for node in heard[:MOST_NAMED]
    ]


def _longest_waiting(request: Request) -> list[dict[str, Any]]:
    rows = visible_jobs(request.user).filter(state="pending").order_by("submitted_at", "id")
    return [
        {
            "id": job.pk,
            "name": job.name,
            "queue": job.queue.path,
            "submitted_at": job.submitted_at,
            "reason": with_message(job.reason),
        }
        for job in rows.defer("document")[:MOST_NAMED]
    ]


class HistorySerializer(serializers.Serializer):
    points = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="[unix_s, allocated_pct, used_pct, idle_pct, waiting_jobs, silent_cards], oldest first.",
    )


class OverviewHistoryView(APIView):
    """The last quarter of an hour of the overview's numbers, as far as this server process has run that long."""

    @extend_schema(
        responses=HistorySerializer,
        operation_id="overview_history",
        parameters=[OpenApiParameter("pool", str, description="Of this pool only; jobs are of all pools.")],
    )
    def get(self, request: Request) -> Response:
        pool = request.query_params.get("pool") or None
        return Response({"points": history.points(pool=pool, tenants=visible_tenants(request.user))})
