"""The environment of a task: little of the agent's own, and all of its order's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

# Never the rest: the agent's own variables may hold secrets.
INHERITED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
)


def task_environment(order: Mapping[str, Any], own: Mapping[str, str] = os.environ) -> dict[str, str]:
    inherited = {name: own[name] for name in INHERITED if name in own}
    return {
        "PATH": os.defpath,
        **inherited,
        **{name: str(value) for name, value in order["env"].items()},
        "VAST_ALLOCATION_ID": order["allocation"],
    }
