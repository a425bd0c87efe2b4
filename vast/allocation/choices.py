from django.db import models


class AllocationState(models.TextChoices):
    """``starting``: committed, the task has not been reported started. ``stopping`` still fills its devices."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"
