"""Who may do what."""

from __future__ import annotations

import pytest

from tests.domain import Lab
from vast.tenancy.choices import Role
from vast.tenancy.models import Membership, Tenant, User
from vast.tenancy.policies import is_admin, may_control_job, may_submit, permissions, tenant_roles

pytestmark = pytest.mark.django_db


def someone(lab: Lab, role: Role) -> User:
    user = User.objects.create_user(f"a-{role}")
    Membership.objects.create(user=user, tenant=lab.tenant, role=role)
    return user


@pytest.mark.parametrize(
    ("role", "may"), [(Role.OWNER, True), (Role.APPROVER, True), (Role.MEMBER, True), (Role.VIEWER, False)]
)
def test_who_may_submit_in_a_tenant(lab: Lab, role: Role, may: bool) -> None:
    user = someone(lab, role)
    assert may_submit(user, lab.tenant.pk) is may
    assert ("jobs.submit" in permissions(user)) is may


@pytest.mark.parametrize(
    ("role", "own", "others"),
    [
        (Role.OWNER, True, True),
        (Role.APPROVER, True, False),
        (Role.MEMBER, True, False),
        (Role.VIEWER, False, False),
    ],
)
def test_who_may_control_a_job(lab: Lab, role: Role, own: bool, others: bool) -> None:
    user = someone(lab, role)
    assert may_control_job(user, owner_id=user.pk, tenant_id=lab.tenant.pk) is own
    assert may_control_job(user, owner_id=lab.member.pk, tenant_id=lab.tenant.pk) is others


def test_a_role_counts_in_its_own_tenant_only(lab: Lab) -> None:
    owner, other = someone(lab, Role.OWNER), Tenant.objects.create(name="other")
    assert not may_submit(owner, other.pk)
    assert not may_submit(owner, None)
    assert not may_control_job(owner, owner_id=owner.pk, tenant_id=other.pk)
    assert tenant_roles(owner) == {lab.tenant.pk: "owner"}


def test_an_admin_may_everything_until_deactivated(lab: Lab) -> None:
    assert may_submit(lab.admin, None)
    assert may_control_job(lab.admin, owner_id=lab.member.pk, tenant_id=None)
    assert "admin" in permissions(lab.admin)
    lab.admin.is_active = False
    assert not is_admin(lab.admin)
    assert not may_submit(lab.admin, lab.tenant.pk)


def test_someone_without_a_tenant_may_only_look(lab: Lab) -> None:
    nobody = User.objects.create_user("nobody")
    assert permissions(nobody) == ["jobs.read", "devices.read", "nodes.read", "queues.read"]
