"""Who held a device: paged, newest first, and without names for other tenants."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.api.clients import problem, queries
from tests.api.conftest import Other
from tests.domain import Lab
from vast.inventory.models import Device

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(lab: Lab) -> str:
    lab.node("a")
    for number in range(3):
        job = lab.run(lab.submit(name=f"j{number}", cores=25, memory_mib=2048))
        if number < 2:
            lab.exited(job)
    return f"/api/v1/devices/{Device.objects.get().pk}/allocations/"


def test_the_newest_comes_first_and_what_goes_on_has_no_end(path: str, mia: APIClient) -> None:
    rows = mia.get(path).json()["results"]
    assert [row["job"]["name"] for row in rows] == ["j2", "j1", "j0"]
    assert [row["until"] is None for row in rows] == [True, False, False]
    assert all(row["since"] for row in rows)
    assert [row["state"] for row in rows] == ["running", "ended", "ended"]
    assert (rows[0]["queue"], rows[0]["cores"], rows[0]["memory_mib"]) == ("research", 25, 2048)


def test_pages_show_every_row_once(path: str, mia: APIClient) -> None:
    first = mia.get(f"{path}?page_size=2").json()
    second = mia.get(first["next"]).json()
    names = [row["job"]["name"] for row in [*first["results"], *second["results"]]]
    assert (names, second["next"]) == (["j2", "j1", "j0"], None)


def test_another_tenant_sees_how_much_but_not_whose(path: str, other: Other, lab: Lab) -> None:
    answer = other.api.get(path)
    assert [(row["job"], row["queue"], row["task"], row["cores"]) for row in answer.json()["results"]] == [
        (None, None, None, 25)
    ] * 3
    text = answer.content.decode()
    assert not [secret for secret in ("j0", "j1", "j2", "research", "mia") if secret in text]


def test_the_number_of_queries_does_not_grow_with_the_rows(path: str, mia: APIClient, lab: Lab) -> None:
    mia.get(path)
    before = queries(lambda: mia.get(path))
    for number in range(5):
        lab.exited(lab.run(lab.submit(name=f"k{number}", cores=1, memory_mib=64)))
    assert queries(lambda: mia.get(path)) == before


def test_a_device_that_is_not_there_has_no_history(lab: Lab, mia: APIClient) -> None:
    problem(mia.get(f"/api/v1/devices/{lab.tenant.pk}/allocations/"), 404, "not_found")
