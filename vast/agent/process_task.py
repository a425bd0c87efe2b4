"""One task as real processes: start it, find it again after a restart, stop it, learn how it ended.

Everything is told by the files in its folder (see ``shim``), so starting and adopting are the same thing:
look.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import time
from pathlib import Path
from typing import Any

from vast.agent.outcome import Events, Outcome
from vast.agent.processes import Identity, end_session
from vast.agent.spawner import Spawner

log = logging.getLogger(__name__)
# A shim that was asked for answers within milliseconds.
IMPATIENT_S = 3.0
# A shim kills within a moment; one that cannot (it was stopped) is killed itself, with all its session.
KILL_PATIENCE_S = 3.0


class ProcessTask:
    """Tells ``events`` at most one start and exactly one end."""

    def __init__(self, allocation: str, folder: Path, spawner: Spawner, events: Events) -> None:
        self._allocation, self._folder = allocation, folder
        self._spawner, self._events = spawner, events
        self._shim: Identity | None = None
        self._pidfd = -1
        self._told_start = self._over = False
        self._ask_after = 0.0
        self._terminate = self._kill = False
        self._sweep: asyncio.Task[None] | None = None

    def launch(self, spec: dict[str, Any]) -> None:
        """Start the command. Raises OSError when the folder cannot be made."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if spec["working_dir"] is None:
            work = self._folder / "work"
            work.mkdir(exist_ok=True)
            spec = spec | {"working_dir": str(work)}
        temporary = self._folder / "spec.new"
        temporary.write_text(json.dumps(spec), encoding="utf-8")
        temporary.rename(self._folder / "spec.json")
        self._ask()

    def adopt(self, *, told_start: bool) -> bool:
        """Take up what an earlier agent left. False when it had not begun to start anything."""
        if not (self._folder / "spec.json").exists():
            return False
        self._told_start = told_start
        self._look()
        return True

    def terminate(self) -> None:
        self._terminate = True
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._kill = True
        self._signal(signal.SIGUSR2)
        asyncio.get_running_loop().call_later(KILL_PATIENCE_S, self._sweep_if_alive)

    def check(self) -> None:
        if not self._told_start and not self._over and time.monotonic() >= self._ask_after:
            self._look()

    def _ask(self) -> None:
        self._ask_after = time.monotonic() + IMPATIENT_S
        self._spawner.launch(self._folder, self._noticed)

    def _noticed(self, problem: str) -> None:
        if problem and not (self._folder / "claim").exists():
            self._end(Outcome(time.time(), launch_failed=f"no process could be started: {problem}"))
        else:
            self._look()

    def _look(self) -> None:
        """Bring this object in line with the folder."""
        if self._over or self._end_if_settled():
            return
        if self._shim is None:
            claim = self._read("claim")
            if claim is None:
                self._ask()
                return
            self._shim = Identity(claim["pid"], claim["start"])
            self._watch()
        started = self._read("started")
        if started is not None and not self._told_start and not self._over:
            self._told_start = True
            self._spawner.forget(self._folder)
            self._events.started(self._allocation, started["pid"], started["at"])
        self._pass_on_orders()

    def _watch(self) -> None:
        assert self._shim is not None
        try:
            self._pidfd = os.pidfd_open(self._shim.pid)
        except ProcessLookupError:
            self._shim_ended()
            return
        if not self._shim.alive():
            self._shim_ended()
            return
        asyncio.get_running_loop().add_reader(self._pidfd, self._shim_ended)

    def _shim_ended(self) -> None:
        self._unwatch()
        if self._over or self._end_if_settled():
            return
        self._start_sweep("the process that watched this task is gone; what was left of the task was killed")

    def _end_if_settled(self) -> bool:
        settled = self._read("exit")
        if settled is None:
            return False
        started = self._read("started")
        if started is not None and not self._told_start:
            self._told_start = True
            self._events.started(self._allocation, started["pid"], started["at"])
        self._end(Outcome(**settled))
        return True

    def _signal(self, number: signal.Signals) -> None:
        if self._pidfd >= 0:
            try:
                signal.pidfd_send_signal(self._pidfd, number)
            except ProcessLookupError:
                log.debug("%s ended before signal %s", self._allocation, number.name)

    def _pass_on_orders(self) -> None:
        """A stop that came before the process was there."""
        if self._kill:
            self._signal(signal.SIGUSR2)
        elif self._terminate:
            self._signal(signal.SIGTERM)

    def _sweep_if_alive(self) -> None:
        if not self._over and self._shim is not None:
            self._start_sweep("killed together with the process that watched it")

    def _start_sweep(self, why: str) -> None:
        if self._sweep is None or self._sweep.done():
            self._sweep = asyncio.create_task(self._sweep_session(why))

    async def _sweep_session(self, why: str) -> None:
        assert self._shim is not None
        while not await asyncio.to_thread(end_session, self._shim):
            log.error("%s: processes of this task cannot be killed; trying on", self._allocation)
        if not self._over and not self._end_if_settled():
            self._end(Outcome(time.time(), signal=int(signal.SIGKILL) if self._kill else None, lost=why))

    def _end(self, outcome: Outcome) -> None:
        self._over = True
        self._unwatch()
        self._spawner.forget(self._folder)
        self._events.ended(self._allocation, outcome)

    def _unwatch(self) -> None:
        if self._pidfd >= 0:
            asyncio.get_running_loop().remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            content: dict[str, Any] = json.loads((self._folder / name).read_bytes())
        except FileNotFoundError:
            return None
        return content
