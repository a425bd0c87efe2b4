from __future__ import annotations

from django.contrib import admin

from vast.allocation.models import Allocation, Hold, Slice
from vast.common.adminsite import ReadOnlyAdmin, ReadOnlyInline


class SliceInline(ReadOnlyInline):
    model = Slice
    fields = ["device", "cores", "memory_mib", "exclusive", "charge", "live"]
    show_change_link = False


@admin.register(Allocation)
class AllocationAdmin(ReadOnlyAdmin):
    list_display = ["id", "job", "group", "node", "state", "created_at", "started_at", "ended_at"]
    list_filter = ["state", "node"]
    list_select_related = ["job", "node"]
    search_fields = ["=id", "=job__id", "job__name", "node__name"]
    inlines = [SliceInline]


@admin.register(Slice)
class SliceAdmin(ReadOnlyAdmin):
    list_display = ["device", "allocation", "cores", "memory_mib", "exclusive", "charge", "live"]
    list_filter = ["live", "exclusive", "device__model"]
    list_select_related = ["device", "allocation"]
    search_fields = ["device__uuid", "=allocation__id"]


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    list_display = ["job", "kind", "queue", "rule", "since", "starts_at"]
    list_filter = ["kind", "rule"]
    list_select_related = ["job", "queue"]
    search_fields = ["=job__id", "job__name", "queue__path"]
