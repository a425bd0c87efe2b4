"""What a node's agent must never forget: orders, stops, and reports that the server has not confirmed.

A pure state machine over small records. The journal keeps the records on disk and replays them here, so the
state after kill -9 is the state before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Record = list[Any]
Item = dict[str, Any]

# Kept of a confirmed final report. The log's tail is with the server by then.
_LASTING = ("allocation", "event", "at", "pid", "exit_code", "signal", "cause", "message")


@dataclass(slots=True)
class Stop:
    """A task is to end. ``cause`` as in the protocol; ``at`` Unix seconds, ``grace_s`` from then on."""

    cause: str
    grace_s: float
    at: float


@dataclass(slots=True)
class Entry:
    """One allocation. ``order`` is None once its end is confirmed, and for one that was stopped before it
    came.
    """

    allocation: str
    order: dict[str, Any] | None = None
    stop: Stop | None = None
    started: Item | None = None
    final: Item | None = None

    @property
    def state(self) -> str:
        if self.final is not None:
            return "exited"
        return "running" if self.started is not None else "starting"


class Ledger:
    """Entries by allocation id, and unconfirmed reports by their number, oldest first."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.unacked: dict[int, Item] = {}
        self.next_number = 1
        self.boot = ""

    def apply(self, record: Record) -> None:
        """Take one record in. Raises ValueError for a kind this version does not know."""
        match record:
            case ["boot", boot]:
                self.boot = boot
            case ["order", order]:
                self.entries[order["allocation"]] = Entry(order["allocation"], order)
            case ["stop", allocation, cause, grace_s, at]:
                self.entries[allocation].stop = Stop(cause, grace_s, at)
            case ["status", number, item]:
                self._note(item)
                self.unacked[number] = item
                self.next_number = number + 1
            case ["told", item]:
                self._note(item)
                self._confirmed(item)
            case ["ack", number]:
                self._ack(number)
            case ["next", number]:
                self.next_number = number
            case ["forget", allocation]:
                self.entries.pop(allocation, None)
            case _:
                raise ValueError(f"unknown record {record!r}")

    def status(self, item: Item) -> Record:
        """The record that reports ``item`` under the next number."""
        return ["status", self.next_number, item]

    def repeat(self, allocation: str) -> list[Record]:
        """The records that report an allocation's last known state once more; none when it is on its way
        anyway.
        """
        entry = self.entries[allocation]
        last = entry.final or entry.started
        if last is None or any(item is last for item in self.unacked.values()):
            return []
        return [self.status(last)]

    def unfinished(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if entry.final is None]

    def to_greet_with(self) -> list[dict[str, str]]:
        """The allocations the server must hear of in a hello: all whose end it has not confirmed."""
        waiting = {item["allocation"] for item in self.unacked.values()}
        return [
            {"allocation": entry.allocation, "state": entry.state}
            for entry in self.entries.values()
            if entry.final is None or entry.allocation in waiting
        ]

    def records(self) -> Iterator[Record]:
        """The shortest history that leads to this state."""
        yield ["boot", self.boot]
        waiting = {id(item) for item in self.unacked.values()}
        for entry in self.entries.values():
            if entry.order is not None:
                yield ["order", entry.order]
            if entry.stop is not None and entry.order is not None:
                yield ["stop", entry.allocation, entry.stop.cause, entry.stop.grace_s, entry.stop.at]
            for item in (entry.started, entry.final):
                if item is not None and id(item) not in waiting:
                    yield ["told", item]
        for number, item in self.unacked.items():
            yield ["status", number, item]
        yield ["next", self.next_number]

    def _note(self, item: Item) -> None:
        entry = self.entries.setdefault(item["allocation"], Entry(item["allocation"]))
        if item["event"] == "started":
            entry.started = item
        else:
            entry.final = item

    def _ack(self, number: int) -> None:
        for confirmed in [known for known in self.unacked if known <= number]:
            self._confirmed(self.unacked.pop(confirmed))

    def _confirmed(self, item: Mapping[str, Any]) -> None:
        entry = self.entries.get(item["allocation"])
        if entry is not None and entry.final is item:
            entry.order = entry.stop = entry.started = None
            entry.final = {key: item[key] for key in _LASTING if key in item}
