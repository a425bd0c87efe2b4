"""Processes by number *and* start time, since the kernel gives numbers out again."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

SWEEP_S = 5.0


@dataclass(frozen=True, slots=True)
class Identity:
    """One process for good. ``start`` in the kernel's ticks since boot."""

    pid: int
    start: int

    def alive(self) -> bool:
        """A process that has ended but was not waited for counts as gone."""
        stat = _stat(self.pid)
        return stat is not None and stat[1] == self.start and stat[0] not in {"Z", "X"}


def boot_id() -> str:
    """Differs after each start of the machine, across which no process lives on."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def end_session(leader: Identity) -> bool:
    """KILL every process of the session that ``leader`` led or leads, itself included.

    Blocks up to some seconds. False when some cannot be killed (the kernel holds them in uninterruptible
    waits).
    """
    deadline = time.monotonic() + SWEEP_S
    while time.monotonic() < deadline:
        members = _session(leader)
        if not members:
            return True
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.02)
    return False


def _session(leader: Identity) -> list[int]:
    stat = _stat(leader.pid)
    if stat is not None and stat[1] != leader.start:
        # The number went to a new process, which the kernel only allows once nothing of the old session is
        # left.
        return []
    members = []
    for pid in psutil.pids():
        try:
            if os.getsid(pid) != leader.pid:
                continue
        except (ProcessLookupError, PermissionError):
            continue
        found = _stat(pid)
        if found is not None and found[0] not in {"Z", "X"} and found[1] >= leader.start:
            members.append(pid)
    return members


def _stat(pid: int) -> tuple[str, int] | None:
    """State letter and start ticks; None when there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return fields[0].decode(), int(fields[19])
