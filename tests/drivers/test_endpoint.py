"""The agents' socket: who is let in, what is answered, and that nonsense harms nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from asgiref.testing import ApplicationCommunicator

from tests.domain import Lab
from vast.common.models import OutboxMessage
from vast.common.threads import in_thread
from vast.drivers.agent.endpoint import agent_endpoint
from vast.drivers.agent.intake import Intake
from vast.drivers.agent.sockets import sockets
from vast.inventory.models import Device, Node
from vast.inventory.services import create_enrolment_token, enrol
from vast.telemetry.latest import Latest

pytestmark = pytest.mark.django_db(transaction=True)

INVENTORY: dict[str, Any] = {
    "address": "127.0.0.1",
    "cpu_millis": 64_000,
    "memory_mib": 262_144,
    "task_slots": 1000,
    "simulated": True,
    "devices": [
        {
            "uuid": "GPU-1",
            "index": 0,
            "vendor": "nvidia",
            "model": "A100-SXM4-80GB",
            "memory_mib": 81_920,
            "max_slices": 100,
            "health": "healthy",
        }
    ],
    "links": [],
}


class Agent:
    """One connection of a node's agent, as the server sees it."""

    def __init__(self, key: str, kind: str = "Node") -> None:
        headers = [(b"authorization", f"{kind} {key}".encode())]
        self.wire = ApplicationCommunicator(agent_endpoint, {"type": "websocket", "headers": headers})

    async def connect(self) -> Agent:
        await self.wire.send_input({"type": "websocket.connect"})
        assert (await self.wire.receive_output(5))["type"] == "websocket.accept"
        return self

    async def say(self, frame: Any) -> None:
        text = frame if isinstance(frame, str) else orjson.dumps(frame).decode()
        await self.wire.send_input({"type": "websocket.receive", "text": text})

    async def hear(self) -> dict[str, Any]:
        message = await self.wire.receive_output(5)
        assert message["type"] == "websocket.send", message
        return orjson.loads(message["text"])  # type: ignore[no-any-return]

    async def closed_with(self) -> int:
        message = await self.wire.receive_output(5)
        assert message["type"] == "websocket.close", message
        return message["code"]  # type: ignore[no-any-return]

    async def hello(self, *known: str, inventory: dict[str, Any] | None = None) -> dict[str, Any]:
        allocations = [{"allocation": pk, "state": "running"} for pk in known]
        frame = {"type": "hello", "protocol": 1, "agent_version": "9", "allocations": allocations}
        await self.say(frame | {"inventory": inventory or INVENTORY})
        return await self.hear()

    async def leave(self) -> None:
        await self.wire.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wire.wait(5)


@pytest.fixture
def key(lab: Lab) -> str:
    _, secret = create_enrolment_token(name="t", pool=lab.pool)
    return enrol(token=secret, nodes=[{"name": "n1"}])[0]["key"]


@pytest.fixture(autouse=True)
async def _reports_are_taken_in(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    intake = Intake()
    monkeypatch.setattr("vast.drivers.agent.endpoint.intake", intake)
    task = asyncio.create_task(intake.run())
    yield
    task.cancel()


def running_job(lab: Lab) -> tuple[Any, str]:
    job = lab.submit(devices=1)
    lab.schedule()
    return job, str(lab.live(job)[0].pk)


@pytest.mark.parametrize("wrong", ["", "vastn_", "vastn_x_y", "vastn_" + "0" * 32 + "_x", "secret"])
async def test_a_wrong_key_is_refused(lab: Lab, wrong: str) -> None:
    assert await (await Agent(wrong).connect()).closed_with() == 4401


async def test_a_key_of_another_kind_is_refused(key: str) -> None:
    assert await (await Agent(key, kind="Bearer").connect()).closed_with() == 4401


async def test_a_key_is_void_once_the_node_enrolled_again(lab: Lab, key: str) -> None:
    def again() -> str:
        _, secret = create_enrolment_token(name="t2", pool=lab.pool)
        return enrol(token=secret, nodes=[{"name": "n1"}])[0]["key"]

    fresh = await in_thread(again)
    assert await (await Agent(key).connect()).closed_with() == 4401
    agent = await Agent(fresh).connect()
    assert (await agent.hello())["type"] == "welcome"
    await agent.leave()


async def test_hello_brings_the_inventory_in_and_is_welcomed(key: str) -> None:
    agent = await Agent(key).connect()
    welcome = await agent.hello()
    node = await in_thread(Node.objects.get)
    assert welcome == {
        "type": "welcome",
        "node": str(node.pk),
        "heartbeat_s": 5,
        "desired": {"run": [], "stop": [], "known": []},
    }
    assert (node.state, node.agent_version) == ("ready", "9")
    assert (await in_thread(Device.objects.get)).uuid == "GPU-1"
    await agent.leave()


async def test_a_newer_connection_takes_over(key: str) -> None:
    first = await Agent(key).connect()
    await first.hello()
    second = await Agent(key).connect()
    await second.hello()
    assert await first.closed_with() == 4409
    await second.say({"type": "ping"})
    assert await second.hear() == {"type": "pong"}
    await first.leave()
    await second.leave()


async def test_a_start_is_reported_and_acknowledged_once_it_is_committed(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello()
    job, allocation = await in_thread(running_job, lab)
    items = [{"allocation": allocation, "event": "started", "at": 1.5, "pid": 7}]
    await agent.say({"type": "status", "seq": 3, "items": items})
    assert await agent.hear() == {"type": "ack", "seq": 3}
    assert (await in_thread(lab.fresh, job)).state == "running"
    await agent.leave()


async def test_a_repeated_report_is_acknowledged_again_and_changes_nothing(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello()
    job, allocation = await in_thread(running_job, lab)
    ended = [{"allocation": allocation, "event": "exited", "exit_code": 0, "cause": "exit"}]
    for seq in (1, 1, 2):
        await agent.say({"type": "status", "seq": seq, "items": ended})
        assert await agent.hear() == {"type": "ack", "seq": seq}
    done = await in_thread(lab.fresh, job)
    assert (done.state, done.attempt) == ("succeeded", 1)
    await agent.leave()


async def test_nobody_reports_for_the_tasks_of_another_node(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello(inventory={**INVENTORY, "devices": []})
    await in_thread(lab.node, "other")
    job, allocation = await in_thread(running_job, lab)
    item = {"allocation": allocation, "event": "exited", "exit_code": 1, "cause": "exit"}
    await agent.say({"type": "status", "seq": 1, "items": [item]})
    assert await agent.hear() == {"type": "ack", "seq": 1}
    assert (await in_thread(lab.fresh, job)).state == "starting"
    await agent.leave()


async def test_a_node_that_is_refused_while_it_is_connected_has_to_enrol_anew(key: str) -> None:
    agent = await Agent(key).connect()
    node = (await agent.hello())["node"]
    await sockets.refuse(node)
    assert await agent.closed_with() == 4401
    assert sockets.heard_since(0) == []
    await agent.leave()


async def test_nobody_answers_a_question_put_to_another_node(lab: Lab, key: str) -> None:
    def another() -> str:
        _, secret = create_enrolment_token(name="t2", pool=lab.pool)
        return enrol(token=secret, nodes=[{"name": "n2"}])[0]["key"]

    agent, liar = await Agent(key).connect(), await Agent(await in_thread(another)).connect()
    node, _ = (await agent.hello())["node"], await liar.hello()
    asking = asyncio.create_task(sockets.ask(node, {"type": "log_read"}, timeout=5))
    question = (await agent.hear())["id"]
    await liar.say({"type": "reply", "id": question, "data": "forged"})
    await liar.say({"type": "ping"})
    assert await liar.hear() == {"type": "pong"}
    await agent.say({"type": "reply", "id": question, "data": "true"})
    assert (await asking)["data"] == "true"
    await agent.leave()
    await liar.leave()


async def test_an_order_that_the_agent_holds_is_not_sent_again(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello()
    _, allocation = await in_thread(running_job, lab)
    await in_thread(OutboxMessage.objects.update, attempts=1)
    await agent.say({"type": "accepted", "kind": "launch", "allocations": [allocation]})
    await agent.say({"type": "status", "seq": 1, "items": []})
    assert (await agent.hear())["seq"] == 1
    assert (await in_thread(OutboxMessage.objects.get)).done_at is not None
    await agent.leave()


async def test_an_agent_that_comes_back_is_told_what_to_run(lab: Lab, key: str) -> None:
    first = await Agent(key).connect()
    await first.hello()
    await first.leave()
    _, allocation = await in_thread(running_job, lab)
    agent = await Agent(key).connect()
    desired = (await agent.hello())["desired"]
    assert [order["allocation"] for order in desired["run"]] == [allocation]
    assert desired["known"] == [allocation]
    await agent.leave()


async def test_a_running_task_that_the_agent_no_longer_knows_runs_again(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello()
    job, allocation = await in_thread(running_job, lab)
    await in_thread(lab.started, job)
    await agent.leave()
    knowing = await Agent(key).connect()
    assert (await knowing.hello(allocation))["desired"]["known"] == [allocation]
    await knowing.leave()
    forgetful = await Agent(key).connect()
    assert (await forgetful.hello())["desired"]["known"] == []
    assert (await in_thread(lab.fresh, job)).reason["code"] == "TASK_LOST"
    await forgetful.leave()


async def test_a_malformed_item_is_left_out_and_the_others_count(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello()
    job, allocation = await in_thread(running_job, lab)
    nonsense: list[Any] = [
        "x",
        None,
        {},
        {"allocation": 5, "event": "exited"},
        {"allocation": "no uuid", "event": "exited"},
        {"allocation": allocation},
        {"allocation": allocation, "event": "exited", "at": "never"},
        {"allocation": allocation, "event": "exited", "at": 1e300},
        {"allocation": allocation, "event": "danced"},
    ]
    good = {"allocation": allocation, "event": "started", "pid": 1}
    await agent.say({"type": "status", "seq": 1, "items": [*nonsense, good]})
    assert await agent.hear() == {"type": "ack", "seq": 1}
    assert (await in_thread(lab.fresh, job)).state == "running"
    await agent.leave()


async def test_an_item_that_the_database_refuses_is_lost_alone(lab: Lab, key: str) -> None:
    agent = await Agent(key).connect()
    await agent.hello()

    def two_jobs() -> tuple[Any, str, Any, str]:
        jobs = [lab.submit(cores=10) for _ in range(2)]
        lab.schedule()
        first, second = jobs
        return first, str(lab.live(first)[0].pk), second, str(lab.live(second)[0].pk)

    bad, of_bad, good, of_good = await in_thread(two_jobs)
    items = [
        {"allocation": of_bad, "event": "started", "pid": 2**40},
        {"allocation": of_good, "event": "started", "pid": 1},
    ]
    await agent.say({"type": "status", "seq": 1, "items": items})
    assert await agent.hear() == {"type": "ack", "seq": 1}
    assert (await in_thread(lab.fresh, good)).state == "running"
    assert (await in_thread(lab.fresh, bad)).state == "starting"
    await agent.leave()


def device(**about: Any) -> dict[str, Any]:
    return {**INVENTORY, "devices": [INVENTORY["devices"][0] | about]}


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "{",
        "[]",
        "7",
        "null",
        {},
        {"type": "dance"},
        {"type": "hello"},
        {"type": "hello", "inventory": []},
        {"type": "hello", "inventory": {}, "allocations": [{}]},
        {"type": "inventory", "inventory": device(vendor="nobody")},
        {"type": "inventory", "inventory": device(index="first")},
        {"type": "inventory", "inventory": device(memory_mib=10**12)},
        {"type": "inventory", "inventory": device(uuid="a\x00b")},
        {"type": "inventory", "inventory": {"devices": [INVENTORY["devices"][0]] * 2}},
        {"type": "inventory", "inventory": {"labels": {"a": "\x00"}}},
        {"type": "inventory", "inventory": {"cpu_millis": None}},
        {"type": "inventory", "inventory": {"labels": ["gold"]}},
        {"type": "inventory", "inventory": {"labels": {"a": {"b": 1}}}},
        {"type": "inventory", "inventory": {"location": 5}},
        {"type": "inventory", "inventory": {"location": {"zone": [5]}}},
        {"type": "inventory", "inventory": {"levels": ["zone", "zone"]}},
        {"type": "inventory", "inventory": {"simulated": "very"}},
        {"type": "inventory", "inventory": {"memory_mib": 1.5}},
        {"type": "inventory", "inventory": device(max_slices=0)},
        {"type": "inventory", "inventory": device(health="splendid")},
        {"type": "status"},
        {"type": "status", "seq": "x", "items": []},
        {"type": "accepted", "kind": "launch", "allocations": ["x"]},
        {"type": "accepted", "kind": "launch", "allocations": [5]},
        {"type": "reply"},
        {"type": "telemetry", "at": 1.0},
        {"type": "telemetry", "at": "now", "devices": []},
        {"type": "telemetry", "at": 1e300, "devices": []},
        {"type": "telemetry", "at": 1.0, "devices": [["GPU-1"]]},
        {"type": "telemetry", "at": 1.0, "devices": [["GPU-1", "busy", 1, 1, 1, None]]},
        {"type": "telemetry", "at": 1.0, "devices": [["GPU-1", 1, -5, 1, 1, None]]},
        {"type": "telemetry", "at": 1.0, "devices": [["GPU-1", 1, [], 1, 1, None]]},
    ],
    ids=lambda frame: str(frame)[:60],
)
async def test_a_frame_that_makes_no_sense_closes_this_connection_only(key: str, frame: Any) -> None:
    agent = await Agent(key).connect()
    await agent.hello()
    await agent.say(frame)
    assert await agent.closed_with() == 4400
    await agent.wire.wait(5)
    again = await Agent(key).connect()
    assert (await again.hello())["type"] == "welcome"
    assert [row.uuid for row in await in_thread(list, Device.objects.all())] == ["GPU-1"]
    await again.leave()


async def test_telemetry_shows_at_once_and_a_change_of_health_is_kept(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    latest = Latest()
    monkeypatch.setattr("vast.drivers.agent.endpoint.latest", latest)
    agent = await Agent(key).connect()
    await agent.hello()
    await in_thread(latest.load_devices)
    await agent.say(
        {"type": "telemetry", "at": 9.0, "devices": [["GPU-1", 50, 1024, None, 99.5, "unhealthy"]]}
    )
    await agent.say({"type": "ping"})
    assert await agent.hear() == {"type": "pong"}
    row = await in_thread(Device.objects.get)
    assert row.health == "unhealthy"
    reading = latest.readings[str(row.pk)]
    assert (reading.util_pct, reading.memory_used_mib, reading.temperature_c) == (50, 1024, None)
    await agent.leave()
