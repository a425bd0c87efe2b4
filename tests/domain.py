"""Fixtures that read like the domain: a pool with nodes, queues with quotas, jobs that are submitted, scheduled, run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from rest_framework.test import APIClient

from vast.allocation.choices import AllocationState
from vast.allocation.cycle import Cycle
from vast.allocation.models import Allocation, Slice
from vast.allocation.services import Report, report
from vast.inventory.models import Cluster, Node, Pool
from vast.inventory.services import apply_inventory, install_catalogue
from vast.jobs.document import parse
from vast.jobs.models import Job
from vast.jobs.services import submit
from vast.queues.models import Queue
from vast.queues.services import create_queue
from vast.tenancy.choices import Role
from vast.tenancy.models import Membership, Tenant, User

A100 = ("nvidia", "A100-SXM4-80GB", 81_920)


@dataclass
class Lab:
    """A small pool, one tenant and its people; everything a test does to it goes through the services."""

    pool: Pool
    tenant: Tenant
    admin: User
    member: User
    queues: dict[str, Queue] = field(default_factory=dict)
    cycle: Cycle = field(default_factory=lambda: Cycle(budget=1_000_000, deliver=lambda: None))

    def node(self, name: str, *, devices: int = 1, model: tuple[str, str, int] = A100, **about: Any) -> Node:
        cluster, _ = Cluster.objects.get_or_create(name="lab")
        node = Node.objects.create(name=name, cluster=cluster, pool=self.pool, key_digest="of the test")
        vendor, product, memory = model
        inventory = {
            "address": "127.0.0.1",
            "cpu_millis": 64_000,
            "memory_mib": 262_144,
            "task_slots": 1000,
            "simulated": True,
            "labels": {},
            "location": {},
            "levels": [],
            "links": [],
            "devices": [
                {
                    "uuid": f"{name}-{i}",
                    "index": i,
                    "vendor": vendor,
                    "model": product,
                    "memory_mib": memory,
                    "max_slices": 100,
                    "numa": 0,
                    "bus_id": f"0000:{i:02x}:00.0",
                    "link_group": "",
                    "health": "healthy",
                }
                for i in range(devices)
            ],
        } | about
        return apply_inventory(node_id=node.pk, agent_version="test", inventory=inventory)

    def queue(self, name: str, *, parent: str = "", **about: Any) -> Queue:
        above = self.queues[parent] if parent else None
        queue = create_queue(pool=self.pool, name=name, parent=above, tenant=self.tenant, **about)
        self.queues[queue.path] = queue
        return queue

    def submit(self, *, name: str = "job", queue: str = "research", replicas: int = 1, **about: Any) -> Job:
        """``about``: fields of the request (cores, memory_mib, devices, ...); ``document`` fields by ``top``."""
        top = about.pop("top", {})
        group = {"replicas": replicas, "command": ["true"], "request": about}
        document = parse({"name": name, "queue": queue, "groups": [group], **top})
        job, _ = submit(document=document, queue=self.queues[queue], owner=self.member)
        return job

    def schedule(self) -> int:
        return self.cycle.run()

    def live(self, job: Job) -> list[Allocation]:
        rows = Allocation.objects.filter(job=job).exclude(state=AllocationState.ENDED)
        return list(rows.select_related("task", "node").order_by("task__rank"))

    def started(self, job: Job) -> None:
        report(
            [Report(allocation=row.pk, event="started", pid=100 + row.task.rank) for row in self.live(job)]
        )

    def exited(
        self, job: Job, *, rank: int | None = None, code: int = 0, cause: str = "exit", **about: Any
    ) -> None:
        rows = [row for row in self.live(job) if rank is None or row.task.rank == rank]
        report(
            [Report(allocation=row.pk, event="exited", exit_code=code, cause=cause, **about) for row in rows]
        )

    def run(self, job: Job) -> Job:
        """From pending to running."""
        self.schedule()
        self.started(job)
        return self.fresh(job)

    @staticmethod
    def fresh(job: Job) -> Job:
        return Job.objects.select_related("queue").get(pk=job.pk)

    @staticmethod
    def slices_held() -> int:
        return Slice.objects.filter(live=True).count()


@pytest.fixture
def lab(db: None) -> Lab:
    """A pool without nodes, and the queue ``research`` without limits."""
    install_catalogue()
    pool, _ = Pool.objects.get_or_create(name="default")
    tenant = Tenant.objects.create(name="vision")
    member = User.objects.create_user("mia", password="a long enough password")
    Membership.objects.create(user=member, tenant=tenant, role=Role.MEMBER)
    admin = User.objects.create_superuser("root", password="a long enough password")
    made = Lab(pool=pool, tenant=tenant, admin=admin, member=member)
    made.queue("research")
    return made


@pytest.fixture
def as_user() -> Callable[[User], APIClient]:
    def client(user: User) -> APIClient:
        made = APIClient()
        made.force_authenticate(user)
        return made

    return client
