"""Writers of the queue tree and its quotas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection, transaction
from django.db.models import Sum

from vast.common.errors import Conflict, FieldError, Invalid
from vast.common.sentences import say
from vast.common.wake import wake_scheduler
from vast.inventory.models import DeviceClass, Pool
from vast.queues.models import Queue, QueueQuota
from vast.queues.oversell import check_oversell, sold
from vast.tenancy.models import Tenant

_TREE_LOCK = 0x7A57_0001


def _lock_tree() -> None:
    """Changes to the tree are rare and their rules span rows: one at a time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_TREE_LOCK])


@transaction.atomic
def create_queue(
    *,
    pool: Pool,
    name: str,
    parent: Queue | None = None,
    tenant: Tenant | None = None,
    priority: int = 0,
    quotas: Iterable[Mapping[str, Any]] = (),
) -> Queue:
    """Add a queue. Raises Invalid, or Conflict when the parent has jobs (only leaves take jobs)."""
    _lock_tree()
    if parent is not None:
        if parent.pool_id != pool.pk:
            raise Invalid(errors=[FieldError("parent", "other_pool", say("queue.other_pool"))])
        if parent.jobs.exists():
            raise Conflict(say("queue.parent_has_jobs", queue=parent.path))
    path = f"{parent.path}/{name}" if parent else name
    if Queue.objects.filter(path=path).exists():
        raise Invalid(errors=[FieldError("name", "taken", say("queue.taken", queue=path))])
    queue = Queue.objects.create(
        pool=pool,
        parent=parent,
        tenant=tenant or (parent.tenant if parent else None),
        name=name,
        path=path,
        depth=parent.depth + 1 if parent else 0,
        priority=priority,
    )
    before = sold(pool)
    _write_quotas(queue, quotas)
    check_oversell(pool, before)
    wake_scheduler()
    return queue


@transaction.atomic
def change_queue(*, queue: Queue, **policy: Any) -> Queue:
    """``policy``: priority, state, mode, min_runtime_s, evictions_per_hour; what is not named stays."""
    for name, value in policy.items():
        setattr(queue, name, value)
    queue.save(update_fields=[*policy, *queue.touch()])
    wake_scheduler()
    return queue


@transaction.atomic
def delete_queue(*, queue: Queue) -> None:
    """Only a queue without children and without any job, ended ones included: history keeps its queue."""
    _lock_tree()
    if queue.children.exists():
        raise Conflict(say("queue.has_children", queue=queue.path))
    if queue.jobs.exists():
        raise Conflict(say("queue.has_jobs", queue=queue.path))
    queue.delete()
    wake_scheduler()


@transaction.atomic
def set_quotas(*, queue: Queue, quotas: Iterable[Mapping[str, Any]]) -> Queue:
    """Replace the queue's quotas. Raises Invalid when the tree's rules do not hold afterwards."""
    _lock_tree()
    queue = Queue.objects.select_for_update(of=("self",)).select_related("parent", "pool").get(pk=queue.pk)
    before = sold(queue.pool)
    queue.quotas.all().delete()
    _write_quotas(queue, quotas)
    check_oversell(queue.pool, before)
    queue.save(update_fields=queue.touch())
    wake_scheduler()
    return queue


def _write_quotas(queue: Queue, quotas: Iterable[Mapping[str, Any]]) -> None:
    rows = [
        QueueQuota(queue=queue, device_class_id=item["device_class"], **_amounts(item)) for item in quotas
    ]
    known = set(DeviceClass.objects.values_list("name", flat=True))
    errors, classes = [], set()
    for index, row in enumerate(rows):
        field = f"quotas[{index}]"
        if row.device_class_id not in known:
            errors.append(
                FieldError(
                    f"{field}.device_class",
                    "unknown",
                    say("queue.no_class", name=row.device_class_id),
                    sorted(known),
                )
            )
        if row.device_class_id in classes:
            errors.append(FieldError(f"{field}.device_class", "twice", say("queue.class_once")))
        classes.add(row.device_class_id)
        if row.limit is not None and row.limit < row.guaranteed:
            errors.append(
                FieldError(
                    f"{field}.limit", "below_guaranteed", say("queue.limit_below", guaranteed=row.guaranteed)
                )
            )
        if row.guaranteed < row.reserved:
            errors.append(
                FieldError(
                    f"{field}.reserved",
                    "above_guaranteed",
                    say("queue.reserved_above", guaranteed=row.guaranteed),
                )
            )
    if errors:
        raise Invalid(errors=errors)
    QueueQuota.objects.bulk_create(rows)
    _check_tree(queue)


def _amounts(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "reserved": item.get("reserved") or 0,
        "guaranteed": item.get("guaranteed") or 0,
        "limit": item.get("limit"),
        "weight": 100 if item.get("weight") is None else item["weight"],
    }


def _check_tree(queue: Queue) -> None:
    """The children's guarantees may not add up to more than their parent's, where the parent states one."""
    for parent, field in ((queue.parent, "guaranteed"), (queue, "children")):
        if parent is None:
            continue
        own = dict(parent.quotas.filter(guaranteed__gt=0).values_list("device_class", "guaranteed"))
        sums = dict(
            QueueQuota.objects.filter(queue__parent=parent)
            .values_list("device_class")
            .annotate(total=Sum("guaranteed"))
        )
        for device_class, total in sums.items():
            if device_class in own and total > own[device_class]:
                raise Invalid(
                    say(
                        "queue.over_parent",
                        queue=parent.path,
                        total=total,
                        name=device_class,
                        own=own[device_class],
                    ),
                    errors=[
                        FieldError(
                            f"quotas.{field}",
                            "over_parent",
                            say("queue.most_in_sum", own=own[device_class]),
                            own[device_class],
                        )
                    ],
                )
