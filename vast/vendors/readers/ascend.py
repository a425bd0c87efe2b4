"""``npu-smi``, which prints text only: the table of ``info``, its ``-t`` pages, and the matrix of links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from vast.vendors.figures import number, whole_number
from vast.vendors.readers.base import Reader, Readout, UnreadableText
from vast.vendors.readers.matrix import parse_matrix

_PAIR = re.compile(r"(\d+)\s*/\s*(\d+)")
_FIELD = re.compile(r"^\s*([A-Za-z][^:]*?)\s*:\s*(.*?)\s*$")

_USAGES = {
    "ddr capacity(mb)": "ddr_capacity_mb",
    "ddr usage rate(%)": "ddr_usage_pct",
    "hbm capacity(mb)": "hbm_capacity_mb",
    "hbm usage rate(%)": "hbm_usage_pct",
    "memory capacity(mb)": "memory_capacity_mb",
    "memory usage rate(%)": "memory_usage_pct",
    "aicore usage rate(%)": "aicore_pct",
    "aivector usage rate(%)": "aivector_pct",
    "aicpu usage rate(%)": "aicpu_pct",
    "ctrlcpu usage rate(%)": "ctrlcpu_pct",
}
_ECC = {
    f"{kind} {bits} bit {what}": f"{kind}_{bits}_bit{suffix}"
    for kind in ("hbm", "ddr")
    for bits in ("single", "double")
    for what, suffix in (
        ("error count", ""),
        ("aggregate total err cnt", "_aggregate"),
        ("isolated pages count", "_isolated_pages"),
    )
}
_BOARD = {
    "vdie id": "vdie_id",
    "ndie id": "ndie_id",
    "die id": "die_id",
    "firmware version": "firmware",
    "software version": "software",
    "pcie bus info": "bus",
    "chip name": "chip_name",
    "chip version": "chip_version",
    "serial number": "serial",
    "product name": "product",
    "board id": "board_id",
    "pcb id": "pcb_id",
}
_HEALTH = {
    "health status": "status",
    "error code": "error_code",
    "error information": "error_information",
    "health": "status",
}


def parse_info(text: str) -> Readout:
    """The table of ``npu-smi info``. Two rows are one chip; the header says which columns the second has."""
    above, _, below = _parts(text)
    rows = list(_cells(above))
    header = next(
        (row for row in rows if len(row) == 3 and row[0].startswith("Chip") and "Bus" in row[1]), None
    )
    titles = header[0].split() if header else []
    devices: list[dict[str, Any]] = []
    data = (row for row in rows if len(row) == 3 and row[0][:1].isdigit())
    for first in data:
        second = next(data, None)
        if second is None:
            break
        devices.append(_chip(first, second, titles, len(devices)))
    if not devices:
        raise UnreadableText("no chip found: two rows for each are expected, as npu-smi info prints them")
    cards = sorted({device["npu"] for device in devices if device["npu"] is not None})
    return {"devices": devices, "cards": cards, "processes": list(_processes(below or ""))}


def _chip(first: list[str], second: list[str], titles: list[str], order: int) -> dict[str, Any]:
    npu, _, model = first[0].partition(" ")
    figures = first[2].split()
    place = second[0].split()
    # The HBM column stands last where there is one.
    memory = _PAIR.findall(second[2])
    named = int(place[1]) if len(place) > 1 and place[1].isdigit() else None
    chip: dict[str, Any] = {
        "index": order if named is None else named,
        "model": model.strip() or None,
        "memory_total_mib": int(memory[-1][1]) if memory else None,
        "memory_used_mib": int(memory[-1][0]) if memory else None,
        "util_pct": _plain(second[2].split()[0]) if second[2].split() else None,
        "temp_c": _plain(figures[1]) if len(figures) > 1 else None,
        "power_w": number(figures[0]) if figures else None,
        "health": first[1] or None,
        "npu": whole_number(npu),
        "chip": whole_number(place[0]) if place else None,
        "bus": second[1] or None,
    }
    if "Phy-ID" in titles:
        chip["phy_id"] = named
    return chip


def _processes(text: str) -> Iterator[dict[str, Any]]:
    for row in _cells(text):
        place = row[0].split()
        if len(row) >= 4 and len(place) == 2 and all(word.isdigit() for word in place):
            yield {
                "npu": int(place[0]),
                "chip": int(place[1]),
                "pid": whole_number(row[1]),
                "name": row[2],
                "memory_mib": whole_number(row[3]),
            }


def _parts(text: str) -> tuple[str, str, str | None]:
    """Above the process table, its header, below; None where there is no such table."""
    lines = text.splitlines()
    at = next((number for number, line in enumerate(lines) if "process id" in line.lower()), None)
    if at is None:
        return text, "", None
    return "\n".join(lines[:at]), lines[at], "\n".join(lines[at + 1 :])


def _cells(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("|") and bare.endswith("|") and len(bare) > 1:
            yield [cell.strip() for cell in bare[1:-1].split("|")]


def _plain(text: str) -> int | float | None:
    value = number(text)
    return int(value) if value is not None and value.is_integer() else value


def _fields(text: str) -> list[tuple[str, str]]:
    found = (_FIELD.match(line) for line in text.splitlines())
    return [(" ".join(match[1].lower().split()), match[2]) for match in found if match]


def _block(name: str, keys: dict[str, str], *, numbers: bool) -> Reader:
    """A page of ``key : value`` lines; a card of several chips repeats it, and ``chips`` then has each."""

    def parse(text: str) -> Readout:
        npu: int | None = None
        chips: list[dict[str, Any]] = [{}]
        for key, value in _fields(text):
            if key == "npu id":
                npu = whole_number(value)
            elif key == "chip id":
                chips[-1]["chip_id"] = whole_number(value)
            elif key in keys:
                field = keys[key]
                if field in chips[-1]:
                    chips.append({})
                chips[-1][field] = _plain(value) if numbers else _told(value)
        chips = [{"npu_id": npu, **chip} for chip in chips if set(chip) - {"chip_id"}]
        if not chips:
            raise UnreadableText(f"none of the lines of npu-smi info -t {name} is here")
        return {name: chips[0]} if len(chips) == 1 else {name: chips[0], "chips": chips}

    return Reader(f"npu-smi info -t {name}", re.compile(rf"-t\s+{name}\b"), parse)


def _told(value: str) -> str | None:
    return None if value in ("", "NA", "N/A", "-") else value


READERS = (
    Reader("npu-smi info", re.compile(r"npu-smi\s+info\s*$"), parse_info),
    Reader("npu-smi info -t topo", re.compile(r"-t\s+topo\b"), parse_matrix),
    _block("usages", _USAGES, numbers=True),
    _block("ecc", _ECC, numbers=True),
    _block("board", _BOARD, numbers=False),
    _block("health", _HEALTH, numbers=False),
)
