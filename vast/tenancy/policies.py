"""Who may do what: the one place that is asked."""

from __future__ import annotations

from uuid import UUID

from vast.tenancy.choices import Role
from vast.tenancy.models import Membership, User

SUBMIT_ROLES = frozenset({Role.OWNER, Role.APPROVER, Role.MEMBER})


def is_admin(user: User) -> bool:
    return bool(user.is_active and user.is_superuser)


def tenant_roles(user: User) -> dict[UUID, str]:
    """The user's role by tenant id; read once a request."""
    cached = getattr(user, "_tenant_roles", None)
    if cached is None:
        cached = dict(Membership.objects.filter(user=user).values_list("tenant_id", "role"))
        user._tenant_roles = cached  # type: ignore[attr-defined]
    return cached


def visible_tenants(user: User) -> frozenset[str] | None:
    """Ids of the tenants whose work the user may see; None = all of them."""
    return None if is_admin(user) else frozenset(str(pk) for pk in tenant_roles(user))


def may_submit(user: User, tenant_id: UUID | None) -> bool:
    """Submitting and controlling own jobs in a tenant's queues."""
    return is_admin(user) or (tenant_id is not None and tenant_roles(user).get(tenant_id) in SUBMIT_ROLES)


def may_control_job(user: User, *, owner_id: UUID, tenant_id: UUID | None) -> bool:
    """The owner of a job, an owner of its tenant, or an admin."""
    if is_admin(user):
        return True
    role = tenant_roles(user).get(tenant_id) if tenant_id else None
    return role == Role.OWNER or (role in SUBMIT_ROLES and owner_id == user.pk)


def permissions(user: User) -> list[str]:
    """What the console may offer: it hides what the user cannot do."""
    granted = ["jobs.read", "devices.read", "nodes.read", "queues.read"]
    if is_admin(user) or any(role in SUBMIT_ROLES for role in tenant_roles(user).values()):
        granted.append("jobs.submit")
    if is_admin(user):
        granted += ["nodes.write", "devices.write", "queues.write", "pools.write", "enrolment.write", "admin"]
    return granted
