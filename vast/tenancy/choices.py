from django.db import models


class Role(models.TextChoices):
    """What a member may do inside one tenant."""

    OWNER = "owner"
    APPROVER = "approver"
    MEMBER = "member"
    VIEWER = "viewer"
