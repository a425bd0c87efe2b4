"""Reads of queues, scoped to the reader."""

from __future__ import annotations

from django.db.models import Func, QuerySet, TextField, Value

from vast.queues.models import Queue
from vast.tenancy.models import User
from vast.tenancy.policies import is_admin, tenant_roles

# Name by name: as plain text ``a-b`` would come between ``a`` and ``a/c``.
DEPTH_FIRST = Func("path", Value("/"), function="string_to_array", output_field=TextField())


def visible_queues(user: User) -> QuerySet[Queue]:
    queues = Queue.objects.select_related("pool", "tenant", "parent")
    return queues if is_admin(user) else queues.filter(tenant__in=tenant_roles(user).keys())


def is_leaf(queue: Queue) -> bool:
    return not queue.children.exists()
