from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin

from vast.tenancy.models import ApiToken, Membership, Tenant, User


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["user", "tenant"]


@admin.register(User)
class UserAdmin(BaseUserAdmin):
    list_display = ["username", "display_name", "email", "is_active", "is_superuser", "last_login"]
    fieldsets = (*(BaseUserAdmin.fieldsets or ()), ("VAST", {"fields": ["display_name", "language"]}))
    inlines = [MembershipInline]


@admin.register(Tenant)
class TenantAdmin(admin.ModelAdmin):
    list_display = ["name", "display_name", "created_at"]
    search_fields = ["name", "display_name"]
    readonly_fields = ["id", "created_at", "updated_at", "version"]
    inlines = [MembershipInline]


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["user", "tenant", "role"]
    list_filter = ["role", "tenant"]
    search_fields = ["user__username", "tenant__name"]
    autocomplete_fields = ["user", "tenant"]


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Tokens are made over the API, which shows the secret once; here they are looked at and revoked."""

    list_display = ["name", "user", "prefix", "created_at", "expires_at", "last_used_at"]
    search_fields = ["name", "user__username", "prefix"]
    readonly_fields = ["id", "user", "prefix", "created_at", "last_used_at"]

    def has_add_permission(self, request: object) -> bool:
        return False
