from django.db import models


class ClusterKind(models.TextChoices):
    SITE = "site"
    KUBERNETES = "kubernetes"


class NodeState(models.TextChoices):
    READY = "ready"
    UNREACHABLE = "unreachable"


class DeviceHealth(models.TextChoices):
    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"
    UNKNOWN = "unknown"
