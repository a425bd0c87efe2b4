"""Finds and watches NVIDIA GPUs through ``nvidia-smi`` (CSV queries and the topology matrix)."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Sequence

from vast.vendors.base import DeviceReader, Found, FoundDevice, FoundLink, Reading, RunTool, ToolError
from vast.vendors.figures import needed, number, whole_number
from vast.vendors.readers.matrix import parse_matrix

log = logging.getLogger(__name__)

TOOL = "nvidia-smi"
_CSV = "--format=csv,noheader,nounits"
_INVENTORY = [TOOL, "--query-gpu=index,uuid,name,memory.total,pci.bus_id", _CSV]
_TELEMETRY = [TOOL, "--query-gpu=uuid,utilization.gpu,memory.used,temperature.gpu,power.draw", _CSV]
_TOPOLOGY = [TOOL, "topo", "-m"]

# What one NVLink carries in one direction, in Gbit/s: second and third generation 200, which a bonded count
# multiplies.
_LINK_GBPS = 200


def discover(run: RunTool) -> Found:
    """The GPUs by index, and their NVLinks. A topology that cannot be read leaves them unlinked."""
    rows = _rows(run(_INVENTORY), 5)
    devices = [
        FoundDevice(
            uuid=uuid,
            index=needed(whole_number(index), "index"),
            model=name,
            memory_mib=needed(whole_number(memory), f"memory.total of GPU {index}"),
            bus_id=bus_id,
            health="healthy",
        )
        for index, uuid, name, memory, bus_id in rows
    ]
    uuids = {device.index: device.uuid for device in devices}
    try:
        links = parse_links(run(_TOPOLOGY), uuids) if len(devices) > 1 else ()
    except ToolError as error:
        log.warning("the NVLink topology cannot be read: %s", error)
        links = ()
    return Found(tuple(devices), links)


def telemetry(run: RunTool) -> tuple[Reading, ...]:
    """One reading per GPU. ERR! for memory or temperature makes a GPU unhealthy; for power it comes and goes,
    and a cell that is not supported is only not told.
    """
    return tuple(
        Reading(
            uuid=cells[0],
            util_pct=number(cells[1]),
            memory_used_mib=whole_number(cells[2]),
            temperature_c=number(cells[3]),
            power_w=number(cells[4]),
            health="unhealthy" if any("ERR!" in cell for cell in cells[2:4]) else "healthy",
        )
        for cells in _rows(run(_TELEMETRY), 5)
    )


def parse_links(text: str, uuids: dict[int, str]) -> tuple[FoundLink, ...]:
    """The NVLinks in ``nvidia-smi topo -m``; ``uuids`` by GPU index. Each pair once."""
    links = []
    for link in parse_matrix(text)["topology"]["links"]:
        a, b, bonded = _gpu(link["a"]), _gpu(link["b"]), re.fullmatch(r"NV(\d+)", link["type"])
        if bonded and a in uuids and b in uuids:
            links.append(FoundLink(uuids[a], uuids[b], "nvlink", _LINK_GBPS * int(bonded[1])))
    return tuple(links)


def _gpu(name: str) -> int:
    """The number of a GPU; -1 for what else stands in the matrix."""
    match = re.fullmatch(r"GPU(\d+)", name)
    return int(match[1]) if match else -1


def _rows(text: str, width: int) -> list[Sequence[str]]:
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]
    if rows and rows[0][0].startswith("No devices were found"):
        return []
    for row in rows:
        if len(row) != width:
            raise ToolError(f"{TOOL} prints {', '.join(row)!r} where {width} values are expected")
    return list(rows)


READER = DeviceReader(TOOL, discover, telemetry)
