from __future__ import annotations

from typing import Any

from django.contrib import admin

from vast.common.adminsite import ReadOnlyInline
from vast.queues.models import Queue, QueueQuota


class QueueQuotaInline(ReadOnlyInline):
    """Quotas have rules that span the tree: they are changed through the API and the console."""

    model = QueueQuota
    fields = ["device_class", "reserved", "guaranteed", "limit", "weight"]
    show_change_link = False


@admin.register(Queue)
class QueueAdmin(admin.ModelAdmin):
    list_display = ["path", "pool", "tenant", "state", "priority", "created_at"]
    list_filter = ["state", "pool", "tenant"]
    list_select_related = ["pool", "tenant"]
    search_fields = ["path"]
    readonly_fields = [
        "id",
        "pool",
        "parent",
        "name",
        "path",
        "depth",
        "state",
        "priority",
        "created_at",
        "updated_at",
        "version",
    ]
    inlines = [QueueQuotaInline]

    def has_add_permission(self, request: Any) -> bool:
        return False


@admin.register(QueueQuota)
class QueueQuotaAdmin(admin.ModelAdmin):
    list_display = ["queue", "device_class", "reserved", "guaranteed", "limit", "weight"]
    list_filter = ["device_class"]
    list_select_related = ["queue", "device_class"]
    search_fields = ["queue__path"]
    readonly_fields = ["queue", "device_class", "reserved", "guaranteed", "limit", "weight"]

    def has_add_permission(self, request: Any) -> bool:
        return False
