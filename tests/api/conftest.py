from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from rest_framework.test import APIClient

from tests.domain import Lab
from vast.queues.models import Queue
from vast.queues.services import create_queue
from vast.tenancy.choices import Role
from vast.tenancy.models import Membership, Tenant, User


@pytest.fixture
def mia(lab: Lab, as_user: Callable[[User], APIClient]) -> APIClient:
    """A member of the tenant vision."""
    return as_user(lab.member)


@pytest.fixture
def root(lab: Lab, as_user: Callable[[User], APIClient]) -> APIClient:
    """A platform admin."""
    return as_user(lab.admin)


@dataclass(frozen=True)
class Other:
    """Another tenant with one member and one queue."""

    user: User
    queue: Queue
    api: APIClient


@pytest.fixture
def other(lab: Lab, as_user: Callable[[User], APIClient]) -> Other:
    tenant = Tenant.objects.create(name="robotics")
    user = User.objects.create_user("otto", password="a long enough password")
    Membership.objects.create(user=user, tenant=tenant, role=Role.MEMBER)
    return Other(user, create_queue(pool=lab.pool, name="secret", tenant=tenant), as_user(user))


@pytest.fixture
def viewer(lab: Lab, as_user: Callable[[User], APIClient]) -> APIClient:
    user = User.objects.create_user("vera", password="a long enough password")
    Membership.objects.create(user=user, tenant=lab.tenant, role=Role.VIEWER)
    return as_user(user)
