from django.contrib import admin

from vast.common.adminsite import ReadOnlyAdmin
from vast.telemetry.models import DeviceSample


@admin.register(DeviceSample)
class DeviceSampleAdmin(ReadOnlyAdmin):
    list_display = ["device", "at", "util_pct", "memory_used_mib", "temperature_c", "power_w"]
    list_select_related = ["device"]
    search_fields = ["device__uuid"]
    date_hierarchy = "at"
    show_full_result_count = False
