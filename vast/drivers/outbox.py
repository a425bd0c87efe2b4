"""Sending orders out of the outbox, and again until the other side has confirmed them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction

from vast.allocation.choices import AllocationState
from vast.allocation.models import Allocation
from vast.common import clock
from vast.common.broadcast import ORDERS, publish
from vast.common.models import OutboxMessage
from vast.common.rows import write

LIMIT = 1000
FRAME_ORDERS = 200
GRACE_S = 10
# An order that is not confirmed is repeated after 3, 6, 12, ... at most 60 seconds.
REPEAT_S, REPEAT_MOST_S = 3, 60


def send_due() -> int:
    """Send every order that is due. Safe to run many times at once. Returns how many were sent."""
    frames = _claim()
    for node, frame in frames:
        publish(ORDERS, {"node": str(node), "frame": frame})
    return sum(len(frame.get("tasks") or frame["allocations"]) for _, frame in frames)


@transaction.atomic
def _claim() -> list[tuple[UUID, dict[str, Any]]]:
    now = clock.now()
    due = list(
        OutboxMessage.objects.select_for_update(skip_locked=True)
        .filter(done_at=None, due_at__lte=now)
        .order_by("id")[:LIMIT]
    )
    if not due:
        return []
    allocations = {
        row.pk: row
        for row in Allocation.objects.filter(pk__in={m.allocation for m in due}).only("id", "state", "order")
    }
    launches: dict[UUID, list[Any]] = {}
    stops: dict[UUID, list[Any]] = {}
    for message in due:
        allocation = allocations.get(message.allocation)
        message.attempts += 1
        message.due_at = now + timedelta(seconds=min(REPEAT_S * 2 ** (message.attempts - 1), REPEAT_MOST_S))
        if allocation is None or allocation.state == AllocationState.ENDED:
            message.done_at = now
        elif message.kind == "stop":
            stops.setdefault(message.node, []).append({"allocation": str(allocation.pk), "grace_s": GRACE_S})
        elif allocation.state == AllocationState.STARTING:
            launches.setdefault(message.node, []).append(allocation.order)
        else:
            # Stopped before it was launched (the stop says all), or running already.
            message.done_at = now
    write(OutboxMessage, due, ["attempts", "due_at", "done_at"])
    return [
        *(
            (node, {"type": "launch", "tasks": part})
            for node, orders in launches.items()
            for part in _parts(orders)
        ),
        *(
            (node, {"type": "stop", "allocations": part})
            for node, orders in stops.items()
            for part in _parts(orders)
        ),
    ]


def _parts(orders: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(orders)
    while part := list(islice(rest, FRAME_ORDERS)):
        yield part
