"""Nodes, devices and pools as the engine sees them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from vast.allocation.models import Slice
from vast.inventory.choices import DeviceHealth, NodeState
from vast.inventory.models import Device as DeviceRow
from vast.inventory.models import DeviceModel, TopologyLevel
from vast.inventory.models import Node as NodeRow
from vast.inventory.models import Pool as PoolRow
from vast.inventory.oversubscription import own_ratios, pool_ratios, ratios
from vast.scheduling.snapshot import Device, Node, Pool
from vast.vendors.registry import rule_for, templates_for


def ratios_of_models() -> tuple[Any, ...]:
    """The over-subscription of the models that have one of their own."""
    rows = DeviceModel.objects.exclude(cores_ratio=None, memory_ratio=None).order_by("id")
    return tuple(rows.values_list("id", "cores_ratio", "memory_ratio"))


def load_pools() -> tuple[Pool, ...]:
    levels: dict[UUID, dict[str, int]] = {}
    rows = TopologyLevel.objects.values_list("cluster__nodes__pool", "name", "rank").distinct()
    for pool, name, rank in rows:
        levels.setdefault(pool, {}).setdefault(name, rank)
    return tuple(
        Pool(
            id=str(row.pk),
            min_slice_charge=row.min_slice_charge,
            levels=tuple(sorted(levels.get(row.pk, {}), key=lambda name: levels[row.pk][name])),
            oversell=row.oversell,
            decay=row.decay,
            hold_timeout=row.hold_timeout_s,
            reserve_after=row.reserve_after_s,
            max_reservations=row.max_reservations,
            grow_after=row.grow_after_s,
            moves_per_hour=row.moves_per_hour,
        )
        for row in PoolRow.objects.order_by("name")
    )


def load_nodes() -> tuple[Node, ...]:
    devices: dict[UUID, list[Device]] = {}
    rows = (
        # A device that is gone but still given out stays in the picture, so that what is held on it adds up.
        DeviceRow.objects.filter(
            Q(present=True) | Exists(Slice.objects.filter(device=OuterRef("pk"), live=True))
        )
        .order_by("node_id", "index", "id")
        .values_list(
            "id",
            "node_id",
            "model__vendor",
            "model__name",
            "model__device_class_id",
            "memory_mib",
            "max_slices",
            "health",
            "cordoned",
            "numa",
            "link_group",
            "present",
            "model__cores_ratio",
            "model__memory_ratio",
        )
    )
    given = {
        row.pk: (own_ratios(row), pool_ratios(row.pool)) for row in NodeRow.objects.select_related("pool")
    }
    for (
        pk,
        node,
        vendor,
        model,
        device_class,
        memory,
        slices,
        health,
        cordoned,
        numa,
        link_group,
        present,
        model_cores,
        model_memory,
    ) in rows:
        of_node, of_pool = given[node]
        ratio = ratios(of_node, (model_cores, model_memory), of_pool)
        devices.setdefault(node, []).append(
            Device(
                id=str(pk),
                vendor=vendor,
                model=model,
                device_class=device_class,
                memory_mib=memory,
                max_slices=slices,
                rule=rule_for(vendor, model),
                healthy=present and health == DeviceHealth.HEALTHY,
                cordoned=cordoned,
                numa=numa,
                link_group=link_group,
                cores_ratio=ratio.cores,
                memory_ratio=ratio.memory,
                **templates_for(vendor, model),
            )
        )
    return tuple(
        Node(
            id=str(row.pk),
            name=row.name,
            pool=str(row.pool_id),
            cpu_millis=row.cpu_millis,
            memory_mib=row.memory_mib,
            task_slots=row.task_slots,
            devices=tuple(devices.get(row.pk, ())),
            ready=row.state == NodeState.READY,
            cordoned=row.cordoned,
            simulated=row.simulated,
            labels=row.labels,
            domains=row.location,
        )
        for row in NodeRow.objects.order_by("name", "id")
    )
