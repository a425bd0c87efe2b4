"""Reports of all agents of this process, taken into the database together: one transaction for what came in a moment."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError

from vast.allocation.services import Report, accepted, report
from vast.common.threads import in_thread
from vast.drivers.tasks import deliver_now

log = logging.getLogger(__name__)
GATHER_S = 0.005
MOST = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """One frame's worth. ``done`` is called once it is committed."""

    node_id: str
    reports: list[Report]
    accepted: list[UUID]
    done: Callable[[], Awaitable[None]] | None = None


class Intake:
    def __init__(self) -> None:
        self._queue: asyncio.Queue[Entry] = asyncio.Queue(maxsize=10_000)

    async def put(self, entry: Entry) -> None:
        await self._queue.put(entry)

    async def run(self) -> None:
        """For the life of the process."""
        while True:
            entries = [await self._queue.get()]
            await asyncio.sleep(GATHER_S)
            size = len(entries[0].reports)
            while not self._queue.empty() and size < MOST:
                entries.append(self._queue.get_nowait())
                size += len(entries[-1].reports)
            await self._take(entries)

    async def _take(self, entries: list[Entry]) -> None:
        while True:
            try:
                await in_thread(_write, entries)
                break
            except (OperationalError, InterfaceError) as error:
                # The database is away: keep the reports, the agents keep theirs too.
                log.warning("reports wait for the database: %s", str(error).splitlines()[:1])
                await asyncio.sleep(0.5)
            except Exception:
                if len(entries) == 1:
                    log.exception("a report of node %s cannot be taken in and is dropped", entries[0].node_id)
                    break
                for entry in entries:
                    await self._take([entry])
                return
        for entry in entries:
            if entry.done is not None:
                await entry.done()


def _write(entries: list[Entry]) -> None:
    for entry in entries:
        if entry.accepted:
            accepted(node_id=UUID(entry.node_id), allocations=entry.accepted)
    reports = [item for entry in entries for item in entry.reports]
    if reports and report(reports):
        deliver_now()


def parse_reports(items: list[dict[str, Any]]) -> list[Report]:
    """The well-formed items; a malformed one is logged and left out, since repeating it cannot mend it."""
    reports = []
    for item in items:
        try:
            reports.append(Report.parse(item))
        except (KeyError, TypeError, ValueError) as error:
            log.error("malformed status item left out: %s", error)
    return reports


intake = Intake()
