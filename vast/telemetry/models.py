"""What devices were measured to do."""

from __future__ import annotations

from django.db import models

from vast.inventory.models import Device


class DeviceSample(models.Model):
    """One stored reading. Null = the vendor's tool does not tell (not zero)."""

    device = models.ForeignKey(
        Device, on_delete=models.CASCADE, related_name="samples", db_constraint=False, db_index=False
    )
    at = models.DateTimeField()
    util_pct = models.FloatField(null=True)
    memory_used_mib = models.PositiveIntegerField(null=True)
    temperature_c = models.FloatField(null=True)
    power_w = models.FloatField(null=True)

    class Meta:
        ordering = ["device", "at"]
        indexes = [
            models.Index(fields=["device", "at"], name="sample_device_at"),
            models.Index(fields=["at"], name="sample_at"),
        ]

    def __str__(self) -> str:
        return f"{self.device_id} {self.at}"
