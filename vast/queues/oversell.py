"""How much of a pool is promised to its queues, next to what there is. Milli-cards by device class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from django.db.models import Count

from vast.common.errors import FieldError, Invalid
from vast.common.sentences import say
from vast.inventory.models import Device, Pool
from vast.queues.models import QueueQuota

CARD = 1000


def sold(pool: Pool) -> Counter[str]:
    """The sum of the roots' guarantees; where a queue states none, those below it count."""
    promised: dict[str, dict[str, int]] = {}
    children: dict[str | None, set[str]] = {}
    rows = QueueQuota.objects.filter(queue__pool=pool).order_by()
    for path, name, guaranteed in rows.values_list("queue__path", "device_class_id", "guaranteed"):
        promised.setdefault(path, {})[name] = guaranteed
        while path:
            above = path.rpartition("/")[0]
            children.setdefault(above, set()).add(path)
            path = above
    total: Counter[str] = Counter()
    for root in children.get("", ()):
        total.update(_promised(root, promised, children))
    return total


def _promised(
    path: str, promised: Mapping[str, Mapping[str, int]], children: Mapping[str | None, set[str]]
) -> Counter[str]:
    below: Counter[str] = Counter()
    for child in children.get(path, ()):
        below.update(_promised(child, promised, children))
    own = {name: amount for name, amount in promised.get(path, {}).items() if amount}
    return Counter({**below, **own})


def physical(pool: Pool) -> dict[str, int]:
    """What there is of each class, whether it is in order or not."""
    rows = Device.objects.filter(node__pool=pool, present=True).order_by()
    counts = rows.values_list("model__device_class_id").annotate(Count("id"))
    return {name: count * CARD for name, count in counts}


def check_oversell(pool: Pool, before: Mapping[str, int]) -> None:
    """Raises Invalid when more is promised than ``before`` and than the pool's ``oversell`` allows.

    A class of which the pool has no device yet is not bounded: queues may be set up before the nodes come.
    """
    there = physical(pool)
    for name, total in sorted(sold(pool).items()):
        most = there.get(name, 0) * pool.oversell // CARD
        if total > before.get(name, 0) and 0 < most < total:
            raise Invalid(
                say("queue.oversold", pool=pool.name, total=total, name=name, most=most),
                errors=[
                    FieldError("quotas.guaranteed", "oversold", say("queue.most_in_sum", own=most), most)
                ],
            )
