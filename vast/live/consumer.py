"""The socket of a browser: it says what it wants to see and is sent that."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from vast.common import clock
from vast.common.errors import VastError
from vast.common.threads import in_thread
from vast.jobs.selectors import newest_event_id
from vast.live.hub import Viewer, hub
from vast.live.logs import MOST_OFFSET, read_log, task_visible_to
from vast.tenancy.models import User
from vast.tenancy.policies import visible_tenants

HEARTBEAT_S = 5.0
TOPICS = frozenset({"overview", "nodes", "jobs", "devices", "queues"})
MOST_TOPICS = 64
UNAUTHENTICATED = 4401


class LiveConsumer(AsyncWebsocketConsumer):
    """``/ws/live/``. Signed in by session cookie, or by a token in the Authorization header."""

    viewer: Viewer | None = None

    async def connect(self) -> None:
        await self.accept()
        self.user: User | None = self.scope.get("user")
        if self.user is None or not self.user.is_authenticated:
            await self.close(code=UNAUTHENTICATED)
            return
        self.viewer = Viewer(await in_thread(visible_tenants, self.user))
        self._log: asyncio.Task[None] | None = None
        await self._say(
            {
                "type": "hello",
                "protocol": 1,
                "server_time": clock.now().isoformat(),
                "last_event": await self._newest(),
            }
        )
        hub.viewers.add(self.viewer)
        self._loops = [asyncio.create_task(self._pass_on()), asyncio.create_task(self._heartbeat())]

    async def disconnect(self, code: int) -> None:
        if self.viewer is None:
            return
        hub.viewers.discard(self.viewer)
        for task in [*self._loops, *([self._log] if self._log else [])]:
            task.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        try:
            message = orjson.loads(text_data or bytes_data or b"")
            if "subscribe" in message:
                self._subscribe(message["subscribe"])
            if "log" in message:
                self._follow(message["log"])
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            await self._say(
                {"type": "error", "detail": 'Not understood. Send {"subscribe": [topics]} or {"log": {...}}.'}
            )

    def _subscribe(self, topics: list[str]) -> None:
        wanted = {t for t in topics[:MOST_TOPICS] if t in TOPICS or t.startswith(("job:", "device:"))}
        if self.viewer is not None:
            self.viewer.topics = frozenset(wanted)

    def _follow(self, request: dict[str, Any] | None) -> None:
        if self._log is not None:
            self._log.cancel()
            self._log = None
        if request is not None:
            task, offset = UUID(request["task"]), int(request.get("offset", 0))
            if not 0 <= offset <= MOST_OFFSET:
                raise ValueError(f"no offset: {offset}")
            self._log = asyncio.create_task(self._send_log(task, offset))

    async def _send_log(self, task: UUID, offset: int) -> None:
        """Follow one task's log to its end; an agent that cannot be reached is asked again."""
        if not await in_thread(task_visible_to, self.user, task):
            await self._say(
                {
                    "type": "log_error",
                    "task": str(task),
                    "problem": {"status": 404, "code": "not_found", "title": "There is no such task."},
                }
            )
            return
        while True:
            try:
                part = await read_log(task, offset=offset, limit=65_536, wait_s=10)
            except VastError as error:
                await self._say(
                    {
                        "type": "log_error",
                        "task": str(task),
                        "problem": {
                            "status": error.status,
                            "code": error.code,
                            "title": str(error.title),
                            "detail": str(error.detail),
                        },
                    }
                )
                await asyncio.sleep(2)
                continue
            except DatabaseError:
                await asyncio.sleep(1)
                continue
            if part["data"] or part["complete"]:
                await self._say({"type": "log", "task": str(task), "offset": offset, **part})
            offset = part["next_offset"]
            if part["complete"]:
                return

    async def _pass_on(self) -> None:
        assert self.viewer is not None
        while True:
            for text in await self.viewer.next():
                await self.send(text_data=text)

    async def _heartbeat(self) -> None:
        """The browser compares ``last_event`` with what it saw, and fetches anew when it missed something."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            try:
                newest = await self._newest()
            except DatabaseError:
                continue
            await self._say(
                {"type": "heartbeat", "last_event": newest, "server_time": clock.now().isoformat()}
            )

    async def _newest(self) -> int:
        assert self.user is not None
        return await in_thread(newest_event_id, self.user)

    async def _say(self, payload: dict[str, Any]) -> None:
        await self.send(text_data=orjson.dumps(payload).decode())
