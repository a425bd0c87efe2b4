"""The one place where time comes from. Tests and the simulator replace it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def _system() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


_source: Callable[[], dt.datetime] = _system


def now() -> dt.datetime:
    """The present moment, aware, in UTC."""
    return _source()


@contextmanager
def frozen(moment: dt.datetime) -> Iterator[None]:
    """Within this block time stands still at ``moment``."""
    global _source
    before, _source = _source, lambda: moment
    try:
        yield
    finally:
        _source = before


def from_unix(seconds: float) -> dt.datetime:
    """The moment that Unix time names, aware, in UTC."""
    return dt.datetime.fromtimestamp(seconds, tz=dt.UTC)
