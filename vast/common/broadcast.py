"""Telling the web processes what browsers may want to see: a plain Redis PUBLISH after commit.

Nothing depends on these messages: they are lost while Redis is away, and the browser refetches when it notices a gap.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

import orjson
import redis
from django.conf import settings
from django.db import transaction

EVENTS = "vast:events"
ORDERS = "vast:orders"
TELEMETRY = "vast:telemetry"

log = logging.getLogger(__name__)


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=1)


def publish(channel: str, payload: Any) -> bool:
    """Send now. Returns False when Redis cannot be reached; the caller has a slower way to the same end."""
    try:
        _client().publish(channel, orjson.dumps(payload, default=str))
    except redis.RedisError as error:
        log.warning("live message not sent: %s", error)
        return False
    return True


def publish_on_commit(channel: str, payload: Any) -> None:
    transaction.on_commit(lambda: publish(channel, payload))
