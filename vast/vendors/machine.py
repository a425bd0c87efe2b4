"""Names for devices whose tool prints no serial: stable on this machine, and different on every other one."""

from __future__ import annotations

import socket
import uuid
from functools import cache
from pathlib import Path

_NAMESPACE = uuid.UUID("6f1c2a52-0f0e-5d0e-9d6a-0b1f5a7a6c11")


@cache
def machine_id() -> str:
    """The operating system's machine id, or the host name where there is none."""
    try:
        return Path("/etc/machine-id").read_text().strip() or socket.gethostname()
    except OSError:
        return socket.gethostname()


def local_uuid(prefix: str, *place: object) -> str:
    """A uuid for the device at ``place`` (slot, chip...) of this machine."""
    return prefix + str(uuid.uuid5(_NAMESPACE, "/".join([machine_id(), *map(str, place)])))
