"""Following a task's log by long polls, over anything that interrupts them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vast.client.transport import Transport

CHUNK_BYTES = 262_144
LONG_POLL_S = 10.0
IDLE_PAUSE_S = 0.5


@dataclass(frozen=True, slots=True)
class LogChunk:
    """``offset`` and ``next_offset`` are bytes; ``complete``: the task has ended and this is the end."""

    data: str
    offset: int
    next_offset: int
    size: int
    complete: bool


class LogReader:
    """Reads one task's log from an offset on, remembering where it is.

    ``outage_s``: for how long the server or the task's node may be away (None: as for any other call);
    reading then goes on at the offset reached.
    """

    def __init__(
        self, transport: Transport, task_id: str, *, offset: int = 0, outage_s: float | None = None
    ) -> None:
        self._transport = transport
        self._path = f"tasks/{task_id}/log/"
        self._outage_s = outage_s
        self.offset = offset
        self.complete = False

    def read(self, wait_s: float = 0.0) -> LogChunk:
        """The next part; empty when nothing came within ``wait_s`` seconds.

        Raises VastError when the log is refused, Unreachable when the outage lasts too long.
        """
        answer = self._ask(self.offset, wait_s)
        if answer["size"] < self.offset and answer.get("source") != "tail":
            # A task that was started again has a new, shorter log: it is read from its beginning. (A tail is
            # shorter too, but only repeats the end of what was read.)
            self.offset = 0
            answer = self._ask(0, 0.0)
        chunk = LogChunk(
            data=answer["data"],
            offset=self.offset,
            next_offset=answer["next_offset"],
            size=answer["size"],
            complete=answer["complete"],
        )
        self.offset = chunk.next_offset
        self.complete = chunk.complete
        return chunk

    def follow(self) -> Iterator[LogChunk]:
        """Chunks that hold something, until the task has ended and its log is read."""
        while not self.complete:
            asked_at = time.monotonic()
            chunk = self.read(LONG_POLL_S)
            if chunk.data:
                yield chunk
            elif not chunk.complete and time.monotonic() - asked_at < IDLE_PAUSE_S:
                # The server could not wait (a task without a node yet): do not turn that into a busy loop.
                time.sleep(IDLE_PAUSE_S)

    def to_end(self) -> Iterator[LogChunk]:
        """Chunks up to what is there now."""
        while True:
            chunk = self.read()
            if chunk.data:
                yield chunk
            if not chunk.data or chunk.complete or chunk.next_offset >= chunk.size:
                return

    def tail(self, size_bytes: int) -> str:
        """About the last ``size_bytes`` bytes, from the start of a line on."""
        size = self._ask(0, 0.0, limit=1)["size"]
        self.offset = max(0, size - size_bytes)
        cut = self.offset > 0
        text = "".join(chunk.data for chunk in self.to_end())
        return text.partition("\n")[2] if cut and "\n" in text else text

    def _ask(self, offset: int, wait_s: float, limit: int = CHUNK_BYTES) -> Any:
        return self._transport.get(
            self._path,
            {"offset": offset, "limit": limit, "wait": wait_s or None},
            wait_s=wait_s,
            retry_for_s=self._outage_s,
        )
