"""Real servers for a test run: nothing about the database or the broker is faked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from vast.runtime.postgres import EmbeddedPostgres
from vast.runtime.redis import EmbeddedRedis


@contextmanager
def ensure_servers(folder: Path) -> Iterator[tuple[str, str]]:
    """``(database_url, redis_url)``: those of the environment when set, else embedded servers in ``folder``.

    Enter it from the main thread. The folder may be used again by a later run, which then starts faster.
    """
    with ExitStack() as stack:
        database_url = os.environ.get("DATABASE_URL")
        if not database_url:
            database_url = stack.enter_context(EmbeddedPostgres(folder / "postgres", durable=False)).url
        redis_url = os.environ.get("REDIS_URL")
        if not redis_url:
            redis_url = stack.enter_context(EmbeddedRedis(folder / "redis")).url
        yield database_url, redis_url
