"""The overview: what waits for what, what needs somebody, and what a new pool still lacks."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.conftest import Other
from tests.domain import Lab
from vast.inventory.models import Device, Node

pytestmark = pytest.mark.django_db


def overview(api: APIClient) -> Any:
    answer = api.get("/api/v1/overview/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_jobs_that_name_only_a_vendor_wait_for_that_vendor(lab: Lab, mia: APIClient) -> None:
    lab.submit(devices=1, selector=[{"vendor": "nvidia"}])
    lab.submit(devices=2, selector=[{"vendor": "ascend"}])
    lab.submit(devices=1)
    lab.submit(devices=1, selector=[{"vendor": "nvidia", "model": "A100-SXM4-80GB"}])
    milli = overview(mia)["waiting"]["milli"]
    assert milli.pop("any") == 1000
    assert (milli.pop("nvidia/any"), milli.pop("ascend/any")) == (1000, 2000)
    assert list(milli.values()) == [1000]


def test_a_job_of_several_groups_waits_for_any(lab: Lab, mia: APIClient) -> None:
    group = {"command": ["true"], "request": {"devices": 1, "selector": [{"vendor": "nvidia"}]}}
    second = {**group, "name": "second", "request": {"devices": 1, "selector": [{"vendor": "ascend"}]}}
    lab.submit(top={"groups": [group, second]})
    assert overview(mia)["waiting"]["milli"] == {"any": 2000}


def test_what_needs_somebody_is_named(lab: Lab, mia: APIClient) -> None:
    lab.node("good")
    lab.node("sick")
    lab.node("away")
    Device.objects.filter(node__name="sick").update(health="unhealthy")
    Node.objects.filter(name="away").update(state="unreachable")
    jobs = [lab.submit(name=f"j{n}", devices=8) for n in range(7)]
    lab.submit(name="by-choice", devices=1, top={"held": True})
    found = overview(mia)["attention"]
    assert [(row["node"], row["health"]) for row in found["devices"]] == [("sick", "unhealthy")]
    assert [row["name"] for row in found["nodes"]] == ["away"]
    assert [row["id"] for row in found["jobs"]] == [str(job.pk) for job in jobs[:5]]


def test_the_jobs_of_another_tenant_need_nobody_here(lab: Lab, other: Other) -> None:
    lab.submit(devices=8)
    assert overview(other.api)["attention"]["jobs"] == []


def test_a_new_pool_says_what_it_lacks(lab: Lab, mia: APIClient, other: Other) -> None:
    assert overview(mia)["setup"] == {"nodes": False, "queues": True, "jobs": False}
    lab.node("a")
    lab.submit(devices=1)
    assert overview(mia)["setup"] == {"nodes": True, "queues": True, "jobs": True}
    assert overview(other.api)["setup"]["jobs"] is False


def test_the_past_is_a_list_of_points(mia: APIClient, lab: Lab) -> None:
    for path in ("", "?pool=default"):
        answer = mia.get(f"/api/v1/overview/history/{path}")
        assert answer.status_code == 200
        assert isinstance(answer.json()["points"], list)
