"""Abstract models, and the outbox: what has to be told to somebody outside once a transaction is committed."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from vast.common import clock
from vast.common.ids import new_id


class Entity(models.Model):
    """A thing with a public id. ``version`` grows with every change (ETag)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(default=clock.now, editable=False, db_index=True)
    version = models.PositiveIntegerField(default=1, editable=False)

    class Meta:
        abstract = True

    def touch(self) -> list[str]:
        """Note that the row changes; returns the fields to save besides the changed ones."""
        self.version += 1
        self.updated_at = clock.now()
        return ["version", "updated_at"]


class OutboxMessage(models.Model):
    """An order for a driver, written in the transaction that decides it.

    A row is done when the other side has confirmed that it holds the order durably. Until then it is repeated whenever
    ``due_at`` has passed; delivering twice is harmless because orders are keyed by the allocation's id.
    """

    kind = models.CharField(max_length=16)
    node = models.UUIDField()
    allocation = models.UUIDField()
    created_at = models.DateTimeField(default=clock.now)
    due_at = models.DateTimeField(default=clock.now)
    attempts = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="outbox_due", condition=Q(done_at=None)),
            models.Index(fields=["allocation"], name="outbox_allocation"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.allocation}"
