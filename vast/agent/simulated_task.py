"""A task that is only a timer, for load tests: the same orders, states and reports, no process."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Mapping
from typing import Any

from vast.agent.outcome import Events, Outcome


class SimulatedTask:
    """Runs for ``seconds`` from its start, which a later agent reads from the journal; then ends with
    ``exit_code``."""

    def __init__(self, allocation: str, simulate: Mapping[str, Any], events: Events) -> None:
        self._allocation, self._events = allocation, events
        self._seconds, self._exit_code = float(simulate["seconds"]), int(simulate.get("exit_code") or 0)
        self._timer: asyncio.TimerHandle | None = None

    def start(self, started_at: float | None = None) -> None:
        """Start, or go on with what began at ``started_at`` (Unix seconds)."""
        now = time.time()
        if started_at is None:
            started_at = now
            self._events.started(self._allocation, None, now)
        left = max(0.0, started_at + self._seconds - now)
        self._timer = asyncio.get_running_loop().call_later(left, self._finish, self._exit_code, None)

    def terminate(self) -> None:
        self._finish(None, int(signal.SIGTERM))

    def kill(self) -> None:
        self._finish(None, int(signal.SIGKILL))

    def check(self) -> None:
        """A timer needs no looking after."""

    def _finish(self, exit_code: int | None, number: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._events.ended(self._allocation, Outcome(time.time(), exit_code, number))
