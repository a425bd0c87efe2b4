"""The queue tree and what each queue may hold."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from vast.common.models import Entity
from vast.inventory.models import DeviceClass, Pool
from vast.queues.choices import QueueMode, QueueState
from vast.tenancy.models import Tenant


class Queue(Entity):
    """A node of a pool's queue tree; leaves take jobs. ``path`` is the names from the root, by slash."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="queues")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="children"
    )
    tenant = models.ForeignKey(Tenant, null=True, blank=True, on_delete=models.PROTECT, related_name="queues")
    name = models.SlugField(max_length=63)
    path = models.CharField(max_length=255, unique=True, editable=False)
    depth = models.PositiveSmallIntegerField(default=0, editable=False)
    priority = models.IntegerField(default=0)
    state = models.CharField(max_length=16, choices=QueueState.choices, default=QueueState.OPEN)
    mode = models.CharField(max_length=16, choices=QueueMode.choices, default=QueueMode.BACKFILL)
    min_runtime_s = models.PositiveIntegerField(
        default=0, help_text="Jobs that run shorter than this are not stopped for others."
    )
    evictions_per_hour = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How often one job may be stopped for others; empty = no bound."
    )

    class Meta:
        ordering = ["path"]

    def __str__(self) -> str:
        return self.path


class QueueQuota(models.Model):
    """What one queue may hold of one device class, in milli-cards. ``limit`` null = no limit."""

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="quotas")
    device_class = models.ForeignKey(DeviceClass, on_delete=models.PROTECT, related_name="+")
    reserved = models.PositiveIntegerField(default=0)
    guaranteed = models.PositiveIntegerField(default=0)
    limit = models.PositiveIntegerField(null=True, blank=True)
    weight = models.PositiveIntegerField(default=100)

    class Meta:
        ordering = ["device_class"]
        constraints = [
            models.UniqueConstraint(fields=["queue", "device_class"], name="quota_once"),
            models.CheckConstraint(
                condition=Q(limit=None) | Q(limit__gte=F("guaranteed")), name="limit_covers_guarantee"
            ),
            models.CheckConstraint(
                condition=Q(guaranteed__gte=F("reserved")), name="guarantee_covers_reserved"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.queue} {self.device_class}"
