"""The scheduler process: one is active, behind an advisory lock in PostgreSQL; others stand by."""

from __future__ import annotations

import logging
import signal
import time
from pathlib import Path
from types import FrameType

import psycopg
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections

from vast.allocation.cycle import Cycle
from vast.common.wake import CHANNEL
from vast.config.env import environment
from vast.simulator.recording import Ring

log = logging.getLogger("vast.scheduler")
LOCK = 0x7A57_0002
POLL_S = 1.0
# Wake-ups that come close together are served by one cycle.
COALESCE_S = 0.03


class LeadershipLost(OperationalError):
    """The connection that held the lock is gone: another scheduler may be active."""


class Scheduler:
    """Leads while its own database connection holds the lock; commits go through that same connection."""

    def __init__(self) -> None:
        self.stopping = False
        self._listener: psycopg.Connection | None = None

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        # A pooled connection is handed back and forth; the lock needs one that stays.
        connections.settings["default"]["OPTIONS"].pop("pool", None)
        while not self.stopping:
            try:
                self._lead()
            except (OperationalError, InterfaceError, psycopg.Error) as error:
                log.warning("database: %s; trying again", str(error).strip().splitlines()[:1])
                self._reset()
                time.sleep(0.3)
        self._reset()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _reset(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        connection.close()

    def _lead(self) -> None:
        self._listener = psycopg.connect(environment().database_url, autocommit=True)
        self._listener.execute(f"LISTEN {CHANNEL}")
        while not self.stopping and not self._take_lock():
            log.info("another scheduler is active; standing by")
            time.sleep(2)
        log.info("active")
        settings_ = environment()
        ring = Ring(Path(settings_.home) / "cycles", settings_.scheduler_record)
        cycle = Cycle(budget=settings_.scheduler_budget, deliver=deliver_soon, guard=guard, ring=ring)
        while not self.stopping:
            began = time.monotonic()
            started = cycle.run()
            if started:
                log.info("started %d jobs in %.0f ms", started, (time.monotonic() - began) * 1000)
            self._wait(self._listener)

    @staticmethod
    def _take_lock() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
            return bool(cursor.fetchone()[0])

    @staticmethod
    def _wait(listener: psycopg.Connection) -> None:
        """Until something was committed that may matter, or the poll is due."""
        for _ in listener.notifies(timeout=POLL_S, stop_after=1):
            time.sleep(COALESCE_S)
        for _ in listener.notifies(timeout=0):
            pass


def guard() -> None:
    """Inside a commit: this very connection must hold the lock, or a silent reconnect has lost it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND pid = pg_backend_pid() AND granted",
            [LOCK],
        )
        if cursor.fetchone() is None:
            raise LeadershipLost("the scheduler's lock is gone with its connection")


def deliver_soon() -> None:
    """Ask a worker to send the new orders. If the broker is away, the sweep finds them."""
    from vast.drivers.tasks import deliver_now

    deliver_now()


def run() -> None:
    """Entry of ``vast scheduler``. Returns after SIGTERM or SIGINT."""
    log.info("database %s", settings.DATABASES["default"]["HOST"])
    Scheduler().run()
