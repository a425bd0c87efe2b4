"""Tenants never see each other: not their jobs, tasks, logs, events and queues, and of a shared card only its fill."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.api.clients import problem
from tests.api.conftest import Other
from tests.domain import Lab
from vast.jobs.models import Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(lab: Lab) -> Job:
    lab.node("a")
    return lab.run(lab.submit(name="hush", cores=25, memory_mib=2048))


def test_the_job_of_another_tenant_does_not_exist(job: Job, other: Other, mia: APIClient) -> None:
    assert other.api.get("/api/v1/jobs/").json()["results"] == []
    assert other.api.get(f"/api/v1/jobs/?search={job.pk}").json()["results"] == []
    for path in ("", "tasks/", "events/", "why/"):
        problem(other.api.get(f"/api/v1/jobs/{job.pk}/{path}"), 404, "not_found")
        assert mia.get(f"/api/v1/jobs/{job.pk}/{path}").status_code == 200


def test_the_job_of_another_tenant_cannot_be_touched(lab: Lab, job: Job, other: Other) -> None:
    for path in ("cancel/", "hold/", "release/"):
        problem(other.api.post(f"/api/v1/jobs/{job.pk}/{path}"), 404)
    problem(other.api.patch(f"/api/v1/jobs/{job.pk}/", {"priority": 1}, format="json"), 404)
    assert lab.fresh(job).state == "running"


def test_the_log_of_another_tenant_does_not_exist(job: Job, other: Other) -> None:
    problem(other.api.get(f"/api/v1/tasks/{job.tasks.get().pk}/log/"), 404, "not_found")


def test_the_queues_and_people_of_another_tenant_do_not_exist(lab: Lab, other: Other, mia: APIClient) -> None:
    assert [row["path"] for row in mia.get("/api/v1/queues/").json()["results"]] == ["research"]
    problem(mia.get(f"/api/v1/queues/{other.queue.pk}/"), 404)
    assert [row["name"] for row in mia.get("/api/v1/tenants/").json()["results"]] == ["vision"]


def test_what_is_on_a_card_is_counted_but_not_named(job: Job, other: Other, mia: APIClient) -> None:
    device = other.api.get("/api/v1/devices/").json()["results"][0]
    assert (device["mode"], device["cores_allocated"], device["memory_allocated_mib"]) == ("shared", 25, 2048)
    piece = device["slices"][0]
    assert {key: piece[key] for key in ("allocation", "task", "job", "queue")} == dict.fromkeys(
        ("allocation", "task", "job", "queue")
    )
    assert mia.get("/api/v1/devices/").json()["results"][0]["slices"][0]["job"]["name"] == "hush"


def test_nothing_that_another_tenant_reads_holds_the_name_of_the_job(job: Job, other: Other) -> None:
    device = job.allocations.get().slices.get().device
    for path in (
        "devices/",
        f"devices/{device.pk}/",
        "nodes/",
        f"nodes/{device.node_id}/",
        "overview/",
        "queues/",
        "jobs/",
        "me/",
    ):
        answer = other.api.get(f"/api/v1/{path}")
        assert answer.status_code == 200
        text = answer.content.decode()
        for secret in ("hush", "research", "mia", "vision", str(job.pk), str(job.tasks.get().pk)):
            assert secret not in text, path


def test_the_overview_counts_only_the_jobs_one_may_see(
    lab: Lab, job: Job, other: Other, mia: APIClient
) -> None:
    lab.submit(name="waits", devices=8)
    assert mia.get("/api/v1/overview/").json()["waiting"]["jobs"] == 1
    assert other.api.get("/api/v1/overview/").json()["waiting"]["jobs"] == 0
    assert len(mia.get("/api/v1/overview/").json()["recent_events"]) == 4
    assert other.api.get("/api/v1/overview/").json()["recent_events"] == []


def test_a_queue_without_a_tenant_is_the_admins(lab: Lab, mia: APIClient, root: APIClient) -> None:
    from vast.queues.services import create_queue

    create_queue(pool=lab.pool, name="platform")
    assert "platform" not in mia.get("/api/v1/queues/").content.decode()
    assert "platform" in root.get("/api/v1/queues/").content.decode()


def test_a_parent_that_one_may_not_see_is_not_shown(lab: Lab, mia: APIClient) -> None:
    from vast.queues.services import create_queue

    above = create_queue(pool=lab.pool, name="platform")
    create_queue(pool=lab.pool, name="shared", parent=above, tenant=lab.tenant)
    rows = {row["path"]: row for row in mia.get("/api/v1/queues/").json()["results"]}
    assert rows["platform/shared"]["parent"] is None


def test_a_membership_that_ends_ends_the_sight(lab: Lab, job: Job) -> None:
    api = APIClient()
    from vast.tenancy.services import create_token

    _, secret = create_token(user=lab.member, name="t")
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert api.get(f"/api/v1/jobs/{job.pk}/").status_code == 200
    lab.member.memberships.all().delete()
    problem(api.get(f"/api/v1/jobs/{job.pk}/"), 404)
