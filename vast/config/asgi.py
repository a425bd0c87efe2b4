"""The ASGI entry: REST, admin and console over HTTP; live updates and node agents over WebSockets."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vast.config.settings")

from django.core.asgi import get_asgi_application

django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402 - these need Django's apps

from vast.live.lifespan import lifespan  # noqa: E402
from vast.live.routing import websocket_application  # noqa: E402

application = ProtocolTypeRouter(
    {"http": django_application, "websocket": websocket_application, "lifespan": lifespan}
)
