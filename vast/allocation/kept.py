"""Holds and reservations: as rows, and as the engine sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from vast.allocation.choices import HoldKind
from vast.allocation.models import Hold as HoldRow
from vast.scheduling.snapshot import HeldSlice, Hold, Placement, Reservation


def as_json(seats: Iterable[Placement]) -> list[dict[str, Any]]:
    return [asdict(seat) for seat in seats]


def _seats(rows: Iterable[Mapping[str, Any]]) -> tuple[Placement, ...]:
    return tuple(
        Placement(
            task=row["task"],
            node=row["node"],
            slices=tuple(HeldSlice(**part) for part in row["slices"]),
            cpu_millis=row["cpu_millis"],
            host_memory_mib=row["host_memory_mib"],
        )
        for row in rows
    )


def kept_seats() -> tuple[tuple[Hold, ...], tuple[Reservation, ...]]:
    """All holds and all reservations, the oldest first."""
    holds, reservations = [], []
    for row in HoldRow.objects.order_by("since", "job"):
        job, queue, since = str(row.job_id), str(row.queue_id), int(row.since.timestamp())
        if row.kind == HoldKind.HOLD:
            holds.append(Hold(job, queue, _seats(row.seats), since, tuple(row.victims), row.rule))
        else:
            starts_at = int(row.starts_at.timestamp()) if row.starts_at else None
            reservations.append(Reservation(job, queue, _seats(row.seats), starts_at, since))
    return tuple(holds), tuple(reservations)


def moment(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC)
