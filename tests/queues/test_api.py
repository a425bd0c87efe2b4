"""Queues over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.clients import fields, problem
from tests.domain import Lab
from vast.tenancy.models import User

pytestmark = pytest.mark.django_db
URL = "/api/v1/queues/"


@pytest.fixture
def root(lab: Lab, as_user: Callable[[User], APIClient]) -> APIClient:
    return as_user(lab.admin)


def test_an_admin_makes_a_tree_and_reads_it_depth_first(lab: Lab, root: APIClient) -> None:
    top = root.post(URL, {"name": "a", "pool": "default", "tenant": "vision"}, format="json").json()
    for name in ("z", "b"):
        made = root.post(URL, {"name": name, "pool": "default", "parent": top["id"]}, format="json")
        assert made.status_code == 201
        assert made["ETag"]
    rows = root.get(f"{URL}?tree=1").json()["results"]
    assert [(row["path"], row["is_leaf"]) for row in rows] == [
        ("a", False),
        ("a/b", True),
        ("a/z", True),
        ("research", True),
    ]
    assert rows[1]["parent"] == top["id"]
    assert rows[1]["tenant"]["name"] == "vision"


def test_siblings_whose_names_share_a_beginning_keep_their_children_below_them(
    lab: Lab, root: APIClient
) -> None:
    for name, parent in (("a", ""), ("a-b", ""), ("c", "a"), ("d", "a-b")):
        lab.queue(name, parent=parent)
    paths = [row["path"] for row in root.get(URL).json()["results"]]
    assert paths == ["a", "a/c", "a-b", "a-b/d", "research"]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"name": "a b", "pool": "default"}, "name"),
        ({"name": "x", "pool": "nowhere"}, "pool"),
        ({"name": "x", "pool": "default", "tenant": "nobody"}, "tenant"),
        ({"name": "x", "pool": "default", "parent": "0190f0f0-0000-7000-8000-000000000000"}, "parent"),
        ({"name": "x", "pool": "default", "priority": 1001}, "priority"),
        ({"name": "research", "pool": "default"}, "name"),
        ({"name": "x", "pool": "default", "quotas": [{"device_class": "nope"}]}, "quotas[0].device_class"),
        (
            {"name": "x", "pool": "default", "quotas": [{"device_class": "nvidia-80g", "limit": -1}]},
            "quotas[0].limit",
        ),
        ({"name": "x", "pool": "default", "quotas": 7}, "quotas"),
    ],
)
def test_a_wrong_field_is_named(lab: Lab, root: APIClient, body: dict[str, Any], wrong: str) -> None:
    assert wrong in {
        field.split(".non_field_errors")[0] for field in fields(root.post(URL, body, format="json"))
    }


def test_quotas_are_replaced_as_a_whole(lab: Lab, root: APIClient) -> None:
    url = f"{URL}{lab.queues['research'].pk}/"
    body = {"quotas": [{"device_class": "nvidia-80g", "guaranteed": 1000, "limit": 2000}]}
    assert root.put(f"{url}quotas/", body, format="json").status_code == 200
    assert root.get(url).json()["quotas"] == [
        {"device_class": "nvidia-80g", "guaranteed": 1000, "limit": 2000, "weight": 100, "reserved": 0}
    ]
    assert root.put(f"{url}quotas/", {"quotas": []}, format="json").json()["quotas"] == []


def test_a_queue_with_jobs_is_not_deleted(lab: Lab, root: APIClient) -> None:
    lab.submit(devices=1)
    problem(root.delete(f"{URL}{lab.queues['research'].pk}/"), 409)


def test_a_queue_shows_what_it_holds_and_waits_for(lab: Lab, root: APIClient) -> None:
    lab.node("a")
    lab.run(lab.submit(devices=1, selector=[{"model": "A100-SXM4-80GB"}]))
    lab.submit(devices=2, selector=[{"model": "A100-SXM4-80GB"}])
    row = root.get(f"{URL}{lab.queues['research'].pk}/").json()
    assert (row["held"], row["running_jobs"]) == ({"nvidia-80g": 1000}, 1)
    assert (row["pending_milli"], row["pending_jobs"]) == ({"nvidia-80g": 2000}, 1)
