from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from vast.common import clock
from vast.common.sentences import say
from vast.tenancy.choices import Role
from vast.tenancy.models import ApiToken, Tenant, User
from vast.tenancy.policies import is_admin, permissions


class LoginSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1024, trim_whitespace=False, style={"input_type": "password"})


class MyTenantSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)


class MeSerializer(serializers.ModelSerializer):
    """The person who is signed in, and what the console may offer."""

    is_admin = serializers.SerializerMethodField()
    tenants = serializers.SerializerMethodField()
    permissions = serializers.SerializerMethodField()
    language = serializers.ChoiceField(choices=["", "en", "zh"], required=False)

    class Meta:
        model = User
        fields = ["id", "username", "display_name", "is_admin", "language", "tenants", "permissions"]
        read_only_fields = ["id", "username"]

    def get_is_admin(self, user: User) -> bool:
        return is_admin(user)

    def get_tenants(self, user: User) -> MyTenantSerializer(many=True):  # type: ignore[valid-type]
        rows = user.memberships.select_related("tenant").order_by("tenant__name")
        return [{"id": row.tenant_id, "name": row.tenant.name, "role": row.role} for row in rows]

    def get_permissions(self, user: User) -> list[str]:
        return permissions(user)


class TokenSerializer(serializers.ModelSerializer):
    class Meta:
        model = ApiToken
        fields = ["id", "name", "prefix", "created_at", "expires_at", "last_used_at"]
        read_only_fields = ["id", "prefix", "created_at", "last_used_at"]

    def validate_expires_at(self, value: datetime | None) -> datetime | None:
        if value is not None and value <= clock.now():
            raise serializers.ValidationError(str(say("token.in_the_past")))
        return value


class NewTokenSerializer(TokenSerializer):
    """A token just made; ``token`` is shown this once."""

    token = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        fields: list[Any] = [*TokenSerializer.Meta.fields, "token"]


class TenantSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tenant
        fields = ["id", "name", "display_name", "created_at"]
