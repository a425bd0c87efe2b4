from __future__ import annotations

from django.contrib import admin

from vast.api.models import SavedView


@admin.register(SavedView)
class SavedViewAdmin(admin.ModelAdmin):
    list_display = ["name", "page", "user", "is_default", "created_at"]
    list_filter = ["page", "is_default"]
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    readonly_fields = ["id", "created_at"]
