"""Real agent processes for tests, and the orders they are given."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil

from tests.agent.fake_server import TOKEN

FLEET = """
name: lab
pool: default
nodes:
  - name: lab-{i}
    count: 3
    devices:
      - {vendor: nvidia, model: A100-SXM4-80GB, count: 2}
"""


class AgentProcess:
    """``vast-agent`` for the nodes lab-0 to lab-2, or those named."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.state = folder / "state"
        self._process: asyncio.subprocess.Process | None = None
        (folder / "fleet.yaml").write_text(FLEET)
        (folder / "token").write_text(TOKEN + "\n")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self, *options: str, nodes: tuple[str, ...] = ("lab-0",), **env: str) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "vast.agent", "--server", self.url),
            *("--token-file", str(self.folder / "token"), "--state", str(self.state)),
            *("--simulate", str(self.folder / "fleet.yaml")),
            *(word for node in nodes for word in ("--node", node)),
            *options,
            env={**os.environ, **env},
            start_new_session=True,
        )

    def keep_key(self, node: str, key: str) -> None:
        """As if the node had enrolled before."""
        folder = self.state / node
        folder.mkdir(parents=True)
        (folder / "key.json").write_text(json.dumps({"id": f"id-{node}", "key": key}))

    async def kill(self) -> None:
        """As kill -9 does: no word to anybody."""
        await self._end(signal.SIGKILL)

    async def terminate(self) -> int:
        return await self._end(signal.SIGTERM)

    async def _end(self, number: int) -> int:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
        return await asyncio.wait_for(self._process.wait(), 20)

    def folder_of(self, allocation: str, node: str = "lab-0") -> Path:
        return self.state / node / "tasks" / allocation


@contextlib.asynccontextmanager
async def agent_process(url: str, folder: Path) -> AsyncIterator[AgentProcess]:
    """An agent to start; at the end nothing of it is left, tasks included."""
    agent = AgentProcess(url, folder)
    try:
        yield agent
    finally:
        if agent._process is not None:
            await agent.kill()
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if (
                    str(folder) in process.environ().get("VAST_TEST_FOLDER", "")
                    or str(folder) in process.cwd()
                ):
                    process.kill()


def order(allocation: str, *command: str, **more: Any) -> dict[str, Any]:
    """A launch order as the server writes it."""
    return {
        "allocation": allocation,
        "task": f"task-of-{allocation}",
        "job": "job",
        "name": "job/main/0",
        "command": list(command) or None,
        "simulate": None,
        "env": {},
        "working_dir": None,
        "max_runtime_s": None,
        "reserve_port": None,
        "devices": [],
        "cpu_millis": 1000,
        "memory_mib": 1024,
    } | more


def shell(allocation: str, script: str, **more: Any) -> dict[str, Any]:
    return order(allocation, "/bin/sh", "-c", script, **more)


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended but was not waited for does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
