from __future__ import annotations

import django_filters
from django.db.models import Exists, OuterRef, QuerySet

from vast.allocation.models import Slice
from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import Device, Node
from vast.telemetry.latest import latest

MODES = [("empty", "empty"), ("shared", "shared"), ("exclusive", "exclusive")]
LOADS = [("held", "held"), ("busy", "busy"), ("idle", "idle")]
# Below this utilisation in percent a held card counts as idle.
IDLE_BELOW = 5


class NodeFilter(django_filters.FilterSet):
    pool = django_filters.CharFilter(field_name="pool__name")
    cluster = django_filters.CharFilter(field_name="cluster__name")
    state = django_filters.MultipleChoiceFilter(choices=NodeState.choices)
    vendor = django_filters.CharFilter(method="by_vendor")
    cordoned = django_filters.BooleanFilter()
    seen_since = django_filters.IsoDateTimeFilter(field_name="last_seen_at", lookup_expr="gte")
    ordering = django_filters.OrderingFilter(fields=["name", "state", "last_seen_at", "created_at"])

    class Meta:
        model = Node
        fields = ["pool", "cluster", "state", "vendor", "cordoned", "seen_since"]

    def by_vendor(self, rows: QuerySet[Node], name: str, value: str) -> QuerySet[Node]:
        return rows.filter(
            Exists(Device.objects.filter(node=OuterRef("pk"), present=True, model__vendor=value))
        )


class DeviceFilter(django_filters.FilterSet):
    pool = django_filters.CharFilter(field_name="node__pool__name")
    node = django_filters.UUIDFilter(field_name="node_id")
    vendor = django_filters.CharFilter(field_name="model__vendor")
    model = django_filters.CharFilter(field_name="model__name")
    device_class = django_filters.CharFilter(field_name="model__device_class_id")
    health = django_filters.MultipleChoiceFilter(choices=DeviceHealth.choices)
    mode = django_filters.ChoiceFilter(choices=MODES, method="by_mode")
    load = django_filters.ChoiceFilter(
        choices=LOADS, method="by_load", help_text="held = given out; busy = works now; idle = held, no work."
    )
    ordering = django_filters.OrderingFilter(
        fields=[
            ("node__name", "node"),
            ("model__name", "model"),
            ("model__vendor", "vendor"),
            ("memory_mib", "memory_mib"),
            ("index", "index"),
            ("health", "health"),
        ]
    )

    class Meta:
        model = Device
        fields = ["pool", "node", "vendor", "model", "device_class", "health", "mode", "load", "cordoned"]

    def by_mode(self, rows: QuerySet[Device], name: str, value: str) -> QuerySet[Device]:
        held = Slice.objects.filter(device=OuterRef("pk"), live=True)
        if value == "empty":
            return rows.filter(~Exists(held))
        return rows.filter(Exists(held.filter(exclusive=value == "exclusive")))

    def by_load(self, rows: QuerySet[Device], name: str, value: str) -> QuerySet[Device]:
        held = Exists(Slice.objects.filter(device=OuterRef("pk"), live=True))
        if value == "held":
            return rows.filter(held)
        loads = {pk: reading["util_pct"] for pk in latest.devices if (reading := latest.of_device(pk))}
        known = {pk: load for pk, load in loads.items() if load is not None}
        if value == "busy":
            return rows.filter(pk__in=[pk for pk, load in known.items() if load >= IDLE_BELOW])
        return rows.filter(held, pk__in=[pk for pk, load in known.items() if load < IDLE_BELOW])
