"""Asking the web process whether it is ready, and whether the nodes that were started have joined."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from datetime import datetime

# The machine's proxy settings are for the world outside.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def answers(url: str) -> Callable[[], bool]:
    """Whether a GET of this URL is answered with 200."""

    def ask() -> bool:
        try:
            with _opener.open(url, timeout=2) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    return ask


def nodes_joined(url: str, token: str, wanted: int, since: datetime) -> Callable[[], bool]:
    """Whether at least so many nodes are ready and were heard ``since`` then.

    A node that was ready when an earlier run ended counts as ready for some seconds more, without being there.
    """
    query = urllib.parse.urlencode({"state": "ready", "seen_since": since.isoformat(), "page_size": 1})
    request = urllib.request.Request(  # noqa: S310 - our own address
        f"{url}/api/v1/nodes/?{query}", headers={"Authorization": f"Bearer {token}"}
    )

    def ask() -> bool:
        try:
            with _opener.open(request, timeout=5) as response:
                return bool(json.load(response)["count"] >= wanted)
        except (urllib.error.URLError, OSError, ValueError, KeyError):
            return False

    return ask
