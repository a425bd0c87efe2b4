from django.db import models


class AllocationState(models.TextChoices):
    """``starting``: committed, the task has not been reported started. ``stopping`` still fills its devices."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"


class HoldKind(models.TextChoices):
    """Seats of others that are leaving, or seats for a time that can be told."""

    HOLD = "hold"
    RESERVATION = "reservation"
