"""What each queue used in the past, the older the less: milli-card seconds, halved every half-life of its pool."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import DurationField, Expression, ExpressionWrapper, F, FloatField, Q, Sum, Value
from django.db.models.functions import Coalesce, Exp, Extract, Least

from vast.allocation.models import Slice
from vast.inventory.models import Pool
from vast.queues.models import Queue

# After so many half-lives less than a thousandth of a use is left.
REMEMBERED = 10
# PostgreSQL refuses the exponential of less than about minus 745.
UNDERFLOWS = 700.0

Use = dict[UUID, dict[str, int]]


def past_use(now: datetime) -> Use:
    """By queue and device class, inner queues with all below them; only pools with usage decay. One query a pool."""
    found: dict[UUID, Counter[str]] = {}
    parents = dict(Queue.objects.filter(pool__decay__gt=0).order_by().values_list("id", "parent_id"))
    for pool in Pool.objects.filter(decay__gt=0):
        for queue, name, used in _of_pool(pool, now):
            _add(found, parents, queue, name, round(used))
    return {queue: dict(amounts) for queue, amounts in found.items()}


def _of_pool(pool: Pool, now: datetime) -> list[tuple[UUID, str, float]]:
    half_life = pool.usage_half_life_s
    since = now - timedelta(seconds=REMEMBERED * half_life)
    rows = (
        Slice.objects.filter(allocation__queue__pool=pool)
        .filter(Q(allocation__ended_at=None) | Q(allocation__ended_at__gt=since))
        .order_by()
        .values_list("allocation__queue_id", "device__model__device_class_id")
    )
    rate = math.log(2) / half_life
    weight = _faded(Coalesce(F("allocation__ended_at"), Value(now)), now, rate) - _faded(
        F("allocation__created_at"), now, rate
    )
    return [
        (queue, name, max(0.0, used) / rate)
        for queue, name, used in rows.annotate(used=Sum(F("charge") * weight, output_field=FloatField()))
    ]


def _faded(moment: Expression | F, now: datetime, rate: float) -> Exp:
    """What is left now of a use at that moment, between 0 and 1."""
    age = ExpressionWrapper(Value(now) - moment, output_field=DurationField())
    seconds = Least(
        Extract(age, "epoch", output_field=FloatField()), Value(UNDERFLOWS / rate), output_field=FloatField()
    )
    return Exp(seconds * Value(-rate), output_field=FloatField())


def _add(
    found: dict[UUID, Counter[str]],
    parents: Mapping[UUID, UUID | None],
    queue: UUID,
    name: str,
    used: int,
) -> None:
    step: UUID | None = queue
    while step is not None:
        found.setdefault(step, Counter())[name] += used
        step = parents.get(step)
