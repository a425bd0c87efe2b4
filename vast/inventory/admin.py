"""The inventory's records. What agents report is read-only; what people decide (cordon, labels, pool) is not."""

from __future__ import annotations

from typing import Any

from django.contrib import admin

from vast.common import clock
from vast.common.adminsite import ReadOnlyAdmin, ReadOnlyInline
from vast.common.wake import wake_scheduler
from vast.inventory.models import (
    Cluster,
    Device,
    DeviceClass,
    DeviceLink,
    DeviceModel,
    EnrolmentToken,
    Node,
    Pool,
    TopologyLevel,
)


class Scheduled(admin.ModelAdmin):
    """A change here concerns the scheduler: the row's version grows and the scheduler is woken."""

    def save_model(self, request: Any, obj: Any, form: Any, change: bool) -> None:
        obj.version += 1
        obj.updated_at = clock.now()
        super().save_model(request, obj, form, change)
        wake_scheduler()


class TopologyLevelInline(admin.TabularInline):
    model = TopologyLevel
    extra = 0


@admin.register(Cluster)
class ClusterAdmin(admin.ModelAdmin):
    list_display = ["name", "kind", "created_at"]
    list_filter = ["kind"]
    search_fields = ["name"]
    readonly_fields = ["id", "created_at", "updated_at", "version"]
    inlines = [TopologyLevelInline]


@admin.register(Pool)
class PoolAdmin(Scheduled):
    list_display = ["name", "description", "created_at"]
    search_fields = ["name"]
    readonly_fields = ["id", "created_at", "updated_at", "version"]


@admin.register(DeviceClass)
class DeviceClassAdmin(admin.ModelAdmin):
    list_display = ["name", "description"]
    search_fields = ["name"]


@admin.register(DeviceModel)
class DeviceModelAdmin(admin.ModelAdmin):
    list_display = ["name", "vendor", "memory_mib", "device_class"]
    list_filter = ["vendor", "device_class"]
    search_fields = ["name", "vendor"]


class DeviceInline(ReadOnlyInline):
    model = Device
    fields = ["index", "uuid", "model", "memory_mib", "health", "cordoned", "present"]


@admin.register(Node)
class NodeAdmin(Scheduled):
    list_display = [
        "name",
        "cluster",
        "pool",
        "state",
        "cordoned",
        "simulated",
        "last_seen_at",
        "agent_version",
    ]
    list_filter = ["state", "cordoned", "simulated", "pool", "cluster"]
    list_select_related = ["cluster", "pool"]
    search_fields = ["name", "address"]
    readonly_fields = [
        "id",
        "name",
        "cluster",
        "state",
        "simulated",
        "address",
        "cpu_millis",
        "memory_mib",
        "task_slots",
        "location",
        "labels",
        "reported_labels",
        "given_labels",
        "agent_version",
        "last_seen_at",
        "created_at",
        "updated_at",
        "version",
    ]
    inlines = [DeviceInline]

    def has_add_permission(self, request: Any) -> bool:
        return False


@admin.register(Device)
class DeviceAdmin(Scheduled):
    list_display = ["uuid", "node", "index", "model", "memory_mib", "health", "cordoned", "present"]
    list_filter = ["model__vendor", "model", "health", "cordoned", "present", "node__pool"]
    list_select_related = ["node", "model"]
    search_fields = ["uuid", "node__name", "bus_id"]
    fields = [
        "uuid",
        "node",
        "index",
        "model",
        "memory_mib",
        "max_slices",
        "numa",
        "bus_id",
        "link_group",
        "health",
        "present",
        "cordoned",
    ]
    readonly_fields = [f for f in fields if f != "cordoned"]

    def has_add_permission(self, request: Any) -> bool:
        return False


@admin.register(DeviceLink)
class DeviceLinkAdmin(ReadOnlyAdmin):
    list_display = ["a", "b", "kind", "bandwidth_gbps"]
    list_filter = ["kind"]
    list_select_related = ["a", "b"]
    search_fields = ["a__uuid", "b__uuid"]


@admin.register(EnrolmentToken)
class EnrolmentTokenAdmin(admin.ModelAdmin):
    list_display = ["name", "pool", "created_at", "expires_at"]
    search_fields = ["name"]
    readonly_fields = ["id", "created_at"]

    def has_add_permission(self, request: Any) -> bool:
        return False
