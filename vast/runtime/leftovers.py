"""Processes of a supervisor that was killed. They end by themselves; the next start makes sure of it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from vast.runtime.child import Child
from vast.runtime.files import write_private
from vast.runtime.identity import signal_group, start_ticks, wait_gone

_GRACE_S = 15.0


class ProcessRecord:
    """A file with the processes that run now, each by number and start time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, children: list[Child]) -> None:
        running = [
            {"name": child.spec.name, "pid": child.process.pid, "ticks": start_ticks(child.process.pid)}
            for child in children
            if child.process is not None and child.alive
        ]
        write_private(self._path, json.dumps(running) + "\n")

    def clear_leftovers(self) -> list[str]:
        """Wait for the recorded processes that still run to end, kill the stubborn, and give their names.

        Agents are killed with their supervisor; their tasks run on and are adopted by the next agent.
        """
        names = []
        for name, pid, ticks in self._read():
            if start_ticks(pid) != ticks:
                continue
            names.append(name)
            if not wait_gone(pid, ticks, _GRACE_S):
                signal_group(pid, signal.SIGKILL)
                wait_gone(pid, ticks, _GRACE_S)
        return names

    def _read(self) -> list[tuple[str, int, int]]:
        try:
            rows = json.loads(self._path.read_text("utf-8"))
            return [(str(row["name"]), int(row["pid"]), int(row["ticks"])) for row in rows if row["ticks"]]
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            # Written in one step, so only a hand can have damaged it. Without it, ports that are still taken
            # are noticed when they are wanted.
            return []
