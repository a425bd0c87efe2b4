from django.db import models


class QueueState(models.TextChoices):
    """A closed queue takes submissions but starts nothing."""

    OPEN = "open"
    CLOSED = "closed"
