from django.db import models


class QueueState(models.TextChoices):
    """A closed queue takes submissions but starts nothing."""

    OPEN = "open"
    CLOSED = "closed"


class QueueMode(models.TextChoices):
    """Whether later jobs may pass one that cannot start yet."""

    BACKFILL = "backfill"
    STRICT = "strict"
