"""The browser's socket, through the real routing: signing in, subscribing, heartbeats, logs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from asgiref.testing import ApplicationCommunicator

from tests.domain import Lab
from vast.common.threads import in_thread
from vast.jobs.lifecycle import event_payload
from vast.jobs.models import Job, JobEvent
from vast.live import consumer
from vast.live.hub import hub
from vast.live.routing import websocket_application
from vast.tenancy.models import Tenant, User
from vast.tenancy.services import create_token

pytestmark = pytest.mark.django_db(transaction=True)


class Browser:
    """A tool that signs in by token; the server side is the same as for a browser."""

    def __init__(self, secret: str, **headers: str) -> None:
        given = [(b"authorization", f"Bearer {secret}".encode())] if secret else []
        given += [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {
            "type": "websocket",
            "path": "/ws/live/",
            "headers": given,
            "query_string": b"",
            "subprotocols": [],
        }
        self.wire = ApplicationCommunicator(websocket_application, scope)

    async def knock(self) -> str:
        await self.wire.send_input({"type": "websocket.connect"})
        return (await self.wire.receive_output(5))["type"]  # type: ignore[no-any-return]

    async def connect(self) -> Browser:
        assert await self.knock() == "websocket.accept"
        return self

    async def say(self, message: Any) -> None:
        text = message if isinstance(message, str) else orjson.dumps(message).decode()
        await self.wire.send_input({"type": "websocket.receive", "text": text})

    async def hear(self) -> dict[str, Any]:
        message = await self.wire.receive_output(5)
        assert message["type"] == "websocket.send", message
        return orjson.loads(message["text"])  # type: ignore[no-any-return]

    async def closed_with(self) -> int:
        message = await self.wire.receive_output(5)
        assert message["type"] == "websocket.close", message
        return message["code"]  # type: ignore[no-any-return]

    async def leave(self) -> None:
        await self.wire.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wire.wait(5)

    async def settled(self) -> None:
        """Everything said before was taken in: an answer to nonsense comes after it."""
        await self.say("?")
        assert (await self.hear())["type"] == "error"


@pytest.fixture
def secret(lab: Lab) -> str:
    return create_token(user=lab.member, name="t")[1]


@pytest.fixture
async def browser(secret: str) -> AsyncIterator[Browser]:
    made = await Browser(secret).connect()
    assert (await made.hear())["type"] == "hello"
    yield made
    await made.leave()


async def test_hello_says_the_newest_event_one_may_see(lab: Lab, secret: str) -> None:
    await in_thread(lab.submit, devices=1)
    newest = await in_thread(lambda: JobEvent.objects.latest("id").pk)
    browser = await Browser(secret).connect()
    hello = await browser.hear()
    assert (hello["protocol"], hello["last_event"]) == (1, newest)
    await browser.leave()


async def test_someone_of_another_tenant_hears_of_no_event(lab: Lab, secret: str) -> None:
    def stranger() -> str:
        return create_token(user=User.objects.create_user("otto"), name="t")[1]

    await in_thread(lab.submit, devices=1)
    browser = await Browser(await in_thread(stranger)).connect()
    assert (await browser.hear())["last_event"] == 0
    await browser.leave()


@pytest.mark.parametrize("wrong", ["nonsense", "vast_x_y"])
async def test_a_wrong_token_is_closed_with_4401(lab: Lab, wrong: str) -> None:
    browser = await Browser(wrong).connect()
    assert await browser.closed_with() == 4401


async def test_a_page_of_another_origin_is_not_let_in(lab: Lab) -> None:
    browser = Browser("", origin="http://evil.example", host="localhost")
    assert await browser.knock() == "websocket.close"


async def test_without_a_session_a_page_of_ours_is_closed_with_4401(lab: Lab) -> None:
    browser = await Browser("", origin="http://localhost", host="localhost").connect()
    assert await browser.closed_with() == 4401


async def test_events_of_ones_tenant_come_and_others_do_not(lab: Lab, browser: Browser) -> None:
    def payloads() -> list[dict[str, Any]]:
        lab.submit(name="mine", devices=1)
        event = JobEvent.objects.select_related("job__queue").latest("id")
        foreign = event_payload(event) | {
            "job_name": "theirs",
            "tenant": str(Tenant.objects.create(name="x").pk),
        }
        return [foreign, event_payload(event)]

    await browser.say({"subscribe": ["jobs"]})
    await browser.settled()
    hub.events(await in_thread(payloads))
    assert (await browser.hear())["event"]["job_name"] == "mine"
    assert await browser.wire.receive_nothing(0.1)


async def test_a_new_subscription_replaces_the_old_one(browser: Browser) -> None:
    await browser.say({"subscribe": ["nodes"]})
    await browser.say({"subscribe": ["overview", "device:d", "nonsense"]})
    await browser.settled()
    hub.frame("nodes", {"topic": "nodes"})
    hub.frame("nonsense", {"topic": "nonsense"})
    hub.frame("device:d", {"topic": "device:d"})
    assert await browser.hear() == {"topic": "device:d"}
    assert await browser.wire.receive_nothing(0.1)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "{",
        "7",
        {"subscribe": 7},
        {"subscribe": [1]},
        {"subscribe": None},
        {"log": {}},
        {"log": 5},
        {"log": {"task": "x"}},
        {"log": {"task": 5}},
        {"log": {"task": "0" * 32, "offset": "far"}},
        {"log": {"task": "0" * 32, "offset": -1}},
        {"log": {"task": "0" * 32, "offset": 2**63}},
        {"log": {"task": "0" * 32, "offset": 1e300}},
    ],
    ids=str,
)
async def test_nonsense_is_answered_and_the_socket_stays_open(browser: Browser, nonsense: Any) -> None:
    await browser.say(nonsense)
    assert (await browser.hear())["type"] == "error"
    await browser.settled()


async def test_a_heartbeat_comes_by_itself(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_S", 0.02)
    browser = await Browser(secret).connect()
    await browser.hear()
    beat = await browser.hear()
    assert (beat["type"], beat["last_event"]) == ("heartbeat", 0)
    await browser.leave()


async def test_a_browser_that_leaves_is_forgotten(secret: str) -> None:
    before = len(hub.viewers)
    browser = await Browser(secret).connect()
    await browser.hear()
    await browser.settled()
    assert len(hub.viewers) == before + 1
    await browser.leave()
    assert len(hub.viewers) == before


def ended_job(lab: Lab) -> Job:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    lab.exited(job, log_tail="the last words\n")
    return job


async def test_the_log_of_an_ended_task_comes_from_the_tail_when_its_node_is_away(
    lab: Lab, browser: Browser
) -> None:
    job = await in_thread(ended_job, lab)
    task = str((await in_thread(job.tasks.get)).pk)
    await browser.say({"log": {"task": task, "offset": 0}})
    part = await browser.hear()
    assert (part["type"], part["task"], part["data"]) == ("log", task, "the last words\n")
    assert (part["offset"], part["next_offset"], part["complete"]) == (0, 15, True)


async def test_the_log_of_another_tenant_is_not_found(lab: Lab) -> None:
    job = await in_thread(ended_job, lab)
    task = str((await in_thread(job.tasks.get)).pk)

    def stranger() -> str:
        return create_token(user=User.objects.create_user("otto"), name="t")[1]

    browser = await Browser(await in_thread(stranger)).connect()
    await browser.hear()
    await browser.say({"log": {"task": task}})
    answer = await browser.hear()
    assert (answer["type"], answer["problem"]["code"]) == ("log_error", "not_found")
    await browser.leave()
