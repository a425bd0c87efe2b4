"""The agent's side of the shims' parent: one small process that forks a shim for every task folder it is
told.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from vast.agent import shim

log = logging.getLogger(__name__)
RESTART_S = 0.2
Notice = Callable[[str], None]


class Spawner:
    """``launch`` a task folder; its shim's notices go to the callback given with it.

    A notice is only a hint to look into the folder, which tells everything. When the process behind this dies
    it is started anew; a launch lost on the way is found by the tasks' own check and asked for again, which
    is safe, since a folder can be claimed once only.
    """

    def __init__(self) -> None:
        self._watchers: dict[str, Notice] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        # Many sockets and log files need many descriptors; tasks get back what the agent was given.
        self._soft_limit, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def start(self) -> None:
        self._keeper = asyncio.create_task(self._keep(), name="spawner")
        await self._ready.wait()

    async def close(self) -> None:
        """Let go: running shims stay."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            await self._process.wait()

    def launch(self, folder: Path, notice: Notice) -> None:
        """Ask for a shim. Nothing happens when the folder is claimed already, but the notice comes all the
        same.
        """
        self._watchers[str(folder)] = notice
        stdin = self._process.stdin if self._process is not None else None
        if stdin is not None and not stdin.is_closing():
            stdin.write(os.fsencode(folder) + b"\n")

    def forget(self, folder: Path) -> None:
        self._watchers.pop(str(folder), None)

    async def _keep(self) -> None:
        while True:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, *("-I", "-S", "-E"), shim.__file__, str(self._soft_limit),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                env={"PATH": os.defpath}, cwd="/", start_new_session=True,
            )  # fmt: skip
            self._ready.set()
            reader = asyncio.create_task(self._read(self._process))
            try:
                code = await self._process.wait()
            finally:
                reader.cancel()
            log.warning("the process that starts tasks ended with %s and is started again", code)
            await asyncio.sleep(RESTART_S)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            what, _, folder = os.fsdecode(line).rstrip("\n").partition(" ")
            problem = ""
            if what == "unforked":
                problem, _, folder = folder.partition(" ")
            watcher = self._watchers.get(folder)
            if watcher is not None:
                watcher(problem.replace("_", " "))
