"""Adding up readings and allocations for the overview: per pool, vendor, node and in all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Sum

from vast.allocation.models import Slice
from vast.inventory.models import Pool
from vast.jobs.models import Job
from vast.telemetry.latest import Known, Latest

STALE_S = 30.0


@dataclass(slots=True)
class Fate:
    """Where the compute of a set of devices is, in percent of one card; the parts add up to all of it."""

    busy: float = 0.0
    idle: float = 0.0
    free: float = 0.0
    cordoned: float = 0.0
    down: float = 0.0

    def add(self, device: Known, cores: int, util_pct: float) -> None:
        """``cores``: percent given out. A device that is down counts whole: nobody can count on any part of it."""
        if device.use == "down":
            self.down += 100
            return
        held = min(cores, 100)
        busy = min(held, util_pct)
        self.busy += busy
        self.idle += held - busy
        if device.use == "cordoned":
            self.cordoned += 100 - held
        else:
            self.free += 100 - held

    def as_milli(self) -> dict[str, int]:
        return {
            "busy": round(self.busy * 10),
            "idle": round(self.idle * 10),
            "free": round(self.free * 10),
            "cordoned": round(self.cordoned * 10),
            "down": round(self.down * 10),
        }


@dataclass(slots=True)
class Sums:
    """Sums over a set of devices. Percentages are over the devices that report."""

    devices: int = 0
    devices_reporting: int = 0
    util: float = 0.0
    memory_used_mib: int = 0
    memory_mib: int = 0
    power_w: float = 0.0
    cores_allocated: int = 0
    memory_allocated_mib: int = 0
    devices_allocated: int = 0
    fate: Fate = field(default_factory=Fate)

    def as_dict(self) -> dict[str, Any]:
        reporting = self.devices_reporting
        return {
            "devices": self.devices,
            "devices_reporting": reporting,
            "devices_allocated": self.devices_allocated,
            "util_pct": round(self.util / reporting, 1) if reporting else None,
            "memory_used_mib": self.memory_used_mib,
            "memory_mib": self.memory_mib,
            "cores_allocated_pct": round(self.cores_allocated / self.devices, 1) if self.devices else 0.0,
            "memory_allocated_mib": self.memory_allocated_mib,
            "power_w": round(self.power_w),
            "fate": self.fate.as_milli(),
        }


@dataclass(frozen=True, slots=True)
class Given:
    """What the database says is given out, and how many jobs each tenant has in each state."""

    slices: Mapping[str, tuple[int, int]]
    pools: Mapping[str, str]
    jobs: Mapping[tuple[str, str], int]

    def jobs_of(self, tenants: Collection[str] | None) -> dict[str, int]:
        """Jobs by state, of these tenants; of all for None."""
        counts: Counter[str] = Counter()
        for (tenant, state), count in self.jobs.items():
            if tenants is None or tenant in tenants:
                counts[state] += count
        return dict(counts)


def read_given() -> Given:
    """Cores (percent) and memory (MiB) given out by device id."""
    rows = (
        Slice.objects.filter(live=True)
        .order_by()
        .values_list("device_id")
        .annotate(Sum("cores"), Sum("memory_mib"))
    )
    waiting_or_running = Job.objects.filter(
        state__in=["held", "blocked", "pending", "starting", "running", "stopping"]
    )
    return Given(
        slices={str(device): (cores, memory) for device, cores, memory in rows},
        pools={str(pk): name for pk, name in Pool.objects.values_list("id", "name")},
        jobs={
            (str(tenant), state): count
            for tenant, state, count in waiting_or_running.order_by()
            .values_list("queue__tenant_id", "state")
            .annotate(Count("id"))
        },
    )


@dataclass(slots=True)
class Overview:
    pools: dict[str, Sums]
    vendors: dict[str, Sums]
    nodes: dict[str, Sums]
    totals: Sums


def add_up(latest: Latest, given: Given) -> Overview:
    """One pass over all devices."""
    now = time.time()
    overview = Overview({}, {}, {}, Sums())
    for device in latest.devices.values():
        reading = latest.readings.get(device.id)
        fresh = reading if reading is not None and now - reading.at <= STALE_S else None
        cores, memory = given.slices.get(device.id, (0, 0))
        for sums in (
            overview.pools.setdefault(device.pool, Sums()),
            overview.vendors.setdefault(device.vendor, Sums()),
            overview.nodes.setdefault(device.node, Sums()),
            overview.totals,
        ):
            sums.devices += 1
            sums.memory_mib += device.memory_mib
            sums.cores_allocated += cores
            sums.memory_allocated_mib += memory
            sums.devices_allocated += bool(memory or cores)
            sums.fate.add(device, cores, (fresh.util_pct if fresh else None) or 0.0)
            if fresh is not None:
                sums.devices_reporting += fresh.util_pct is not None
                sums.util += fresh.util_pct or 0.0
                sums.memory_used_mib += fresh.memory_used_mib or 0
                sums.power_w += fresh.power_w or 0.0
    return overview


def overview_payload(overview: Overview, given: Given, tenants: Collection[str] | None) -> dict[str, Any]:
    """``tenants``: whose jobs the reader may count; None = everybody's."""
    return {
        "pools": [
            {"id": pk, "name": given.pools.get(pk, pk), **sums.as_dict()}
            for pk, sums in sorted(overview.pools.items(), key=lambda item: given.pools.get(item[0], ""))
        ],
        "vendors": [{"vendor": key, **sums.as_dict()} for key, sums in sorted(overview.vendors.items())],
        "totals": {**overview.totals.as_dict(), "jobs": given.jobs_of(tenants)},
    }
