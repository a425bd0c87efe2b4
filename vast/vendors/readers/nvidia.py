"""``nvidia-smi``: CSV queries, the lists, the matrix of links, and the driver's Xid lines in the kernel log."""

from __future__ import annotations

import csv
import re
from typing import Any

from vast.vendors.figures import number, whole_number
from vast.vendors.readers.base import Reader, Readout, UnreadableText
from vast.vendors.readers.matrix import parse_matrix

_TEXT = {
    "name": "model",
    "gpu_name": "model",
    "uuid": "uuid",
    "gpu_uuid": "uuid",
    "serial": "serial",
    "gpu_serial": "serial",
    "pci.bus_id": "bus",
    "gpu_bus_id": "bus",
    "pstate": "pstate",
    "persistence_mode": "persistence",
    "remapped_rows.pending": "remapped_rows_pending",
    "remapped_rows.failure": "remapped_rows_failure",
    "gpu_recovery_action": "recovery_action",
    "driver_version": "driver",
    "compute_mode": "compute_mode",
}
_WHOLE = {
    "index": "index",
    "memory.total": "memory_total_mib",
    "memory.used": "memory_used_mib",
    "memory.free": "memory_free_mib",
    "memory.reserved": "memory_reserved_mib",
    "utilization.gpu": "util_pct",
    "utilization.memory": "memory_util_pct",
    "temperature.gpu": "temp_c",
    "temperature.memory": "temp_mem_c",
    "ecc.errors.uncorrected.volatile.total": "ecc_uncorr_volatile",
}
_FIGURES = {
    "power.draw": "power_w",
    "power.limit": "power_cap_w",
    "enforced.power.limit": "power_cap_w",
}
_PROCESS = {"pid", "process_name", "name", "used_gpu_memory", "used_memory", "gpu_uuid", "gpu_bus_id"}
_UNTOLD = {"", "n/a", "[n/a]", "[not supported]", "[requested functionality has been deprecated]", "err!"}

_TITLE = re.compile(r"[A-Za-z_][\w.]*(?: \[[^\]]*\])?")
_GPU = re.compile(r"^GPU (\d+): (.+?) \(UUID: ([^)\s]+)\)", re.MULTILINE)
_MIG = re.compile(r"^\s+MIG (\S+)\s+Device\s+(\d+):\s+\(UUID: ([^)\s]+)\)")
_LINK = re.compile(r"^\s+Link (\d+): (?:([\d.]+) GB/s|(.+))")
_XID = re.compile(
    r"NVRM: Xid \(PCI:([0-9A-Fa-f:.]+)\): (\d+)"
    r"(?:, pid='?(<unknown>|\d+)'?)?(?:, name='?([^,'\n]+)'?)?"
)


def parse_query(text: str) -> Readout:
    """``--query-gpu`` or ``--query-compute-apps`` with ``--format=csv`` and its header."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(_csv_lines(text), strict=False)]
    if not rows:
        raise UnreadableText("no line of titles: --format=csv without noheader is read")
    titles = [title.partition(" [")[0] for title in rows[0]]
    records = [dict(zip(titles, row, strict=False)) for row in rows[1:] if len(row) == len(titles)]
    if "pid" in titles:
        return {"processes": [_process(record) for record in records]}
    return {"devices": [_device(record, order) for order, record in enumerate(records)]}


def _csv_lines(text: str) -> list[str]:
    lines = [line.replace("\x00", "") for line in text.splitlines() if line.strip()]
    start = next((number for number, line in enumerate(lines) if _is_title(line)), None)
    return [] if start is None else lines[start:]


def _is_title(line: str) -> bool:
    cells = [cell.strip() for cell in line.split(",")]
    known = {cell.partition(" [")[0] for cell in cells} & (
        _TEXT.keys() | _WHOLE.keys() | _FIGURES.keys() | _PROCESS
    )
    return len(known) >= min(2, len(cells)) and all(map(_TITLE.fullmatch, cells))


def _device(record: dict[str, str], order: int) -> dict[str, Any]:
    device: dict[str, Any] = dict.fromkeys(
        ("model", "memory_total_mib", "memory_used_mib", "util_pct", "temp_c", "power_w", "health")
    )
    device["index"] = order
    for title, value in record.items():
        if title in _TEXT:
            device[_TEXT[title]] = _told(value)
        elif title in _WHOLE:
            device[_WHOLE[title]] = whole_number(value)
        elif title in _FIGURES:
            device[_FIGURES[title]] = number(value)
        elif title == "mig.mode.current":
            told = _told(value)
            device["mig_enabled"] = None if told is None else told == "Enabled"
    return device


def _process(record: dict[str, str]) -> dict[str, Any]:
    memory = record.get("used_gpu_memory", record.get("used_memory", ""))
    return {
        "pid": whole_number(record["pid"]),
        "name": _told(record.get("process_name", record.get("name", ""))),
        "memory_mib": whole_number(memory),
        "uuid": _told(record.get("gpu_uuid", "")),
    }


def _told(value: str) -> str | None:
    return None if value.lower() in _UNTOLD else value


def parse_list(text: str) -> Readout:
    """``-L``: the cards, and the MIG devices of each."""
    gpus: list[dict[str, Any]] = []
    for line in text.splitlines():
        if gpu := _GPU.match(line):
            gpus.append({"index": int(gpu[1]), "model": gpu[2], "uuid": gpu[3], "mig": []})
        elif gpus and (mig := _MIG.match(line)):
            gpus[-1]["mig"].append({"dev": int(mig[2]), "profile": mig[1], "uuid": mig[3]})
    if not gpus:
        raise UnreadableText("no line such as GPU 0: NAME (UUID: ...)")
    return {"gpus": gpus}


def parse_nvlink(text: str) -> Readout:
    """``nvlink -s``: by card, how many links are up and what each moves, GB/s."""
    cards: dict[str, dict[str, Any]] = {}
    card = ""
    for line in text.splitlines():
        if gpu := _GPU.match(line):
            card = gpu[1]
            cards[card] = {"links_up": 0, "per_link_gbs": None}
        elif card and (link := _LINK.match(line)) and link[2]:
            cards[card]["links_up"] += 1
            cards[card]["per_link_gbs"] = number(link[2])
    if not any(_LINK.match(line) for line in text.splitlines()):
        raise UnreadableText("no line such as Link 0: 26.562 GB/s under one such as GPU 0: NAME (UUID: ...)")
    return {"nvlink": cards}


def parse_xid(text: str) -> Readout:
    """The driver's Xid events in kernel lines of any age, in their order."""
    events = [
        {
            "bus": match[1],
            "xid": int(match[2]),
            "pid": int(match[3]) if (match[3] or "").isdigit() else None,
            "process": None if match[4] in (None, "<unknown>") else match[4],
        }
        for match in _XID.finditer(text)
    ]
    if not events:
        raise UnreadableText("no line of the kernel log with NVRM: Xid")
    return {"xid_events": events}


READERS = (
    Reader("nvidia-smi nvlink -s", re.compile(r"nvlink"), parse_nvlink),
    Reader("nvidia-smi -L", re.compile(r"\s-L\b|--list-gpus"), parse_list),
    Reader("nvidia-smi topo -m", re.compile(r"topo"), parse_matrix),
    Reader(
        "nvidia-smi --query-gpu or --query-compute-apps with --format=csv",
        re.compile(r"--query-"),
        parse_query,
    ),
    Reader("Xid lines of the kernel log", re.compile(r"dmesg|journalctl"), parse_xid),
)
