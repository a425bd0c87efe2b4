"""Agents that die and come back, and servers that do."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import psutil

from tests.agent.agents import AgentProcess, alive, order, shell
from tests.agent.fake_server import FakeNode, Vast, until


async def test_tasks_outlive_a_killed_agent_and_the_next_one_reports_their_end(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(
        shell("long", "while [ ! -e go ]; do sleep 0.05; done; echo done; exit 5"),
        shell("short", "sleep 0.7; exit 4"),
    )
    pid = (await node.started("long"))["pid"]
    await node.started("short")
    await agent.kill()
    await until(lambda: (agent.folder_of("short") / "exit").exists(), "the short task to end")
    await agent.start()
    assert (await node.exited("short"))["exit_code"] == 4
    assert alive(pid)
    (agent.folder_of("long") / "work" / "go").touch()
    exited = await node.exited("long")
    assert (exited["exit_code"], exited["cause"], exited["log_tail"]) == (5, "exit", "done\n")
    assert len({str(item) for item in node.statuses if item["event"] == "exited"}) == 2


async def test_an_adopted_task_can_be_stopped_and_its_log_read(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(shell("a1", "echo before; sleep 60"))
    await node.started("a1")
    await agent.kill()
    await agent.start()
    await until(lambda: len(node.of("hello")) == 2, "the second agent")
    assert node.of("hello")[1]["allocations"] == [{"allocation": "a1", "state": "running"}]
    assert (await node.read_log("a1"))["data"] == "before\n"
    await node.stop_task("a1")
    assert (await node.exited("a1"))["cause"] == "stopped"


async def test_a_task_whose_shim_died_while_no_agent_was_there_is_lost_and_swept(
    agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(order("a1", "sleep", "60"))
    pid = (await node.started("a1"))["pid"]
    await agent.kill()
    os.kill(os.getsid(pid), signal.SIGKILL)
    await agent.start()
    assert (await node.exited("a1"))["cause"] == "lost"
    assert not alive(pid)


async def test_agents_killed_again_and_again_while_launching_start_each_task_once(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    starts = agent.folder / "starts"
    orders = [shell(f"a{n}", f"echo a{n} >> {starts}; sleep 0.2") for n in range(60)]
    node.run, node.known = orders, [o["allocation"] for o in orders]
    for pause in (0.0, 0.01, 0.03, 0.06):
        await agent.kill()
        seen = len(node.of("hello"))
        await agent.start()
        await until(lambda seen=seen: len(node.of("hello")) > seen, "the agent to come back")
        await asyncio.sleep(pause)
    await until(lambda: all(node.status(o["allocation"], "exited") for o in orders), "all ends", 40)
    assert sorted(starts.read_text().split()) == sorted(o["allocation"] for o in orders)
    assert {node.status(o["allocation"], "exited")["cause"] for o in orders} == {"exit"}  # type: ignore[index]


async def test_an_order_kept_by_an_agent_that_died_before_starting_it_is_started_by_the_next(
    vast: Vast, agent: AgentProcess
) -> None:
    folder = agent.state / "lab-0"
    folder.mkdir(parents=True)
    record = ["order", shell("a1", "exit 6")]
    (folder / "journal.jsonl").write_text(json.dumps(record) + '\n["order", {"alloc')
    await agent.start()
    node = await vast.node("lab-0")
    node.known = ["a1"]
    assert (await node.exited("a1"))["exit_code"] == 6


async def test_a_simulated_task_goes_on_after_a_restart_and_ends_in_time(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(order("a1", simulate={"seconds": 2, "load_percent": 80, "exit_code": 9}))
    started = await node.started("a1")
    await agent.kill()
    await agent.start()
    exited = await node.exited("a1")
    assert exited["exit_code"] == 9
    assert exited["at"] >= started["at"] + 2


async def test_reports_are_sent_again_after_a_reconnect_until_they_are_confirmed(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    node.acknowledge = False
    await node.launch(order("a1", "true"))
    await node.exited("a1")
    before = len(node.statuses)
    await vast.stop()
    node.acknowledge = True
    await vast.start()
    await until(lambda: len(node.statuses) >= before + 2, "the reports again")
    assert node.of("hello")[-1]["allocations"] == [{"allocation": "a1", "state": "exited"}]
    assert node.statuses[before]["event"] == "started"


async def test_a_report_without_confirmation_is_sent_again_on_the_same_connection(node: FakeNode) -> None:
    node.acknowledge = False
    await node.launch(order("a1", "true"))
    await node.exited("a1")
    before = len(node.of("status"))
    await until(lambda: len(node.of("status")) > before, "the report again")
    assert node.of("status")[-1]["items"][-1]["event"] == "exited"


async def test_confirmed_reports_are_not_sent_by_a_later_agent(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(order("a1", "true"))
    await node.exited("a1")
    await agent.terminate()
    seen = len(node.statuses)
    await agent.start()
    await until(lambda: len(node.of("hello")) == 2, "the second agent")
    await until(lambda: node.of("telemetry")[-1:] and node.frames[-1]["type"] == "telemetry", "a reading")
    assert node.of("hello")[1]["allocations"] == []
    assert len(node.statuses) == seen


async def test_tasks_run_on_while_the_server_is_away_and_are_reported_when_it_is_back(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(shell("a1", "sleep 0.5; exit 3"))
    await node.started("a1")
    await vast.stop()
    await until(lambda: (agent.folder_of("a1") / "exit").exists(), "the end")
    await vast.start()
    assert (await node.exited("a1"))["exit_code"] == 3


async def test_a_task_that_the_server_no_longer_knows_is_ended_after_a_reconnect(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(order("gone", "sleep", "60"), order("kept", "sleep", "60"))
    await node.started("gone")
    await node.started("kept")
    await vast.stop()
    node.known = ["kept"]
    await vast.start()
    assert (await node.exited("gone"))["cause"] == "stopped"
    assert node.status("kept", "exited") is None


async def test_a_clean_stop_ends_tasks_and_reports_them(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(
        order("a1", "sleep", "60"), order("sim", simulate={"seconds": 60, "load_percent": 50, "exit_code": 0})
    )
    pid = (await node.started("a1"))["pid"]
    await node.started("sim")
    assert await agent.terminate() == 0
    for allocation in ("a1", "sim"):
        exited = node.status(allocation, "exited")
        assert exited is not None
        assert exited["cause"] == "agent_shutdown"
    assert not alive(pid)


async def test_nothing_that_the_agent_started_stays_after_a_clean_stop(
    agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(shell("a1", "trap '' TERM; while true; do sleep 1; done"))
    await node.started("a1")
    family = psutil.Process(agent.pid).children(recursive=True)
    assert await agent.terminate() == 0
    assert psutil.wait_procs(family, timeout=5)[1] == []


async def test_tasks_live_on_when_the_agent_is_told_to_keep_them(
    vast: Vast, agent: AgentProcess, tmp_path: Path
) -> None:
    await agent.start("--keep-tasks-on-exit")
    node = await vast.node("lab-0")
    await node.launch(shell("a1", "while [ ! -e go ]; do sleep 0.05; done; exit 2"))
    pid = (await node.started("a1"))["pid"]
    assert await agent.terminate() == 0
    assert alive(pid)
    await agent.start()
    (agent.folder_of("a1") / "work" / "go").touch()
    assert (await node.exited("a1"))["exit_code"] == 2


async def test_a_new_spawner_takes_over_when_the_old_one_is_killed(
    agent: AgentProcess, node: FakeNode
) -> None:
    await node.launch(order("before", "sleep", "60"))
    await node.started("before")
    spawner = next(p for p in psutil.Process(agent.pid).children() if "shim.py" in " ".join(p.cmdline()))
    spawner.kill()
    await node.launch(order("after", "true"))
    assert (await node.exited("after"))["exit_code"] == 0
    await node.stop_task("before")
    assert (await node.exited("before"))["cause"] == "stopped"


async def test_a_second_agent_refuses_a_state_folder_in_use(
    vast: Vast, agent: AgentProcess, node: FakeNode
) -> None:
    second = AgentProcess(vast.url, agent.folder)
    await second.start()
    assert second._process is not None
    assert await asyncio.wait_for(second._process.wait(), 20) == 2
