from __future__ import annotations

from typing import Any

from rest_framework import serializers

from vast.allocation.models import Slice
from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import (
    Cluster,
    Device,
    DeviceClass,
    DeviceLink,
    DeviceModel,
    EnrolmentToken,
    Node,
    Pool,
)
from vast.inventory.oversubscription import ratios_of
from vast.telemetry.latest import latest


class RefSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()


class ClusterSerializer(serializers.ModelSerializer):
    levels = serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)

    class Meta:
        model = Cluster
        fields = ["id", "name", "kind", "levels", "created_at"]


class PoolSerializer(serializers.ModelSerializer):
    class Meta:
        model = Pool
        fields = [
            "id",
            "name",
            "description",
            "cores_ratio",
            "memory_ratio",
            "min_slice_charge",
            "oversell",
            "decay",
            "usage_half_life_s",
            "hold_timeout_s",
            "reserve_after_s",
            "max_reservations",
            "grow_after_s",
            "moves_per_hour",
            "created_at",
        ]
        read_only_fields = ["id", "created_at"]
        extra_kwargs = {
            "min_slice_charge": {"min_value": 1, "max_value": 1000},
            "decay": {"max_value": 10_000},
            "hold_timeout_s": {"min_value": 10, "max_value": 86_400},
            "reserve_after_s": {"max_value": 31_536_000},
            "max_reservations": {"max_value": 1000},
            "grow_after_s": {"max_value": 86_400},
            "moves_per_hour": {"max_value": 1_000_000},
        }


class DeviceClassSerializer(serializers.ModelSerializer):
    class Meta:
        model = DeviceClass
        fields = ["name", "description"]


class DeviceModelSerializer(serializers.ModelSerializer):
    device_class = serializers.CharField(source="device_class_id", read_only=True)

    class Meta:
        model = DeviceModel
        fields = ["id", "vendor", "name", "memory_mib", "device_class", "cores_ratio", "memory_ratio"]
        read_only_fields = ["vendor", "name", "memory_mib"]


class NodeLiveSerializer(serializers.Serializer):
    util_pct = serializers.FloatField(allow_null=True)
    memory_used_mib = serializers.IntegerField(allow_null=True)
    power_w = serializers.FloatField(allow_null=True)
    at = serializers.FloatField(help_text="Unix seconds.")


class NodeAllocatedSerializer(serializers.Serializer):
    cores_pct = serializers.FloatField(help_text="Percent of all the node's devices together.")
    memory_mib = serializers.IntegerField()


WRITABLE_OF_NODE = {"cordoned", "labels", "cores_ratio", "memory_ratio"}


class NodeSerializer(serializers.ModelSerializer):
    cluster = RefSerializer(read_only=True)
    pool = RefSerializer(read_only=True)
    devices_count = serializers.IntegerField(read_only=True)
    allocated = serializers.SerializerMethodField()
    live = serializers.SerializerMethodField()
    state = serializers.ChoiceField(choices=NodeState.choices, read_only=True)
    labels = serializers.DictField(child=serializers.CharField(max_length=63), required=False)
    location = serializers.DictField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Node
        fields = [
            "id",
            "name",
            "cluster",
            "pool",
            "state",
            "cordoned",
            "simulated",
            "address",
            "cpu_millis",
            "memory_mib",
            "task_slots",
            "labels",
            "location",
            "cores_ratio",
            "memory_ratio",
            "agent_version",
            "last_seen_at",
            "devices_count",
            "allocated",
            "live",
            "created_at",
            "version",
        ]
        read_only_fields = [f for f in fields if f not in WRITABLE_OF_NODE]

    def get_allocated(self, node: Node) -> NodeAllocatedSerializer:
        cores, memory = self.context.get("given", {}).get(node.pk, (0, 0))
        count = getattr(node, "devices_count", 0)
        return {"cores_pct": round(cores / count, 1) if count else 0.0, "memory_mib": memory}  # type: ignore[return-value]

    def get_live(self, node: Node) -> NodeLiveSerializer(allow_null=True):  # type: ignore[valid-type]
        ids = self.context.get("device_ids", {}).get(node.pk, ())
        readings = [r for r in (latest.of_device(str(pk)) for pk in ids) if r is not None]
        if not readings:
            return None
        loads = [r["util_pct"] for r in readings if r["util_pct"] is not None]
        return {
            "util_pct": round(sum(loads) / len(loads), 1) if loads else None,
            "memory_used_mib": sum(r["memory_used_mib"] or 0 for r in readings),
            "power_w": round(sum(r["power_w"] or 0 for r in readings)),
            "at": max(r["at"] for r in readings),
        }


class SliceJobSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()


class DeviceSliceSerializer(serializers.Serializer):
    """A slice of a device. ``allocation``, ``task``, ``job`` and ``queue`` are null when another tenant holds it."""

    allocation = serializers.UUIDField(allow_null=True)
    task = serializers.UUIDField(allow_null=True)
    job = SliceJobSerializer(allow_null=True)
    queue = serializers.CharField(allow_null=True)
    cores = serializers.IntegerField()
    memory_mib = serializers.IntegerField()
    exclusive = serializers.BooleanField()
    charge = serializers.IntegerField()
    state = serializers.CharField()


class DeviceHistorySerializer(DeviceSliceSerializer):
    """Who held a part of the device, and when. ``since``: its task's start, or while that is to come its placement."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Slice) -> dict[str, Any]:
        allocation = instance.allocation
        return super().to_representation(
            slice_payload(instance, self.context.get("tenants"))
            | {"since": allocation.started_at or allocation.created_at, "until": allocation.ended_at}
        )


class DeviceLiveSerializer(serializers.Serializer):
    util_pct = serializers.FloatField(allow_null=True)
    memory_used_mib = serializers.IntegerField(allow_null=True)
    temperature_c = serializers.FloatField(allow_null=True)
    power_w = serializers.FloatField(allow_null=True)
    at = serializers.FloatField(help_text="Unix seconds.")


class DeviceSerializer(serializers.ModelSerializer):
    node = RefSerializer(read_only=True)
    pool = serializers.CharField(source="node.pool.name", read_only=True)
    vendor = serializers.CharField(source="model.vendor", read_only=True)
    model = serializers.CharField(source="model.name", read_only=True)
    device_class = serializers.CharField(source="model.device_class_id", read_only=True)
    health = serializers.ChoiceField(choices=DeviceHealth.choices, read_only=True)
    mode = serializers.SerializerMethodField()
    slices = serializers.SerializerMethodField()
    slices_used = serializers.SerializerMethodField()
    cores_allocated = serializers.SerializerMethodField()
    memory_allocated_mib = serializers.SerializerMethodField()
    cores_limit = serializers.SerializerMethodField(help_text="Percent that may be promised of the device.")
    memory_limit_mib = serializers.SerializerMethodField(help_text="MiB that may be promised of the device.")
    live = serializers.SerializerMethodField()

    class Meta:
        model = Device
        fields = [
            "id",
            "uuid",
            "node",
            "pool",
            "vendor",
            "model",
            "device_class",
            "index",
            "bus_id",
            "numa",
            "link_group",
            "memory_mib",
            "max_slices",
            "health",
            "cordoned",
            "mode",
            "slices",
            "slices_used",
            "cores_allocated",
            "memory_allocated_mib",
            "cores_limit",
            "memory_limit_mib",
            "live",
            "version",
        ]
        read_only_fields = [f for f in fields if f != "cordoned"]

    def get_mode(self, device: Device) -> str:
        held = device.live_slices  # type: ignore[attr-defined]
        return "empty" if not held else "exclusive" if any(piece.exclusive for piece in held) else "shared"

    def get_slices(self, device: Device) -> DeviceSliceSerializer(many=True):  # type: ignore[valid-type]
        visible = self.context.get("tenants")
        return [slice_payload(piece, visible) for piece in device.live_slices]  # type: ignore[attr-defined]

    def get_slices_used(self, device: Device) -> int:
        return len(device.live_slices)  # type: ignore[attr-defined]

    def get_cores_allocated(self, device: Device) -> int:
        return sum(piece.cores for piece in device.live_slices)  # type: ignore[attr-defined]

    def get_memory_allocated_mib(self, device: Device) -> int:
        return sum(piece.memory_mib for piece in device.live_slices)  # type: ignore[attr-defined]

    def get_cores_limit(self, device: Device) -> int:
        return ratios_of(device).cores_of(100)

    def get_memory_limit_mib(self, device: Device) -> int:
        return ratios_of(device).memory_of(device.memory_mib)

    def get_live(self, device: Device) -> DeviceLiveSerializer(allow_null=True):  # type: ignore[valid-type]
        return latest.of_device(str(device.pk))


def slice_payload(piece: Slice, visible: Any) -> dict[str, Any]:
    """``visible``: ids of the reader's tenants, or None for one who sees all."""
    allocation = piece.allocation
    mine = visible is None or allocation.queue.tenant_id in visible
    return {
        "allocation": allocation.pk if mine else None,
        "task": allocation.task_id if mine else None,
        "job": {"id": allocation.job_id, "name": allocation.job.name} if mine else None,
        "queue": allocation.queue.path if mine else None,
        "cores": piece.cores,
        "memory_mib": piece.memory_mib,
        "exclusive": piece.exclusive,
        "charge": piece.charge,
        "state": allocation.state,
    }


class DeviceLinkSerializer(serializers.ModelSerializer):
    a = serializers.UUIDField(source="a_id")
    b = serializers.UUIDField(source="b_id")

    class Meta:
        model = DeviceLink
        fields = ["a", "b", "kind", "bandwidth_gbps"]


class SamplesSerializer(serializers.Serializer):
    points = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(allow_null=True)),
        help_text="[unix_s, util_pct, memory_used_mib, temperature_c, power_w], oldest first; null = not told.",
    )


class EnrolNodeSerializer(serializers.Serializer):
    name = serializers.RegexField(r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", max_length=120)
    cluster = serializers.SlugField(max_length=63, required=False, default="local")
    # Empty = the token's pool; a slug field's pattern would not admit its own default.
    pool = serializers.RegexField(
        r"^[-a-zA-Z0-9_]*$", max_length=63, required=False, allow_blank=True, default=""
    )


class EnrolSerializer(serializers.Serializer):
    token = serializers.CharField(max_length=200)
    nodes = EnrolNodeSerializer(many=True, allow_empty=False, max_length=2000)


class EnrolledNodeSerializer(serializers.Serializer):
    name = serializers.CharField()
    id = serializers.UUIDField()
    key = serializers.CharField(help_text="Shown once.")


class EnrolledSerializer(serializers.Serializer):
    nodes = EnrolledNodeSerializer(many=True)


class EnrolmentTokenSerializer(serializers.ModelSerializer):
    pool = serializers.SlugRelatedField(
        slug_field="name", queryset=Pool.objects.all(), required=False, allow_null=True
    )

    class Meta:
        model = EnrolmentToken
        fields = ["id", "name", "pool", "created_at", "expires_at"]
        read_only_fields = ["id", "created_at"]


class NewEnrolmentTokenSerializer(EnrolmentTokenSerializer):
    token = serializers.CharField(read_only=True)

    class Meta(EnrolmentTokenSerializer.Meta):
        fields: list[Any] = [*EnrolmentTokenSerializer.Meta.fields, "token"]
