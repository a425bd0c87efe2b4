"""Enrolment, hello, readings and logs over the socket."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

from tests.agent.agents import AgentProcess, order, shell
from tests.agent.fake_server import FakeNode, Vast, until


async def test_the_first_frame_tells_who_and_what_the_node_is(node: FakeNode) -> None:
    hello = node.frames[0]
    assert (hello["type"], hello["protocol"], hello["allocations"]) == ("hello", 1, [])
    inventory = hello["inventory"]
    assert inventory["hostname"] == "lab-0"
    assert inventory["simulated"] is True
    assert [device["vendor"] for device in inventory["devices"]] == ["nvidia", "nvidia"]


async def test_one_process_speaks_for_many_nodes_and_enrols_them_together(
    vast: Vast, agent: AgentProcess
) -> None:
    await agent.start(nodes=("lab-0", "lab-1", "lab-2"))
    nodes = [await vast.node(f"lab-{n}") for n in range(3)]
    assert [sorted(names) for names in vast.enrolments] == [["lab-0", "lab-1", "lab-2"]]
    for number, node in enumerate(nodes):
        await node.launch(shell("same-id", f"exit {number}"))
    assert [(await node.exited("same-id"))["exit_code"] for node in nodes] == [0, 1, 2]


async def test_a_node_key_is_kept_for_its_owner_only_and_used_again(vast: Vast, agent: AgentProcess) -> None:
    await agent.start()
    node = await vast.node("lab-0")
    key = agent.state / "lab-0" / "key.json"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    await agent.terminate()
    await agent.start()
    await until(lambda: len(node.of("hello")) == 2, "the second agent")
    assert len(vast.enrolments) == 1


async def test_a_refused_key_is_replaced_by_enrolling_again(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await agent.terminate()
    node.key = "another"
    await agent.start()
    await until(lambda: len(node.of("hello")) == 2, "the agent with a new key")
    assert len(vast.enrolments) == 1


async def test_a_wrong_token_is_tried_again_once_the_file_holds_another(
    vast: Vast, agent: AgentProcess
) -> None:
    token = (agent.folder / "token").read_text()
    (agent.folder / "token").write_text("wrong")
    await agent.start()
    await asyncio.sleep(2)
    assert vast.nodes == {}
    (agent.folder / "token").write_text(token)
    assert (await vast.node("lab-0")).of("hello")


async def test_readings_show_load_only_while_a_task_is_alive(node: FakeNode) -> None:
    def load_of(position: int) -> float:
        return float(node.of("telemetry")[-1]["devices"][position][1])

    devices = node.of("hello")[0]["inventory"]["devices"]
    await until(lambda: node.of("telemetry"), "a reading")
    assert [row[0] for row in node.of("telemetry")[0]["devices"]] == [device["uuid"] for device in devices]
    assert load_of(0) == 0
    granted = {"uuid": devices[0]["uuid"], "index": 0, "cores": 100, "memory_mib": 81920, "exclusive": True}
    await node.launch(order("a1", "sleep", "60", devices=[granted]))
    await until(lambda: load_of(0) > 80, "load")
    assert load_of(1) == 0
    await node.stop_task("a1")
    await until(lambda: load_of(0) == 0, "an idle device")


async def test_an_adopted_task_shows_load_again(agent: AgentProcess, node: FakeNode) -> None:
    device = node.of("hello")[0]["inventory"]["devices"][0]
    granted = {"uuid": device["uuid"], "index": 0, "cores": 50, "memory_mib": 8192, "exclusive": False}
    await node.launch(order("a1", "sleep", "60", devices=[granted]))
    await node.started("a1")
    await agent.kill()
    await agent.start()
    await until(lambda: len(node.of("hello")) == 2, "the second agent")
    seen = len(node.of("telemetry"))
    await until(lambda: len(node.of("telemetry")) > seen, "a reading")
    assert 30 < node.of("telemetry")[-1]["devices"][0][1] <= 50


async def test_a_log_is_read_in_pieces_and_is_complete_at_the_end(node: FakeNode) -> None:
    await node.launch(shell("a1", "printf 'one\\ntwo\\n'"))
    await node.exited("a1")
    first = await node.read_log("a1", limit=4)
    assert (first["data"], first["next_offset"], first["size"], first["complete"]) == ("one\n", 4, 8, False)
    second = await node.read_log("a1", offset=4)
    assert (second["data"], second["next_offset"], second["complete"]) == ("two\n", 8, True)


async def test_following_a_log_waits_for_what_comes_and_for_the_end(node: FakeNode) -> None:
    await node.launch(shell("a1", "while [ ! -e go ]; do sleep 0.05; done; echo late; sleep 0.3"))
    pid = (await node.started("a1"))["pid"]
    asked = asyncio.create_task(node.read_log("a1", wait_s=20))
    await asyncio.sleep(0.2)
    assert not asked.done()
    Path(f"/proc/{pid}/cwd/go").touch()
    piece = await asked
    assert (piece["data"], piece["complete"]) == ("late\n", False)
    end = await node.read_log("a1", offset=piece["next_offset"], wait_s=20)
    assert (end["data"], end["complete"]) == ("", True)


async def test_the_log_of_an_unknown_task_is_an_error(node: FakeNode) -> None:
    assert (await node.read_log("nobody"))["error"] == "unknown"


async def test_a_ping_is_answered(node: FakeNode) -> None:
    await node.send({"type": "ping"})
    await until(lambda: node.of("pong"), "a pong")


async def test_a_frame_of_a_later_protocol_is_passed_over(node: FakeNode) -> None:
    await node.send({"type": "from-the-future"})
    await node.launch(order("a1", "true"))
    await node.exited("a1")
    assert len(node.of("hello")) == 1


async def test_orders_in_the_welcome_are_run_and_stops_in_it_are_followed(
    vast: Vast, agent: AgentProcess
) -> None:
    await agent.start()
    node = await vast.node("lab-0")
    await vast.stop()
    node.run, node.known = [order("new", "true")], ["new"]
    node.stop = [{"allocation": "never-came", "grace_s": 1}]
    await vast.start()
    assert (await node.exited("new"))["exit_code"] == 0
    assert (await node.exited("never-came"))["cause"] == "stopped"
    confirmed = {frame["kind"]: frame["allocations"] for frame in node.of("accepted")}
    assert confirmed == {"launch": ["new"], "stop": ["never-came"]}


async def test_thousands_of_simulated_tasks_start_and_end(node: FakeNode) -> None:
    ids = [f"s{number}" for number in range(2000)]
    for part in range(0, 2000, 200):
        await node.launch(
            *(
                order(pk, simulate={"seconds": 1, "load_percent": 80, "exit_code": 0})
                for pk in ids[part : part + 200]
            )
        )
    await until(
        lambda: {i["allocation"] for i in node.statuses if i["event"] == "exited"} == set(ids), "all ends"
    )
    assert all(len(frame["items"]) <= 200 for frame in node.of("status"))
