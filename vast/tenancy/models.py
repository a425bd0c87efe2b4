"""People, tenants, who belongs where, and API tokens."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models

from vast.common import clock
from vast.common.ids import new_id
from vast.common.models import Entity
from vast.tenancy.choices import Role


class User(AbstractUser):
    """A person or a machine. ``is_superuser`` = platform admin."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    display_name = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=8, blank=True, help_text="en or zh; empty follows the browser.")


class Tenant(Entity):
    """A group of people with queues of its own. Tenants never see each other."""

    name = models.SlugField(max_length=63, unique=True)
    display_name = models.CharField(max_length=120, blank=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="tenants")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one tenant."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "tenant"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.tenant}"


class ApiToken(models.Model):
    """A secret that acts for its user. Only a SHA-256 of the secret is kept: it has 256 bits of its own."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
