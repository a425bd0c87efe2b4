"""How a task ended, and who wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Outcome:
    """``at`` in Unix seconds. ``launch_failed``: why it never ran. ``lost``: it is gone, how it ended is not
    known.
    """

    at: float
    exit_code: int | None = None
    signal: int | None = None
    launch_failed: str = ""
    lost: str = ""


class Events(Protocol):
    """What a running task tells its node."""

    def started(self, allocation: str, pid: int | None, at: float) -> None: ...

    def ended(self, allocation: str, outcome: Outcome) -> None: ...


class RunningTask(Protocol):
    """A task between its start and its end, real or simulated."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""

    def check(self) -> None:
        """Now and then: notice what no signal told."""
