"""Lists: pages, filters, orders, and the number of queries, which does not grow with the rows."""

from __future__ import annotations

from base64 import b64encode
from typing import Any
from urllib.parse import urlencode

import pytest
from rest_framework.test import APIClient

from tests.api.clients import fields, problem, queries
from tests.domain import Lab

pytestmark = pytest.mark.django_db

ASCEND = ("ascend", "Ascend-910B3", 65_536)


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [row["name"] for row in answer.json()["results"]]


def walk(api: APIClient, path: str) -> list[str]:
    """The names on all pages."""
    found, url = [], path
    while url:
        answer = api.get(url)
        found += names(answer)
        url = answer.json()["next"]
    return found


class TestPagesOfJobs:
    def test_pages_show_every_job_once_newest_first(self, lab: Lab, mia: APIClient) -> None:
        for index in range(7):
            lab.submit(name=f"j{index}", devices=1)
        assert walk(mia, "/api/v1/jobs/?page_size=3") == [f"j{i}" for i in range(6, -1, -1)]

    def test_a_job_that_comes_meanwhile_moves_no_page(self, lab: Lab, mia: APIClient) -> None:
        for index in range(4):
            lab.submit(name=f"j{index}", devices=1)
        first = mia.get("/api/v1/jobs/?page_size=2")
        lab.submit(name="late", devices=1)
        assert names(first) == ["j3", "j2"]
        assert names(mia.get(first.json()["next"])) == ["j1", "j0"]

    def test_one_can_page_back(self, lab: Lab, mia: APIClient) -> None:
        for index in range(4):
            lab.submit(name=f"j{index}", devices=1)
        second = mia.get(mia.get("/api/v1/jobs/?page_size=2").json()["next"])
        assert names(mia.get(second.json()["previous"])) == ["j3", "j2"]

    def test_a_page_has_a_most(self, mia: APIClient, lab: Lab) -> None:
        lab.submit(devices=1, top={"array": 501})
        assert len(mia.get("/api/v1/jobs/?page_size=9999").json()["results"]) == 500

    @pytest.mark.parametrize("position", ["abc", "", "\x00", "9" * 5000])
    @pytest.mark.parametrize("order", ["priority", "-submitted_at"])
    def test_a_cursor_that_nobody_gave_out_is_404(
        self, lab: Lab, mia: APIClient, order: str, position: str
    ) -> None:
        job = lab.submit(devices=1)
        made_up = b64encode(urlencode({"p": position}).encode()).decode()
        for path in (f"jobs/?ordering={order}&", f"jobs/{job.pk}/events/?"):
            problem(mia.get(f"/api/v1/{path}{urlencode({'cursor': made_up})}"), 404, "not_found")

    @pytest.mark.parametrize("order", ["priority", "-priority", "name", "-name", "submitted_at"])
    def test_jobs_are_sorted_over_pages(self, lab: Lab, mia: APIClient, order: str) -> None:
        for index in (2, 0, 1, 4, 3):
            lab.submit(name=f"j{index}", devices=1, top={"priority": index % 3})
        rows, url = [], f"/api/v1/jobs/?page_size=2&ordering={order}"
        while url:
            page = mia.get(url).json()
            rows += page["results"]
            url = page["next"]
        values = [row[order.lstrip("-")] for row in rows]
        assert len({row["id"] for row in rows}) == 5
        assert values == sorted(values, reverse=order.startswith("-"))

    def test_an_order_that_is_not_offered_falls_back(self, lab: Lab, mia: APIClient) -> None:
        lab.submit(name="a", devices=1)
        lab.submit(name="b", devices=1)
        assert names(mia.get("/api/v1/jobs/?ordering=document")) == ["b", "a"]


class TestFiltersOfJobs:
    @pytest.fixture(autouse=True)
    def _jobs(self, lab: Lab) -> None:
        lab.node("a")
        lab.queue("team")
        lab.queue("a", parent="team")
        self.running = lab.run(lab.submit(name="train", devices=1, top={"labels": {"t": "x", "u": "1"}}))
        lab.submit(name="infer", queue="team/a", cores=1, memory_mib=64, top={"labels": {"t": "x"}})
        lab.submit(name="held", queue="team/a", devices=1, top={"held": True})

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("state=running", {"train"}),
            ("state=held,running", {"train", "held"}),
            ("queue=team", {"infer", "held"}),
            ("queue=team/a", {"infer", "held"}),
            ("queue=te", set()),
            ("owner=mia", {"train", "infer", "held"}),
            ("owner=root", set()),
            ("search=NFE", {"infer"}),
            ("label=t:x", {"train", "infer"}),
            ("label=t:x&label=u:1", {"train"}),
            ("label=t:", set()),
            ("pool=default&tenant=vision", {"train", "infer", "held"}),
            ("pool=nowhere", set()),
            ("submitted_before=2020-01-01T00:00:00Z", set()),
            ("submitted_after=2020-01-01T00:00:00Z", {"train", "infer", "held"}),
        ],
    )
    def test_a_filter_finds_what_it_says(self, mia: APIClient, query: str, found: set[str]) -> None:
        assert set(names(mia.get(f"/api/v1/jobs/?{query}"))) == found

    def test_a_job_is_found_by_the_beginning_of_its_id(self, mia: APIClient) -> None:
        found = mia.get(f"/api/v1/jobs/?search={str(self.running.pk)[:35]}").json()["results"]
        assert str(self.running.pk) in {row["id"] for row in found}
        assert len(found) < 3

    def test_a_state_that_does_not_exist_is_422(self, mia: APIClient) -> None:
        assert "state" in fields(mia.get("/api/v1/jobs/?state=running,sleeping"))


class TestInventoryLists:
    def test_pages_show_every_node_once_by_name(self, lab: Lab, mia: APIClient) -> None:
        for name in ("d", "c", "e"):
            lab.node(name)
        assert walk(mia, "/api/v1/nodes/?page_size=2") == ["a", "b", "c", "d", "e"]

    @pytest.fixture(autouse=True)
    def _pool(self, lab: Lab) -> None:
        lab.node("a", devices=2)
        lab.node("b", devices=1, model=ASCEND)
        lab.run(lab.submit(cores=50, memory_mib=1024, selector=[{"vendor": "nvidia"}]))
        lab.run(lab.submit(devices=1, selector=[{"vendor": "ascend"}]))

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("vendor=nvidia", ["a"]),
            ("vendor=nobody", []),
            ("state=ready", ["a", "b"]),
            ("state=unreachable", []),
            ("search=b", ["b"]),
            ("ordering=-name", ["b", "a"]),
            ("pool=default&cluster=lab&cordoned=false", ["a", "b"]),
        ],
    )
    def test_nodes_are_filtered(self, mia: APIClient, query: str, found: list[str]) -> None:
        assert names(mia.get(f"/api/v1/nodes/?{query}")) == found

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("mode=empty", ["a-1"]),
            ("mode=shared", ["a-0"]),
            ("mode=exclusive", ["b-0"]),
            ("vendor=ascend", ["b-0"]),
            ("health=healthy", ["a-0", "a-1", "b-0"]),
            ("health=unhealthy", []),
            ("search=a-1", ["a-1"]),
            ("model=A100-SXM4-80GB", ["a-0", "a-1"]),
        ],
    )
    def test_devices_are_filtered(self, mia: APIClient, query: str, found: list[str]) -> None:
        answer = mia.get(f"/api/v1/devices/?{query}")
        assert [row["uuid"] for row in answer.json()["results"]] == found
        assert answer.json()["count"] == len(found)

    def test_a_device_shows_what_is_given_out_of_it(self, mia: APIClient) -> None:
        row = mia.get("/api/v1/devices/?search=a-0").json()["results"][0]
        assert (row["mode"], row["slices_used"], row["cores_allocated"], row["memory_allocated_mib"]) == (
            "shared",
            1,
            50,
            1024,
        )
        assert row["slices"][0]["job"]["name"] == "job"

    def test_nodes_come_by_name_over_pages(self, lab: Lab, mia: APIClient) -> None:
        for name in ("z", "0", "m"):
            lab.node(name)
        assert walk(mia, "/api/v1/nodes/?page_size=2") == ["0", "a", "b", "m", "z"]

    def test_a_node_shows_what_is_given_out_of_it(self, mia: APIClient) -> None:
        row = mia.get("/api/v1/nodes/?search=a").json()["results"][0]
        assert row["devices_count"] == 2
        assert row["allocated"] == {"cores_pct": 25.0, "memory_mib": 1024}

    def test_a_page_beyond_the_last_is_404(self, mia: APIClient) -> None:
        problem(mia.get("/api/v1/nodes/?page=7"), 404)


def fill(lab: Lab, start: int, end: int) -> None:
    """Some of everything that the lists show: running gangs, waiting jobs, devices with slices, queues with quotas."""
    for index in range(start, end):
        lab.node(f"n{index}")
        lab.queue(f"q{index}", quotas=[{"device_class": "nvidia-80g", "guaranteed": 1000}])
        lab.submit(name=f"w{index}", queue=f"q{index}", cores=50, memory_mib=1024)
        lab.submit(name=f"g{index}", cores=20, memory_mib=1024, replicas=2)
        lab.submit(name=f"p{index}", devices=8)
    lab.schedule()
    for job in [job for queue in lab.queues.values() for job in queue.jobs.filter(state="starting")]:
        lab.started(job)


@pytest.mark.parametrize(
    "path",
    ["jobs/", "nodes/", "devices/", "queues/", "tenants/", "tokens/", "clusters/", "pools/", "overview/"],
)
def test_a_list_costs_the_same_number_of_queries_whatever_its_length(
    lab: Lab, mia: APIClient, path: str
) -> None:
    url = f"/api/v1/{path}?page_size=500"
    fill(lab, 0, 3)
    mia.get(url)
    few = queries(lambda: mia.get(url))
    fill(lab, 3, 30)
    many = queries(lambda: mia.get(url))
    assert many == few
    assert few < 15


@pytest.mark.parametrize("path", ["tasks/", "events/", ""])
def test_a_job_costs_the_same_number_of_queries_whatever_its_size(
    lab: Lab, mia: APIClient, path: str
) -> None:
    lab.node("a", devices=4)
    small = lab.run(lab.submit(replicas=2, cores=1, memory_mib=64))
    large = lab.run(lab.submit(replicas=40, cores=1, memory_mib=64))
    mia.get("/api/v1/jobs/")
    few = queries(lambda: mia.get(f"/api/v1/jobs/{small.pk}/{path}"))
    many = queries(lambda: mia.get(f"/api/v1/jobs/{large.pk}/{path}"))
    assert many == few
