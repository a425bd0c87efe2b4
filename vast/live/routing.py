"""Where WebSockets go: browsers to a Channels consumer, agents to a plain endpoint beside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import path

from vast.common.threads import in_thread
from vast.drivers.agent.endpoint import agent_endpoint
from vast.live.consumer import LiveConsumer
from vast.tenancy.services import authenticate_token

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class TokenOrSession:
    """Tools sign in by an Authorization header; browsers, which cannot set one, by their session and an allowed origin."""

    def __init__(self, app: App) -> None:
        self._by_token = app
        self._by_session = AllowedHostsOriginValidator(AuthMiddlewareStack(app))

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        kind, _, secret = header.partition(" ")
        if kind != "Bearer":
            await self._by_session(scope, receive, send)
            return
        token = await in_thread(authenticate_token, secret)
        await self._by_token(scope | {"user": token.user if token else None}, receive, send)


websocket_application = URLRouter(
    [
        path("ws/live/", TokenOrSession(LiveConsumer.as_asgi())),  # type: ignore[arg-type]
        path("agent/v1/", agent_endpoint),  # type: ignore[arg-type]
    ]
)
