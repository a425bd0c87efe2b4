"""Writers of the inventory."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from vast.common import clock
from vast.common.errors import FieldError, Invalid, NotAllowed
from vast.common.sentences import say
from vast.common.wake import wake_scheduler
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
    TopologyLevel,
)
from vast.inventory.reported import Reported, ReportedDevice, ReportedLink, parse_inventory
from vast.vendors.registry import find_model, model_or_default, vendors

NODE_KEY_PREFIX = "vastn_"


class BadEnrolmentToken(NotAllowed):
    code = "bad_enrolment_token"
    status = 401
    title = say("title.bad_enrolment_token")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def install_catalogue() -> None:
    """Bring device classes and models in line with ``vast/vendors``. Idempotent."""
    models = [(vendor.key, model) for vendor in vendors().values() for model in vendor.models]
    classes = {model.device_class for _, model in models}
    DeviceClass.objects.bulk_create(
        [DeviceClass(name=name) for name in sorted(classes)], ignore_conflicts=True
    )
    DeviceModel.objects.bulk_create(
        [
            DeviceModel(
                vendor=key, name=model.name, memory_mib=model.memory_mib, device_class_id=model.device_class
            )
            for key, model in models
        ],
        ignore_conflicts=True,
    )


def create_enrolment_token(
    *, name: str, pool: Pool | None = None, expires_at: datetime | None = None
) -> tuple[EnrolmentToken, str]:
    """A token with which agents may add nodes, and its secret, which is shown once."""
    secret = f"vaste_{secrets.token_urlsafe(32)}"
    token = EnrolmentToken.objects.create(name=name, pool=pool, digest=_digest(secret), expires_at=expires_at)
    return token, secret


@transaction.atomic
def enrol(*, token: str, nodes: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Add nodes, or give known ones a new key (the old one is void).

    Raises BadEnrolmentToken, or NotAllowed when the token is bound to another pool.
    """
    grant = EnrolmentToken.objects.select_related("pool").filter(digest=_digest(token)).first()
    if grant is None or (grant.expires_at and grant.expires_at <= clock.now()):
        raise BadEnrolmentToken
    return [_enrol_one(grant, request) for request in nodes]


def _enrol_one(grant: EnrolmentToken, request: Mapping[str, str]) -> dict[str, str]:
    pool_name = request.get("pool") or (grant.pool.name if grant.pool else "default")
    if grant.pool and grant.pool.name != pool_name:
        raise NotAllowed(say("enrol.pool_only", pool=grant.pool.name))
    cluster, _ = Cluster.objects.get_or_create(name=request.get("cluster") or "local")
    pool, _ = Pool.objects.get_or_create(name=pool_name)
    node, _ = Node.objects.get_or_create(cluster=cluster, name=request["name"], defaults={"pool": pool})
    if grant.pool and node.pool_id != grant.pool_id:
        # Its tasks and their logs would be in the hands of whoever holds a token for another pool.
        raise NotAllowed(say("enrol.other_pool", node=node.name, pool=grant.pool.name))
    key = f"{NODE_KEY_PREFIX}{node.pk.hex}_{secrets.token_urlsafe(32)}"
    node.key_digest = _digest(key)
    node.save(update_fields=["key_digest", *node.touch()])
    return {"name": node.name, "id": str(node.pk), "key": key}


def node_by_key(key: str) -> Node | None:
    """The node whose agent signs in with this key."""
    if not key.startswith(NODE_KEY_PREFIX):
        return None
    hexadecimal = key.removeprefix(NODE_KEY_PREFIX).partition("_")[0]
    try:
        node = Node.objects.get(pk=UUID(hex=hexadecimal))
    except (ValueError, Node.DoesNotExist):
        return None
    return node if secrets.compare_digest(node.key_digest, _digest(key)) else None


def seen(node_ids: Iterable[UUID]) -> list[UUID]:
    """Note that these nodes' agents were heard now; nodes that were away become ready.

    Returns those whose key has become void: they were declared lost while they were silent, and count as such until
    they have enrolled anew.
    """
    ids = list(node_ids)
    now = clock.now()
    known = Node.objects.filter(pk__in=ids).exclude(key_digest="")
    known.update(last_seen_at=now)
    returned = known.filter(state=NodeState.UNREACHABLE).update(
        state=NodeState.READY, version=F("version") + 1, updated_at=now
    )
    if returned:
        wake_scheduler()
    return list(Node.objects.filter(pk__in=ids, key_digest="").values_list("pk", flat=True))


@transaction.atomic
def mark_unreachable(*, silent_for: timedelta) -> int:
    """Nodes not heard for so long take no new tasks; what runs there is left alone. Returns how many changed."""
    now = clock.now()
    changed = Node.objects.filter(state=NodeState.READY, last_seen_at__lt=now - silent_for).update(
        state=NodeState.UNREACHABLE, version=F("version") + 1, updated_at=now
    )
    if changed:
        wake_scheduler()
    return changed


@transaction.atomic
def apply_inventory(*, node_id: UUID, agent_version: str, inventory: Mapping[str, Any]) -> Node:
    """Bring the node's rows in line with what its agent reports. Raises Invalid for a malformed report."""
    node = Node.objects.select_for_update().get(pk=node_id)
    digest = _digest(json.dumps(inventory, sort_keys=True))
    now = clock.now()
    if digest != node.inventory_digest:
        reported = parse_inventory(inventory)
        _apply_node(node, reported)
        _apply_devices(node, reported.devices)
        _apply_links(node, reported.links)
        node.inventory_digest = digest
    node.touch()
    node.agent_version, node.state, node.last_seen_at = agent_version, NodeState.READY, now
    node.save()
    wake_scheduler()
    return node


def _apply_node(node: Node, reported: Reported) -> None:
    for field in ("address", "cpu_millis", "memory_mib", "task_slots", "simulated", "location"):
        if field in reported.model_fields_set:
            setattr(node, field, getattr(reported, field))
    node.reported_labels = reported.labels
    node.labels = {**node.reported_labels, **node.given_labels}
    levels = [
        TopologyLevel(cluster=node.cluster, name=level, rank=rank)
        for rank, level in enumerate(reported.levels)
    ]
    # All nodes of a cluster report the same levels, often at the same moment.
    TopologyLevel.objects.bulk_create(
        levels, update_conflicts=True, unique_fields=["cluster", "name"], update_fields=["rank"]
    )


def _apply_devices(node: Node, reported: list[ReportedDevice]) -> None:
    models = {
        (m.vendor, m.name): m for m in DeviceModel.objects.filter(vendor__in={d.vendor for d in reported})
    }
    names = {(d.vendor, d.model): find_model(d.vendor, d.model) for d in reported}
    known = {device.uuid: device for device in node.devices.select_for_update()}
    changed: list[Device] = []
    new: list[Device] = []
    for item in reported:
        device = known.pop(item.uuid, None) or Device(node=node, uuid=item.uuid)
        fresh = device._state.adding
        listed = names[item.vendor, item.model]
        device.model = models.get((item.vendor, listed.name if listed else item.model)) or _unlisted_model(
            item
        )
        for field in ("index", "memory_mib", "max_slices", "numa", "bus_id", "link_group", "health"):
            setattr(device, field, getattr(item, field))
        device.present = True
        (new if fresh else changed).append(device)
    for device in known.values():
        device.present = False
        changed.append(device)
    for device in changed:
        device.touch()
    Device.objects.bulk_create(new, batch_size=500)
    Device.objects.bulk_update(changed, DEVICE_FIELDS, batch_size=500)


DEVICE_FIELDS = [
    "model",
    "index",
    "memory_mib",
    "max_slices",
    "numa",
    "bus_id",
    "link_group",
    "health",
    "present",
    "version",
    "updated_at",
]


def _unlisted_model(item: ReportedDevice) -> DeviceModel:
    """A product that ``vast/vendors`` does not list: only whole devices of it are given out."""
    if item.vendor not in vendors():
        raise Invalid(
            errors=[
                FieldError("devices.vendor", "unknown", f"unknown vendor {item.vendor}", sorted(vendors()))
            ]
        )
    stand_in = model_or_default(item.vendor, item.model, item.memory_mib)
    device_class, _ = DeviceClass.objects.get_or_create(name=stand_in.device_class)
    model, _ = DeviceModel.objects.get_or_create(
        vendor=item.vendor,
        name=item.model,
        defaults={"memory_mib": item.memory_mib, "device_class": device_class},
    )
    return model


def _apply_links(node: Node, links: list[ReportedLink]) -> None:
    ids = dict(node.devices.values_list("uuid", "id"))
    DeviceLink.objects.filter(a__node=node).delete()
    DeviceLink.objects.bulk_create(
        [
            DeviceLink(a_id=ids[link.a], b_id=ids[link.b], kind=link.kind, bandwidth_gbps=link.bandwidth_gbps)
            for link in links
            if link.a in ids and link.b in ids
        ],
        batch_size=1000,
    )


@transaction.atomic
def report_health(*, node_id: UUID, health: Mapping[str, str]) -> None:
    """Change device health from telemetry; only rows that differ are written."""
    changed = 0
    for uuid, verdict in health.items():
        if verdict in DeviceHealth.values:
            changed += (
                Device.objects.filter(node=node_id, uuid=uuid)
                .exclude(health=verdict)
                .update(health=verdict, version=F("version") + 1, updated_at=clock.now())
            )
    if changed:
        wake_scheduler()


@transaction.atomic
def change_node(*, node: Node, **changes: Any) -> Node:
    """``changes``: cordoned, labels, cores_ratio, memory_ratio (None = no ratio of its own); what is not named stays.

    ``labels`` given here stay, and overrule what the agent reports under the same names.
    """
    if "labels" in changes:
        labels = changes.pop("labels")
        node.given_labels = {k: v for k, v in labels.items() if node.reported_labels.get(k) != v}
        node.labels = {**node.reported_labels, **node.given_labels}
    for name, value in changes.items():
        setattr(node, name, value)
    node.save(update_fields=["labels", "given_labels", *changes, *node.touch()])
    wake_scheduler()
    return node


@transaction.atomic
def change_model(*, model: DeviceModel, **ratios: int | None) -> DeviceModel:
    """``ratios``: cores_ratio, memory_ratio of over-subscription; None = as the pool has it."""
    for name, value in ratios.items():
        setattr(model, name, value)
    model.save(update_fields=[*ratios])
    wake_scheduler()
    return model


@transaction.atomic
def cordon_device(*, device: Device, cordoned: bool) -> Device:
    device.cordoned = cordoned
    device.save(update_fields=["cordoned", *device.touch()])
    wake_scheduler()
    return device
