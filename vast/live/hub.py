"""The browsers of this web process, and what each of them wants to see.

A message is encoded once and handed to everyone who asked for its topic. Each browser has a small outbox: telemetry keeps
only the newest frame of a topic, events are kept in order, and a browser that cannot follow is told to fetch anew.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import orjson

MOST_WAITING = 500
RESYNC = orjson.dumps({"type": "resync"}).decode()


class Viewer:
    """One browser socket. ``tenants`` None = may see every tenant."""

    def __init__(self, tenants: frozenset[str] | None) -> None:
        self.tenants = tenants
        self.topics: frozenset[str] = frozenset()
        self._events: deque[str] = deque()
        self._frames: dict[str, str] = {}
        self._wake = asyncio.Event()

    def may_see(self, tenant: str | None) -> bool:
        return self.tenants is None or (tenant is not None and tenant in self.tenants)

    def push_frame(self, topic: str, text: str) -> None:
        self._frames[topic] = text
        self._wake.set()

    def push_event(self, text: str) -> None:
        if len(self._events) >= MOST_WAITING:
            self._events.clear()
            self._events.append(RESYNC)
        else:
            self._events.append(text)
        self._wake.set()

    async def next(self) -> list[str]:
        """What to send now; waits until there is something."""
        await self._wake.wait()
        self._wake.clear()
        out = [*self._events, *self._frames.values()]
        self._events.clear()
        self._frames.clear()
        return out


class Hub:
    def __init__(self) -> None:
        self.viewers: set[Viewer] = set()

    def wanted(self, topic: str) -> bool:
        return any(topic in viewer.topics for viewer in self.viewers)

    def wanted_with_prefix(self, prefix: str) -> set[str]:
        return {topic for viewer in self.viewers for topic in viewer.topics if topic.startswith(prefix)}

    def frame(self, topic: str, payload: dict[str, Any]) -> None:
        """Telemetry: only the newest matters."""
        text = orjson.dumps(payload).decode()
        for viewer in self.viewers:
            if topic in viewer.topics:
                viewer.push_frame(topic, text)

    def frame_by_tenants(self, topic: str, make: Callable[[frozenset[str] | None], dict[str, Any]]) -> None:
        """As ``frame``, for what depends on whose jobs one may see: made once for all who may see the same."""
        texts: dict[frozenset[str] | None, str] = {}
        for viewer in self.viewers:
            if topic in viewer.topics:
                if viewer.tenants not in texts:
                    texts[viewer.tenants] = orjson.dumps(make(viewer.tenants)).decode()
                viewer.push_frame(topic, texts[viewer.tenants])

    def events(self, events: list[dict[str, Any]]) -> None:
        """Job events, to those who follow jobs or that job, and may see its tenant."""
        for event in events:
            tenant = event.pop("tenant", None)
            text = orjson.dumps({"type": "event", "event": event}).decode()
            topics = {"jobs", f"job:{event['job']}", "overview", "queues"}
            for viewer in self.viewers:
                if viewer.may_see(tenant) and not topics.isdisjoint(viewer.topics):
                    viewer.push_event(text)

    def resync(self) -> None:
        """Something may have been missed."""
        for viewer in self.viewers:
            viewer.push_event(RESYNC)


hub = Hub()
