"""Finds and watches Moore Threads GPUs through ``mthreads-gmi -q --json``. Links are not read yet."""

from __future__ import annotations

import json
from typing import Any

from vast.vendors.base import DeviceReader, Found, FoundDevice, Reading, RunTool, ToolError
from vast.vendors.figures import needed, number, whole_number
from vast.vendors.machine import local_uuid

TOOL = "mthreads-gmi"
_COMMAND = [TOOL, "-q", "--json"]


def discover(run: RunTool) -> Found:
    """The GPUs by index."""
    return Found(
        tuple(
            FoundDevice(
                uuid=_uuid(gpu),
                index=_index(gpu),
                model=str(gpu.get("Product Name", "unknown")),
                memory_mib=needed(
                    whole_number(_at(gpu, "FB Memory Usage", "Total")), f"memory of GPU {_index(gpu)}"
                ),
                bus_id=str(_at(gpu, "PCI", "Bus ID") or ""),
                health="healthy",
            )
            for gpu in _gpus(run(_COMMAND))
        )
    )


def telemetry(run: RunTool) -> tuple[Reading, ...]:
    """One reading per GPU; values are strings with their units."""
    return tuple(
        Reading(
            uuid=_uuid(gpu),
            util_pct=number(_at(gpu, "Utilization", "Gpu")),
            memory_used_mib=whole_number(_at(gpu, "FB Memory Usage", "Used")),
            temperature_c=number(_at(gpu, "Temperature", "GPU Current Temp")),
            power_w=number(_at(gpu, "Power Readings", "Power Draw")),
            health="healthy",
        )
        for gpu in _gpus(run(_COMMAND))
    )


def _gpus(text: str) -> list[dict[str, Any]]:
    try:
        gpus = json.loads(text)["GPU"]
    except (ValueError, KeyError, TypeError) as error:
        raise ToolError(f"{TOOL} prints no list of GPUs: {text.strip()[:200]!r}") from error
    return list(gpus)


def _at(gpu: dict[str, Any], section: str, key: str) -> object:
    """A value of a section; keys are compared without the blank that some of them end with."""
    return next((value for name, value in gpu.get(section, {}).items() if name.strip() == key), None)


def _index(gpu: dict[str, Any]) -> int:
    return needed(whole_number(gpu.get("Index")), "Index")


def _uuid(gpu: dict[str, Any]) -> str:
    return str(gpu.get("GPU UUID") or local_uuid("GPU-", "mthreads", _index(gpu)))


READER = DeviceReader(TOOL, discover, telemetry)
