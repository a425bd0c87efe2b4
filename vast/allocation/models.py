"""Which task holds what: slices of devices on one node, for one attempt of one task."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from vast.allocation.choices import AllocationState, HoldKind
from vast.common import clock
from vast.common.models import Entity
from vast.inventory.models import Device, Node
from vast.jobs.models import Job, Task
from vast.queues.models import Queue


class Allocation(Entity):
    """Slices bound to one task. ``order`` is what the driver was told, so that repeating it tells the same."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="allocations")
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="allocations")
    queue = models.ForeignKey(Queue, on_delete=models.PROTECT, related_name="+")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="allocations")
    group = models.CharField(max_length=63)
    state = models.CharField(max_length=16, choices=AllocationState.choices, default=AllocationState.STARTING)
    cpu_millis = models.PositiveIntegerField(default=0)
    host_memory_mib = models.PositiveIntegerField(default=0)
    master_port = models.PositiveIntegerField(null=True, blank=True)
    order = models.JSONField(default=dict, editable=False)
    accepted_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["task"], condition=~Q(state="ended"), name="one_live_allocation_per_task"
            )
        ]
        indexes = [
            models.Index(fields=["node"], name="allocation_live_node", condition=~Q(state="ended")),
            models.Index(fields=["queue"], name="allocation_live_queue", condition=~Q(state="ended")),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Slice(models.Model):
    """A part of one device: compute in percent, memory in MiB, charge in milli-cards."""

    allocation = models.ForeignKey(Allocation, on_delete=models.CASCADE, related_name="slices")
    device = models.ForeignKey(Device, on_delete=models.PROTECT, related_name="slices")
    cores = models.PositiveSmallIntegerField()
    memory_mib = models.PositiveIntegerField()
    exclusive = models.BooleanField(default=False)
    partition = models.CharField(max_length=40, blank=True)
    charge = models.PositiveIntegerField()
    live = models.BooleanField(default=True, help_text="Until the allocation has ended.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["allocation", "device"], name="slice_once"),
            models.UniqueConstraint(
                fields=["device"],
                condition=Q(live=True, exclusive=True),
                name="one_exclusive_slice_per_device",
            ),
        ]
        indexes = [models.Index(fields=["device"], name="slice_live", condition=Q(live=True))]

    def __str__(self) -> str:
        return f"{self.cores} % {self.memory_mib} MiB of {self.device_id}"


class Hold(models.Model):
    """Seats that are kept for one job: ``seats`` as the engine placed them, ``victims`` the tasks told to leave."""

    job = models.OneToOneField(Job, primary_key=True, on_delete=models.CASCADE, related_name="hold")
    queue = models.ForeignKey(Queue, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=HoldKind.choices, default=HoldKind.HOLD)
    seats = models.JSONField()
    victims = models.JSONField(default=list, blank=True)
    rule = models.CharField(max_length=16, blank=True)
    since = models.DateTimeField(default=clock.now)
    starts_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["since", "job"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.job_id}"
