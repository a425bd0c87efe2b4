"""Finds and watches Ascend chips through the table of ``npu-smi info``, the only form in which it tells them.

Two rows describe a chip; whether the second has a device number and an HBM column is in the header. Links are
not read yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vast.vendors.base import DeviceReader, Found, FoundDevice, Reading, RunTool, ToolError
from vast.vendors.figures import needed, number, whole_number
from vast.vendors.machine import local_uuid

TOOL = "npu-smi"
_COMMAND = [TOOL, "info"]
_PAIR = re.compile(r"(\d+)\s*/\s*(\d+)")

# A warning is for the operator: the chip still works. Words not listed say nothing about it.
_HEALTH = {"OK": "healthy", "Warning": "healthy", "Alarm": "unhealthy", "Critical": "unhealthy"}


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip as the table tells it; memory in MiB, None = not told."""

    npu: int
    chip: int
    index: int
    model: str
    bus_id: str
    health: str
    memory_mib: int
    memory_used_mib: int
    util_pct: float | None
    temperature_c: float | None
    power_w: float | None

    @property
    def uuid(self) -> str:
        """The table has no serial, and the chips of a card may share a bus id: the place names the chip."""
        return local_uuid("NPU-", self.npu, self.chip)


def discover(run: RunTool) -> Found:
    """The chips in the table's order; ``index`` is the device number programs use."""
    return Found(
        tuple(
            FoundDevice(chip.uuid, chip.index, chip.model, chip.memory_mib, chip.bus_id, chip.health)
            for chip in parse(run(_COMMAND))
        )
    )


def telemetry(run: RunTool) -> tuple[Reading, ...]:
    """One reading per chip."""
    return tuple(
        Reading(chip.uuid, chip.util_pct, chip.memory_used_mib, chip.temperature_c, chip.power_w, chip.health)
        for chip in parse(run(_COMMAND))
    )


def parse(text: str) -> tuple[Chip, ...]:
    """The chips in an ``npu-smi info`` table. Raises ToolError for text that is no such table."""
    rows = _rows(text)
    header = next((cells for cells in rows if cells[0].startswith("Chip") and "Bus-Id" in cells[1]), None)
    if header is None:
        raise ToolError(f"{TOOL} info prints no table")
    has_number = len(header[0].split()) > 1
    chips = []
    data = (cells for cells in rows if cells[0][:1].isdigit())
    for order, (first, second) in enumerate(_pairs(data)):
        memory = _PAIR.findall(second[2])
        if len(first[0].split()) < 2 or not memory:
            raise ToolError(f"{TOOL} info: unreadable rows {first} {second}")
        npu, model = first[0].split(maxsplit=1)
        place = second[0].split()
        power, temperature, *_ = first[2].split()
        used, total = memory[-1]  # the HBM column stands last where there is one
        number_column = place[1] if has_number and len(place) > 1 else order
        chips.append(
            Chip(
                npu=int(npu),
                chip=int(place[0]),
                index=needed(whole_number(number_column), f"device number of NPU {npu}"),
                model=model,
                bus_id=second[1],
                health=_HEALTH.get(first[1], "unknown"),
                memory_mib=int(total),
                memory_used_mib=int(used),
                util_pct=number(second[2].split()[0]),
                temperature_c=number(temperature),
                power_w=number(power),
            )
        )
    return tuple(chips)


def _rows(text: str) -> list[list[str]]:
    """The three-cell rows above the process table."""
    rows = []
    for line in text.splitlines():
        if "Process id" in line:
            break
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.lstrip().startswith("|") and len(cells) == 3:
            rows.append(cells)
    return rows


def _pairs(rows: Iterator[list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    for first in rows:
        second = next(rows, None)
        if second is None:
            raise ToolError(f"{TOOL} info ends inside a chip")
        yield first, second


READER = DeviceReader(TOOL, discover, telemetry)
