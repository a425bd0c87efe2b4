"""Reads of the inventory with what is given out of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Count, Prefetch, Q, QuerySet

from vast.inventory.models import Device, Node


def nodes() -> QuerySet[Node]:
    # Counting drops the model's own order, and without one a page may repeat what another has shown.
    return (
        Node.objects.select_related("cluster", "pool")
        .annotate(devices_count=Count("devices", filter=Q(devices__present=True)))
        .order_by("name", "id")
    )


def devices(slices: QuerySet[Any] | None = None) -> QuerySet[Device]:
    """Present devices; with ``slices`` the live slices of each are prefetched into ``live_slices``."""
    rows = Device.objects.filter(present=True).select_related("node__pool", "model__device_class")
    if slices is not None:
        rows = rows.prefetch_related(Prefetch("slices", queryset=slices, to_attr="live_slices"))
    return rows


def device_ids_by_node(node_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = {}
    for node, device in Device.objects.filter(node__in=list(node_ids), present=True).values_list(
        "node_id", "id"
    ):
        found.setdefault(node, []).append(device)
    return found
