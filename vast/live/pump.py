"""The background work of a web process: Redis in, frames out, samples stored, nodes noted as seen."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import redis.asyncio
from django.conf import settings
from django.db import DatabaseError

from vast.common import clock
from vast.common.broadcast import EVENTS, ORDERS, TELEMETRY
from vast.common.threads import in_thread
from vast.config.env import environment
from vast.drivers.agent.intake import intake
from vast.drivers.agent.sockets import sockets
from vast.inventory.services import seen
from vast.live.aggregate import Given, add_up, overview_payload, read_given
from vast.live.history import EVERY_S, history
from vast.live.hub import hub
from vast.telemetry.latest import latest
from vast.telemetry.services import store

log = logging.getLogger(__name__)
SHARE_S = 0.25
FRAME_S = 0.5
DEVICES_EVERY_S = 5.0
SEEN_EVERY_S = 4.0


class Pump:
    """Starts and stops the loops."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._redis = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, socket_timeout=None, socket_connect_timeout=2
        )
        self._sent_version = 0
        self.given = Given({}, {}, {})

    def start(self) -> None:
        sockets.publish = self._publish
        loops: list[Callable[[], Awaitable[None]]] = [
            self._receive,
            intake.run,
            self._share,
            self._frames,
            self._devices,
            self._remember,
            self._seen,
            self._store,
        ]
        self._tasks = [asyncio.create_task(_for_ever(loop), name=loop.__qualname__) for loop in loops]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._redis.aclose()

    async def _publish(self, channel: str, data: bytes) -> int:
        try:
            return int(await self._redis.publish(channel, data))
        except redis.RedisError:
            return 0

    async def _receive(self) -> None:
        """Follow Redis; after it was away, browsers are told to fetch anew."""
        async with self._redis.pubsub() as subscription:
            await subscription.subscribe(EVENTS, ORDERS, TELEMETRY, sockets.reply_channel)
            hub.resync()
            async for message in subscription.listen():
                if message["type"] == "message":
                    await self._dispatch(message["channel"].decode(), orjson.loads(message["data"]))
        raise ConnectionError("the Redis subscription ended")

    async def _dispatch(self, channel: str, payload: Any) -> None:
        if channel == ORDERS:
            await sockets.forward(payload)
        elif channel == EVENTS:
            hub.events(payload)
        elif channel == TELEMETRY:
            if payload["process"] != sockets.process:
                for node, (at, rows) in payload["nodes"].items():
                    latest.apply(node, at, rows)
        else:
            sockets.resolve(payload)

    async def _share(self) -> None:
        """Own agents' readings, for the other web processes."""
        while True:
            await asyncio.sleep(SHARE_S)
            changed = latest.take_own_changes()
            if changed:
                await self._publish(TELEMETRY, orjson.dumps({"process": sockets.process, "nodes": changed}))

    async def _frames(self) -> None:
        while True:
            await asyncio.sleep(FRAME_S)
            if hub.viewers:
                await self._send_frames()

    async def _send_frames(self) -> None:
        at = clock.now().isoformat()
        if hub.wanted("overview"):
            self.given = await in_thread(read_given)
        overview = add_up(latest, self.given) if hub.wanted("overview") or hub.wanted("nodes") else None
        if overview is not None and hub.wanted("overview"):
            head = {"type": "overview", "at": at}
            hub.frame_by_tenants(
                "overview", lambda whose: head | overview_payload(overview, self.given, whose)
            )
        changed = [device for device, version in latest.version.items() if version > self._sent_version]
        self._sent_version = latest.clock
        if overview is not None and hub.wanted("nodes") and changed:
            now, nodes = time.time(), []
            for node in {latest.devices[d].node for d in changed if d in latest.devices}:
                sums = overview.nodes[node].as_dict()
                age = (
                    min(
                        (
                            now - latest.readings[d].at
                            for d in changed
                            if d in latest.devices and latest.devices[d].node == node
                        ),
                        default=0.0,
                    )
                    if len(changed) < 64
                    else 0.0
                )
                nodes.append(
                    [node, sums["util_pct"], sums["memory_used_mib"], sums["power_w"], round(age, 1)]
                )
            hub.frame("nodes", {"type": "nodes", "at": at, "nodes": nodes})
        rows = {d: _row(d) for d in changed} if hub.wanted("devices") else {}
        if rows:
            hub.frame("devices", {"type": "devices", "at": at, "devices": list(rows.values())})
        for topic in hub.wanted_with_prefix("device:"):
            device = topic.removeprefix("device:")
            if device in latest.readings and device in set(changed):
                hub.frame(topic, {"type": "devices", "at": at, "devices": [_row(device)]})

    async def _devices(self) -> None:
        """Which devices there are: read again now and then; new nodes show within this time."""
        while True:
            await in_thread(latest.load_devices)
            await asyncio.sleep(DEVICES_EVERY_S)

    async def _remember(self) -> None:
        """The overview's past, also while nobody looks."""
        while True:
            await asyncio.sleep(EVERY_S)
            given = await in_thread(read_given)
            history.add(time.time(), add_up(latest, given), given)

    async def _seen(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(SEEN_EVERY_S)
            nodes = sockets.heard_since(began)
            for node in await in_thread(seen, nodes) if nodes else ():
                log.warning("node %s was declared lost and is heard again: it has to enrol anew", node)
                await sockets.refuse(str(node))

    async def _store(self) -> None:
        while True:
            await asyncio.sleep(environment().sample_every_s)
            await in_thread(store, latest.take_unstored())


def _row(device: str) -> list[Any]:
    reading = latest.readings[device]
    return [
        device,
        reading.util_pct,
        reading.memory_used_mib,
        reading.temperature_c,
        reading.power_w,
        reading.at,
    ]


async def _for_ever(loop: Callable[[], Awaitable[None]]) -> None:
    """Run a loop again after an error of the database or Redis: they come back."""
    while True:
        try:
            await loop()
        except (DatabaseError, redis.RedisError, OSError) as error:
            log.warning("%s: %s; going on", loop.__qualname__, str(error).splitlines()[:1])
        except Exception:
            log.exception("%s failed; going on", loop.__qualname__)
        await asyncio.sleep(0.3)


pump = Pump()
