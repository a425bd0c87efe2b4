"""Running database work from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import connection

P = ParamSpec("P")
R = TypeVar("R")

# Few threads: they share the process's small connection pool with the requests.
_executor = ThreadPoolExecutor(max_workers=4, thread_name_prefix="vast-db")


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run ``function`` in a thread and give its database connection back to the pool afterwards."""

    def call() -> R:
        try:
            return function(*args, **kwargs)
        finally:
            connection.close()

    return await asyncio.get_running_loop().run_in_executor(_executor, call)
