"""What each browser is sent: its topics, its tenants, the newest frame, and a call to fetch anew when it lags."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from vast.live.hub import MOST_WAITING, Hub, Viewer

MINE, THEIRS = "tenant-1", "tenant-2"


def viewer(hub: Hub, *topics: str, tenants: frozenset[str] | None = frozenset({MINE})) -> Viewer:
    made = Viewer(tenants)
    made.topics = frozenset(topics)
    hub.viewers.add(made)
    return made


def event(number: int, tenant: str | None = MINE, job: str = "j1") -> dict[str, Any]:
    return {"id": number, "job": job, "kind": "state", "tenant": tenant}


async def heard(by: Viewer) -> list[dict[str, Any]]:
    try:
        texts = await asyncio.wait_for(by.next(), 0.05)
    except TimeoutError:
        return []
    return [orjson.loads(text) for text in texts]


async def test_events_come_in_order_and_without_the_tenant() -> None:
    hub = Hub()
    mia = viewer(hub, "jobs")
    hub.events([event(1), event(2)])
    hub.events([event(3)])
    got = await heard(mia)
    assert [item["event"]["id"] for item in got] == [1, 2, 3]
    assert all("tenant" not in item["event"] for item in got)


@pytest.mark.parametrize("topic", ["jobs", "job:j1", "overview", "queues"])
async def test_events_reach_those_who_follow_jobs(topic: str) -> None:
    hub = Hub()
    mia = viewer(hub, topic)
    hub.events([event(1)])
    assert len(await heard(mia)) == 1


@pytest.mark.parametrize("topic", ["job:j2", "nodes", "devices", "device:j1"])
async def test_events_do_not_reach_those_who_follow_something_else(topic: str) -> None:
    hub = Hub()
    mia = viewer(hub, topic)
    hub.events([event(1)])
    assert await heard(mia) == []


@pytest.mark.parametrize("tenant", [THEIRS, None])
async def test_events_of_other_tenants_are_not_sent(tenant: str | None) -> None:
    hub = Hub()
    mia, admin = viewer(hub, "jobs", "job:j1"), viewer(hub, "jobs", tenants=None)
    hub.events([event(1, tenant)])
    assert await heard(mia) == []
    assert len(await heard(admin)) == 1


async def test_of_a_topics_frames_only_the_newest_is_sent() -> None:
    hub = Hub()
    mia = viewer(hub, "overview", "nodes")
    for number in range(100):
        hub.frame("overview", {"n": number})
    hub.frame("nodes", {"n": -1})
    assert await heard(mia) == [{"n": 99}, {"n": -1}]


async def test_a_browser_that_cannot_follow_is_told_to_fetch_anew() -> None:
    hub = Hub()
    slow = viewer(hub, "jobs")
    for number in range(MOST_WAITING * 10):
        hub.events([event(number)])
    got = await heard(slow)
    assert got[0] == {"type": "resync"}
    assert len(got) <= MOST_WAITING
    assert got[-1]["event"]["id"] == MOST_WAITING * 10 - 1


async def test_one_slow_browser_costs_the_others_nothing() -> None:
    hub = Hub()
    viewer(hub, "jobs")
    quick = viewer(hub, "jobs")
    got = []
    for number in range(MOST_WAITING * 3):
        hub.events([event(number)])
        got += await heard(quick)
    assert [item["event"]["id"] for item in got] == list(range(MOST_WAITING * 3))


async def test_resync_reaches_everyone() -> None:
    hub = Hub()
    both = [viewer(hub), viewer(hub, "jobs", tenants=None)]
    hub.resync()
    assert [await heard(one) for one in both] == [[{"type": "resync"}]] * 2


async def test_what_nobody_wants_need_not_be_made() -> None:
    hub = Hub()
    viewer(hub, "nodes", "device:d1")
    assert (hub.wanted("nodes"), hub.wanted("overview")) == (True, False)
    assert hub.wanted_with_prefix("device:") == {"device:d1"}
