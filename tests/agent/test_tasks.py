"""Tasks as a server sees them, run by a real agent process."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path

import psutil
import pytest

from tests.agent.agents import AgentProcess, alive, order, shell
from tests.agent.fake_server import FakeNode, Vast, until


async def test_a_task_is_accepted_started_and_reported_with_its_exit_code_and_log(node: FakeNode) -> None:
    await node.launch(shell("a1", "echo hello; echo oh >&2; exit 3"))
    exited = await node.exited("a1")
    assert exited["exit_code"] == 3
    assert exited["signal"] is None
    assert exited["cause"] == "exit"
    assert exited["log_tail"] == "hello\noh\n"
    assert (await node.started("a1"))["pid"] == exited["pid"]
    assert node.of("accepted")[0]["allocations"] == ["a1"]


async def test_a_task_that_succeeds_exits_with_0(node: FakeNode) -> None:
    await node.launch(order("a1", "true"))
    assert (await node.exited("a1"))["exit_code"] == 0


async def test_a_task_ended_by_a_signal_names_it(node: FakeNode) -> None:
    await node.launch(shell("a1", "kill -SEGV $$"))
    exited = await node.exited("a1")
    assert (exited["exit_code"], exited["signal"], exited["cause"]) == (None, signal.SIGSEGV, "exit")


async def test_a_command_that_does_not_exist_fails_to_launch_and_is_named(node: FakeNode) -> None:
    await node.launch(order("a1", "no-such-command", "x"))
    failed = await until(lambda: node.status("a1", "launch_failed"), "the failure")
    assert failed["message"] == "command not found: no-such-command"
    assert failed["cause"] == "launch_failed"
    assert node.status("a1", "started") is None


async def test_a_missing_working_directory_fails_to_launch_and_is_named(node: FakeNode) -> None:
    await node.launch(order("a1", "true", working_dir="/no/such/folder"))
    failed = await until(lambda: node.status("a1", "launch_failed"), "the failure")
    assert failed["message"] == "working directory /no/such/folder: No such file or directory"


async def test_an_order_without_a_command_fails_to_launch(node: FakeNode) -> None:
    await node.launch(order("a1"))
    failed = await until(lambda: node.status("a1", "launch_failed"), "the failure")
    assert failed["message"] == "the order has no command"


async def test_an_order_that_makes_no_sense_fails_alone(node: FakeNode) -> None:
    await node.launch(order("bad", "true", env=None), order("good", "true"))
    failed = await until(lambda: node.status("bad", "launch_failed"), "the failure")
    assert failed["message"].startswith("the order makes no sense")
    assert (await node.exited("good"))["exit_code"] == 0


async def test_a_task_works_in_a_fresh_folder_unless_one_is_given(
    node: FakeNode, agent: AgentProcess
) -> None:
    await node.launch(shell("a1", "pwd; ls -A"), shell("a2", "pwd", working_dir="/usr"))
    assert (await node.exited("a1"))["log_tail"] == f"{agent.folder_of('a1') / 'work'}\n"
    assert (await node.exited("a2"))["log_tail"] == "/usr\n"


async def test_a_taken_port_fails_the_launch_of_the_task_that_should_listen_there(node: FakeNode) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        await node.launch(order("a1", "true", reserve_port=port))
        failed = await until(lambda: node.status("a1", "launch_failed"), "the failure")
    assert failed["message"] == f"port {port} is taken"


async def test_a_task_starts_with_default_signal_handlers_and_in_a_session_of_its_own(node: FakeNode) -> None:
    await node.launch(shell("a1", "grep -E 'Sig(Ign|Blk)' /proc/self/status; exec sleep 60"))
    started = await node.started("a1")
    assert os.getsid(started["pid"]) not in {os.getsid(0), started["pid"]}
    log = await until_log(node, "a1", 2)
    # Signals 32 and 33 are the C library's own; whether they are touched depends on who started the tests.
    own = 0b11 << 31
    assert {int(line.split()[1], 16) & ~own for line in log.splitlines()} == {0}


async def test_stop_ends_a_task_with_term(node: FakeNode) -> None:
    await node.launch(order("a1", "sleep", "60"))
    await node.started("a1")
    await node.stop_task("a1")
    exited = await node.exited("a1")
    assert (exited["cause"], exited["signal"]) == ("stopped", signal.SIGTERM)


async def test_stop_kills_a_stubborn_family_whole_even_what_left_the_group_and_the_session(
    node: FakeNode,
) -> None:
    await node.launch(
        shell(
            "a1",
            "trap '' TERM; echo $$; "
            "setsid sh -c 'trap \"\" TERM; echo $$; while true; do sleep 1; done' & "
            "(trap '' TERM; sh -c 'echo $$; while true; do sleep 1; done') & "
            "while true; do sleep 1; done",
        )
    )
    log = await until_log(node, "a1", 3)
    pids = [int(line) for line in log.split()]
    await node.stop_task("a1", grace_s=0.3)
    exited = await node.exited("a1")
    assert (exited["cause"], exited["signal"]) == ("stopped", signal.SIGKILL)
    assert not any(alive(pid) for pid in pids)


async def test_what_a_command_leaves_in_the_background_is_gone_when_its_end_is_reported(
    node: FakeNode,
) -> None:
    await node.launch(shell("a1", "sleep 600 & echo $!; exit 0"))
    exited = await node.exited("a1")
    assert exited["exit_code"] == 0
    assert not alive(int(exited["log_tail"]))


async def test_a_stop_for_an_unknown_task_is_remembered_and_the_task_never_starts(node: FakeNode) -> None:
    await node.stop_task("a1")
    assert (await node.exited("a1"))["cause"] == "stopped"
    before = len(node.statuses)
    await node.launch(order("a1", "true"))
    await until(lambda: len(node.statuses) > before, "the repeated report")
    assert {item["event"] for item in node.statuses} == {"exited"}


async def test_a_launch_sent_twice_starts_once(node: FakeNode, agent: AgentProcess) -> None:
    once = shell("a1", f"echo x >> {agent.folder}/starts; sleep 60")
    await node.launch(once)
    await node.launch(once, once)
    await node.started("a1")
    await node.launch(once)
    await until(lambda: len(node.of("accepted")) >= 3, "every order to be accepted")
    await node.stop_task("a1")
    await node.exited("a1")
    await node.launch(once)
    await until(lambda: len(node.of("accepted")) >= 5, "every order to be accepted")
    assert (agent.folder / "starts").read_text() == "x\n"


async def test_a_task_that_runs_too_long_is_ended(node: FakeNode) -> None:
    await node.launch(order("a1", "sleep", "60", max_runtime_s=1))
    exited = await node.exited("a1")
    assert (exited["cause"], exited["message"]) == ("max_runtime", "ran longer than 1 s")


async def test_a_task_whose_shim_is_killed_is_lost_and_nothing_of_it_stays(node: FakeNode) -> None:
    await node.launch(shell("a1", "sleep 600 & sleep 600"))
    pid = (await node.started("a1"))["pid"]
    family = [pid, *(child.pid for child in psutil.Process(pid).children())]
    os.kill(os.getsid(pid), signal.SIGKILL)
    exited = await node.exited("a1")
    assert (exited["cause"], exited["exit_code"], exited["signal"]) == ("lost", None, None)
    assert not any(alive(pid) for pid in family)


async def test_term_to_the_shim_reaches_the_task(node: FakeNode) -> None:
    await node.launch(shell("a1", "trap 'echo caught; exit 7' TERM; while true; do sleep 0.1; done"))
    pid = (await node.started("a1"))["pid"]
    await asyncio.sleep(0.2)
    os.kill(os.getsid(pid), signal.SIGTERM)
    exited = await node.exited("a1")
    assert (exited["exit_code"], exited["cause"]) == (7, "exit")
    assert exited["log_tail"].endswith("caught\n")


async def test_a_task_sees_its_order_and_nothing_of_the_agent(vast: Vast, agent: AgentProcess) -> None:
    await agent.start(DATABASE_URL="postgres://secret", VAST_SECRET_KEY="s3cret", PYTHONPATH=str(Path.cwd()))
    node = await vast.node("lab-0")
    await node.launch(order("a1", "env", env={"RANK": "4", "MASTER_ADDR": "10.0.0.1"}))
    log = (await node.exited("a1"))["log_tail"]
    names = {line.split("=")[0] for line in log.splitlines()}
    assert {"RANK", "MASTER_ADDR", "PATH", "VAST_ALLOCATION_ID"} <= names
    assert not names & {"DATABASE_URL", "REDIS_URL", "VAST_SECRET_KEY", "PYTHONPATH", "VAST_HOME"}
    assert "RANK=4" in log


async def test_a_hundred_tasks_of_one_frame_all_run(node: FakeNode) -> None:
    ids = [f"a{number}" for number in range(100)]
    await node.launch(*(shell(pk, "exit 0") for pk in ids))
    await until(lambda: all(node.status(pk, "exited") for pk in ids), "all ends")
    assert {node.status(pk, "exited")["exit_code"] for pk in ids} == {0}  # type: ignore[index]


@pytest.mark.parametrize("name", ["../../escape", "", "a/b"])
async def test_an_id_that_could_leave_its_folder_is_refused(node: FakeNode, name: str) -> None:
    await node.launch(order(name, "true"), order("good", "true"))
    await node.exited("good")
    assert node.of("accepted")[0]["allocations"] == ["good"]


async def until_log(node: FakeNode, allocation: str, lines: int) -> str:
    """The log once it has so many lines."""
    await node.started(allocation)
    while True:
        data = str((await node.read_log(allocation))["data"])
        if data.count("\n") >= lines:
            return data
        await asyncio.sleep(0.05)
