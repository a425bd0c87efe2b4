from __future__ import annotations

from typing import Any

import orjson
from rest_framework import renderers


class JSONRenderer(renderers.JSONRenderer):
    """JSON by orjson; the rest of DRF's renderer is kept for content negotiation."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
    ) -> bytes:
        if data is None:
            return b""
        return orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)
