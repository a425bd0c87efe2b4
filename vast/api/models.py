"""What the console keeps for a person."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from vast.common import clock
from vast.common.ids import new_id


class SavedView(models.Model):
    """A list of the console as one person likes to see it: filters, order and columns under a name."""

    class Page(models.TextChoices):
        JOBS = "jobs"
        NODES = "nodes"
        DEVICES = "devices"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    page = models.CharField(max_length=16, choices=Page.choices)
    name = models.CharField(max_length=80)
    search = models.JSONField(default=dict, blank=True, help_text="The page's filters and order, as text.")
    columns = models.JSONField(null=True, blank=True, help_text="Keys of the columns; null = the usual ones.")
    is_default = models.BooleanField(
        default=False, help_text="Shown when the page is opened without filters."
    )
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ["page", "name", "id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "page", "name"], name="saved_view_once"),
            models.UniqueConstraint(
                fields=["user", "page"], condition=Q(is_default=True), name="one_default_view_per_page"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.page}: {self.name}"
