"""Which process a number means. A number alone is not enough: the kernel gives it out again."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def start_ticks(pid: int) -> int | None:
    """Clock ticks after boot at which the process began; None when it is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name is in parentheses and may hold anything; the fields begin after the last one.
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else int(fields[19])


def working_folder(pid: int) -> Path | None:
    """The process's current folder; None when it is gone or another user's."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


def wait_gone(pid: int, ticks: int, timeout_s: float) -> bool:
    """Wait until that very process has ended; False when it still runs after ``timeout_s``."""
    deadline = time.monotonic() + timeout_s
    while start_ticks(pid) == ticks:
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def signal_group(group: int, number: signal.Signals) -> bool:
    """Send the signal to every process of the group; False when the group is empty."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True
