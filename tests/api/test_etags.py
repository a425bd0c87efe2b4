"""Conditional writes: a change that was decided on an old reading is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.clients import problem
from tests.domain import Lab

pytestmark = pytest.mark.django_db

Write = Callable[[APIClient, str, dict[str, str]], Any]


@pytest.fixture
def things(lab: Lab) -> dict[str, str]:
    node = lab.node("a")
    device = node.devices.get()
    queue = lab.queue("extra")
    job = lab.submit(queue="extra", devices=1)
    return {
        "nodes": f"/api/v1/nodes/{node.pk}/",
        "devices": f"/api/v1/devices/{device.pk}/",
        "queues": f"/api/v1/queues/{queue.pk}/",
        "jobs": f"/api/v1/jobs/{job.pk}/",
    }


CHANGES = {
    "nodes": {"cordoned": True},
    "devices": {"cordoned": True},
    "queues": {"priority": 7},
    "jobs": {"priority": 7},
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_on_the_reading_that_counts_is_taken(
    root: APIClient, things: dict[str, str], kind: str
) -> None:
    before = root.get(things[kind])["ETag"]
    assert before.startswith('W/"')
    answer = root.patch(things[kind], CHANGES[kind], format="json", headers={"If-Match": before})
    assert answer.status_code == 200, answer.content
    assert answer["ETag"] != before
    assert answer["ETag"] == root.get(things[kind])["ETag"]
    assert answer.json() | CHANGES[kind] == answer.json()


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_on_an_old_reading_is_412(root: APIClient, things: dict[str, str], kind: str) -> None:
    old = root.get(things[kind])["ETag"]
    root.patch(things[kind], CHANGES[kind], format="json")
    now = root.get(things[kind]).json()
    undo = {key: 0 if isinstance(value, int) else False for key, value in CHANGES[kind].items()}
    answer = root.patch(things[kind], undo, format="json", headers={"If-Match": old})
    problem(answer, 412, "changed_meanwhile")
    assert root.get(things[kind]).json() == now


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("condition", ["*", None])
def test_without_a_condition_a_change_is_taken(
    root: APIClient, things: dict[str, str], kind: str, condition: str | None
) -> None:
    headers = {"If-Match": condition} if condition else {}
    assert root.patch(things[kind], CHANGES[kind], format="json", headers=headers).status_code == 200


def test_several_tags_may_be_named(root: APIClient, things: dict[str, str]) -> None:
    tag = root.get(things["nodes"])["ETag"]
    headers = {"If-Match": f'W/"999", {tag}'}
    assert root.patch(things["nodes"], {"cordoned": True}, format="json", headers=headers).status_code == 200


def test_quotas_and_removal_of_a_queue_are_conditional_too(lab: Lab, root: APIClient) -> None:
    queue = lab.queue("empty")
    path = f"/api/v1/queues/{queue.pk}/"
    old = {"If-Match": root.get(path)["ETag"]}
    assert root.put(f"{path}quotas/", {"quotas": []}, format="json", headers=old).status_code == 200
    problem(root.put(f"{path}quotas/", {"quotas": []}, format="json", headers=old), 412)
    problem(root.delete(path, headers=old), 412)
    assert root.delete(path, headers={"If-Match": root.get(path)["ETag"]}).status_code == 204


def test_a_job_that_moved_on_has_another_tag(lab: Lab, root: APIClient, things: dict[str, str]) -> None:
    before = root.get(things["jobs"])["ETag"]
    assert lab.schedule() == 1
    assert root.get(things["jobs"])["ETag"] != before
