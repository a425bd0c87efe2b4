from __future__ import annotations

from typing import Any

from rest_framework import serializers

from vast.inventory.api.serializers import RefSerializer
from vast.inventory.models import Pool
from vast.queues.choices import QueueState
from vast.queues.models import Queue, QueueQuota
from vast.queues.usage import Usage
from vast.tenancy.models import Tenant

MOST_MILLI_CARDS = 2_000_000_000
# What an admin may change of a queue, quotas aside.
POLICY = {"priority", "state", "mode", "min_runtime_s", "evictions_per_hour"}


class QueueQuotaSerializer(serializers.ModelSerializer):
    """Milli-cards (1000 = one card) of one device class."""

    device_class = serializers.CharField(source="device_class_id", max_length=63)
    reserved = serializers.IntegerField(min_value=0, max_value=MOST_MILLI_CARDS, required=False, default=0)
    guaranteed = serializers.IntegerField(min_value=0, max_value=MOST_MILLI_CARDS, required=False, default=0)
    limit = serializers.IntegerField(
        min_value=0, max_value=MOST_MILLI_CARDS, required=False, allow_null=True, default=None
    )
    weight = serializers.IntegerField(min_value=0, max_value=1_000_000, required=False, default=100)

    class Meta:
        model = QueueQuota
        fields = ["device_class", "guaranteed", "limit", "weight", "reserved"]


class QueueQuotasSerializer(serializers.Serializer):
    quotas = QueueQuotaSerializer(many=True)


class QueueSerializer(serializers.ModelSerializer):
    pool = RefSerializer(read_only=True)
    tenant = RefSerializer(read_only=True, allow_null=True)
    parent = serializers.SerializerMethodField()
    quotas = QueueQuotaSerializer(many=True, read_only=True)
    state = serializers.ChoiceField(choices=QueueState.choices, required=False)
    held = serializers.SerializerMethodField()
    pending_milli = serializers.SerializerMethodField()
    pending_jobs = serializers.SerializerMethodField()
    running_jobs = serializers.SerializerMethodField()
    is_leaf = serializers.BooleanField(read_only=True)

    class Meta:
        model = Queue
        fields = [
            "id",
            "name",
            "path",
            "parent",
            "pool",
            "tenant",
            "priority",
            "state",
            "mode",
            "min_runtime_s",
            "evictions_per_hour",
            "quotas",
            "held",
            "pending_jobs",
            "pending_milli",
            "running_jobs",
            "depth",
            "is_leaf",
            "created_at",
            "version",
        ]
        read_only_fields = [f for f in fields if f not in POLICY]
        extra_kwargs = {
            "priority": {"min_value": -1000, "max_value": 1000},
            "min_runtime_s": {"max_value": 31_536_000},
            "evictions_per_hour": {"min_value": 0, "max_value": 1000},
        }

    def _usage(self, queue: Queue) -> Usage:
        usage: Usage = self.context.get("usage", {}).get(queue.pk) or Usage()
        return usage

    def get_parent(self, queue: Queue) -> str | None:
        visible = self.context.get("visible")
        shown = queue.parent_id if visible is None or queue.parent_id in visible else None
        return str(shown) if shown else None

    def get_held(self, queue: Queue) -> dict[str, int]:
        return dict(self._usage(queue).held)

    def get_pending_milli(self, queue: Queue) -> dict[str, int]:
        return dict(self._usage(queue).waiting)

    def get_pending_jobs(self, queue: Queue) -> int:
        return self._usage(queue).pending_jobs

    def get_running_jobs(self, queue: Queue) -> int:
        return self._usage(queue).running_jobs


class NewQueueSerializer(serializers.Serializer):
    name = serializers.SlugField(max_length=63)
    pool = serializers.SlugRelatedField(slug_field="name", queryset=Pool.objects.all())
    parent = serializers.PrimaryKeyRelatedField(
        queryset=Queue.objects.all(), required=False, allow_null=True, default=None
    )
    tenant = serializers.SlugRelatedField(
        slug_field="name", queryset=Tenant.objects.all(), required=False, allow_null=True, default=None
    )
    priority = serializers.IntegerField(min_value=-1000, max_value=1000, required=False, default=0)
    quotas = QueueQuotaSerializer(many=True, required=False)

    def validate_quotas(self, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return plain_quotas(value)


def plain_quotas(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As the services take them: the class under its own name."""
    return [
        {**{k: v for k, v in row.items() if k != "device_class_id"}, "device_class": row["device_class_id"]}
        for row in rows
    ]
