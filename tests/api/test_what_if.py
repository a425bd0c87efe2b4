"""What-if: the engine's own answer, without writing anything; others' jobs stay unnamed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.domain import Lab
from vast.allocation.models import Hold
from vast.jobs.models import Job
from vast.tenancy.models import User

pytestmark = pytest.mark.django_db
AsUser = Callable[[User], APIClient]


def document(**top: Any) -> dict[str, Any]:
    group = {"command": ["true"], "request": {"devices": 1}}
    return {"name": "tried", "queue": "research", "groups": [group], **top}


def ask(client: APIClient, **change: Any) -> Any:
    answer = client.post("/api/v1/what-if/", change, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_a_job_that_would_start_is_told_where(lab: Lab, as_user: AsUser) -> None:
    lab.node("a")
    found = ask(as_user(lab.member), submit=document())
    assert (found["job"]["outcome"], found["job"]["nodes"]) == ("starts", ["a"])
    assert not Job.objects.exists()


def test_an_urgent_job_is_told_whom_it_would_stop(lab: Lab, as_user: AsUser) -> None:
    lab.node("a")
    victim = lab.run(lab.submit(name="victim", devices=1))
    found = ask(as_user(lab.member), submit=document(priority=10))
    assert found["job"]["outcome"] == "evicts"
    assert [(row["name"], row["rule"]) for row in found["evicted"]] == [("victim", "priority")]
    assert lab.fresh(victim).state == "running"
    assert not Hold.objects.exists()


def test_what_was_foretold_then_happens(lab: Lab, as_user: AsUser) -> None:
    lab.node("a")
    victim = lab.run(lab.submit(name="victim", devices=1))
    ask(as_user(lab.member), submit=document(priority=10))
    lab.submit(name="tried", devices=1, top={"priority": 10})
    lab.schedule()
    assert lab.fresh(victim).state == "stopping"


def test_an_admin_sees_who_would_be_evicted_by_a_change_of_quota(lab: Lab, as_user: AsUser) -> None:
    lab.node("a", devices=2)
    lab.queue("lender")
    for name in ("b1", "b2"):
        lab.run(lab.submit(name=name, devices=1, top={"preemptible": True}))
    lab.submit(name="waits", queue="lender", replicas=1, devices=1)
    lab.schedule()
    change = {"queue": "lender", "device_class": "nvidia-80g", "guaranteed": 1000}
    found = ask(as_user(lab.admin), quotas=[change])
    assert found["job"] is None
    assert len(found["evicted"]) + len(found["spared"]) <= 2


def test_a_cordon_takes_starts_away(lab: Lab, as_user: AsUser) -> None:
    lab.node("a")
    lab.submit(name="waits", devices=1)
    found = ask(as_user(lab.admin), cordon=["a"])
    assert [row["name"] for row in found["no_longer_started"]] == ["waits"]


def test_members_may_not_try_changes_of_the_pool(lab: Lab, as_user: AsUser) -> None:
    lab.node("a")
    answer = as_user(lab.member).post("/api/v1/what-if/", {"cordon": ["a"]}, format="json")
    assert answer.status_code == 403


def test_unknown_names_and_nothing_at_all_are_refused(lab: Lab, as_user: AsUser) -> None:
    client = as_user(lab.admin)
    assert client.post("/api/v1/what-if/", {}, format="json").status_code == 422
    wrong = client.post("/api/v1/what-if/", {"cordon": ["nowhere"]}, format="json")
    assert wrong.json()["errors"][0]["field"] == "cordon[0]"


def test_a_checkpoint_is_noted_only_by_a_job_that_saves_its_work(lab: Lab, as_user: AsUser) -> None:
    lab.node("a", devices=2)
    saves = lab.run(lab.submit(name="saves", devices=1, top={"checkpoint": {"api": True}}))
    other = lab.run(lab.submit(name="other", devices=1))
    client = as_user(lab.member)
    assert client.post(f"/api/v1/jobs/{saves.pk}/checkpoint/").status_code == 200
    assert lab.fresh(saves).saved_at is not None
    assert client.post(f"/api/v1/jobs/{other.pk}/checkpoint/").status_code == 409
