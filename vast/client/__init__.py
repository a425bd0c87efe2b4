"""Python client and the ``vast`` command line. Both talk to the REST API only.

The names below load when they are first used: the command line imports this package at every start, and the
HTTP library alone would cost more than printing a help page may take.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vast.client.client import Client
    from vast.client.errors import FieldError, JobTimeout, NotConfigured, Unreachable, VastError
    from vast.client.logs import LogChunk
    from vast.client.models import Device, Event, Job, Node, Overview, Pool, Queue, Reason, Task, User, Why

__all__ = [
    "Client",
    "Device",
    "Event",
    "FieldError",
    "Job",
    "JobTimeout",
    "LogChunk",
    "Node",
    "NotConfigured",
    "Overview",
    "Pool",
    "Queue",
    "Reason",
    "Task",
    "Unreachable",
    "User",
    "VastError",
    "Why",
]

_HOME_OF = {
    "Client": "client",
    "FieldError": "errors",
    "JobTimeout": "errors",
    "LogChunk": "logs",
    "NotConfigured": "errors",
    "Unreachable": "errors",
    "VastError": "errors",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF.get(name, 'models')}"), name)
