"""Reports of all agents of this process, taken into the database together: one transaction for what came in a moment."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError

from vast.allocation.services import Report, accepted, report
from vast.common.threads import in_thread
from vast.drivers.tasks import deliver_now

log = logging.getLogger(__name__)
GATHER_S = 0.02
MOST = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """One frame's worth; ``accepted`` by kind of order. ``done`` is called once it is committed."""

    node_id: str
    reports: list[Report] = field(default_factory=list)
    accepted: dict[str, list[UUID]] = field(default_factory=dict)
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
                if len(entries) > 1:
                    for entry in entries:
                        await self._take([entry])
                    return
                pieces = _pieces(entries[0])
                if not pieces:
                    log.exception("a report of node %s cannot be taken in and is dropped", entries[0].node_id)
                for piece in pieces:
                    await self._take([piece])
                break
        for entry in entries:
            if entry.done is not None:
                await entry.done()


def _pieces(entry: Entry) -> list[Entry]:
    """The entry's items one by one, in order, so that a bad one is lost alone; none when it has only one."""
    pieces = [
        Entry(entry.node_id, accepted={kind: [pk]}) for kind, pks in entry.accepted.items() for pk in pks
    ]
    pieces += [Entry(entry.node_id, [item]) for item in entry.reports]
    return pieces if len(pieces) > 1 else []


def _write(entries: list[Entry]) -> None:
    for entry in entries:
        for kind, allocations in entry.accepted.items():
            accepted(node_id=UUID(entry.node_id), allocations=allocations, kind=kind)
    reports = [item for entry in entries for item in entry.reports]
    if reports and report(reports):
        deliver_now()


# What reading a frame raises when it is not what the protocol says.
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
MOST_MIB = 2**31 - 1
# Unix seconds up to the year 2100.
MOST_AT = 4_102_444_800.0


def parse_telemetry(frame: dict[str, Any]) -> tuple[float, list[list[Any]]]:
    """``(at, rows)``, checked: one node's nonsense must not spoil the sums and samples of all. Raises MALFORMED."""
    at = float(frame["at"])
    if not 0 <= at <= MOST_AT:
        raise ValueError(f"no moment: {at}")
    return at, [_reading(*row) for row in frame["devices"]]


def _reading(
    uuid: str,
    util: float | None,
    memory: float | None,
    temperature: float | None,
    power: float | None,
    health: str | None,
) -> list[Any]:
    used = None if memory is None else int(memory)
    if used is not None and not 0 <= used <= MOST_MIB:
        raise ValueError(f"no amount of memory: {used}")
    numbers = [None if value is None else float(value) for value in (util, temperature, power)]
    return [str(uuid), numbers[0], used, numbers[1], numbers[2], None if health is None else str(health)]


def parse_reports(items: list[dict[str, Any]], node: UUID) -> list[Report]:
    """The well-formed items; a malformed one is logged and left out, since repeating it cannot mend it."""
    reports = []
    for item in items:
        try:
            reports.append(Report.parse(item, node))
        except MALFORMED as error:
            log.error("malformed status item left out: %s", error)
    return reports


intake = Intake()
