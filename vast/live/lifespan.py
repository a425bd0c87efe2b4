"""The ASGI lifespan of a web process: its background work starts with it and ends with it."""

from __future__ import annotations

from typing import Any

from vast.live.pump import pump


async def lifespan(scope: dict[str, Any], receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            pump.start()
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            await pump.stop()
            await send({"type": "lifespan.shutdown.complete"})
            return
