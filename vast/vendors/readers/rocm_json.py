"""``rocm-smi --json`` of AMD and of Hygon's build of it, ``hy-smi --json``: an object per card, every value a string.

The spelling of keys changed with releases (``GPU ID`` and ``Device ID``, ``Card series`` and ``Card Series``), so they
are compared in lower case; AMD counts memory in bytes, Hygon in MiB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from vast.vendors.figures import number, whole_number
from vast.vendors.readers.base import Reader, Readout, UnreadableText

MIB = 1024 * 1024
_PAIR = re.compile(r"\(topology\) (weight|hops|link type) between drm devices (\d+) and (\d+)")
_UNTOLD = {"", "n/a", "none", "0"}


def parse_cards(text: str) -> Readout:
    found = _cards_of(text)
    if found is None:
        raise UnreadableText('no JSON with "card0", "card1", ... as rocm-smi and hy-smi print it with --json')
    system, cards = found
    devices = [_device(int(name[4:]), card) for name, card in cards.items()]
    readout: Readout = {"devices": sorted(devices, key=lambda device: int(device["index"]))}
    links = _links(system)
    if links:
        readout["topology"] = {"devices": list(cards), "links": links}
    processes = list(_processes(system))
    if processes:
        readout["processes"] = processes
    return readout


def _cards_of(text: str) -> tuple[dict[str, str], dict[str, dict[str, str]]] | None:
    """What is told of the system, and of each card in the order of the text; warnings may stand before it."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        raw = json.JSONDecoder().raw_decode(text[start:])[0]
    except (ValueError, RecursionError):
        return None
    parts = {str(name): _plain(part) for name, part in raw.items() if isinstance(part, dict)}
    cards = {name: part for name, part in parts.items() if re.fullmatch(r"card[0-9]{1,4}", name)}
    return (parts.get("system", {}), cards) if cards else None


def _plain(part: Mapping[str, Any]) -> dict[str, str]:
    return {key.strip().lower(): str(value) for key, value in part.items() if key.strip()}


def _device(index: int, card: Mapping[str, str]) -> dict[str, Any]:
    junction, edge = (_figure(card, f"temperature (sensor {sensor}) (c)") for sensor in ("junction", "edge"))
    device: dict[str, Any] = {
        "index": index,
        "model": _first(card, "card series", "device name", "card model"),
        **_memory(card),
        "util_pct": _whole(card, "gpu use (%)", "dcu use (%)", "hcu use (%)"),
        "temp_c": edge if junction is None else junction,
        "power_w": _figure(
            card, "average graphics package power (w)", "current socket graphics package power (w)"
        ),
        "health": None,
        "bus": _first(card, "pci bus"),
        "uuid": None,
        "serial": _first(card, "serial number"),
        "unique_id": _first(card, "unique id"),
        "device_id": _first(card, "device id", "gpu id"),
        "temp_edge_c": edge,
        "temp_junction_c": junction,
        "temp_mem_c": _figure(card, "temperature (sensor memory) (c)", "temperature (sensor mem) (c)"),
        "power_cap_w": _figure(card, "max graphics package power (w)"),
        "numa": _whole(card, "(topology) numa node"),
    }
    return device


def _memory(card: Mapping[str, str]) -> dict[str, Any]:
    total, used = (_whole(card, f"vram total {what}memory (b)") for what in ("", "used "))
    if total is None:
        return {
            "memory_total_mib": _whole(card, "vram total memory (mib)"),
            "memory_used_mib": _whole(card, "vram total used memory (mib)"),
        }
    return {
        "memory_total_mib": _mib(total),
        "memory_used_mib": None if used is None else _mib(used),
        "memory_total_bytes": total,
        "memory_used_bytes": used,
    }


def _mib(amount: int) -> int | float:
    return amount // MIB if amount % MIB == 0 else amount / MIB


def _links(system: Mapping[str, str]) -> list[dict[str, Any]]:
    pairs: dict[tuple[int, int], dict[str, Any]] = {}
    for key, value in system.items():
        if match := _PAIR.fullmatch(key):
            a, b = int(match[2]), int(match[3])
            link = pairs.setdefault((a, b), {"a": f"card{a}", "b": f"card{b}", "type": None})
            if match[1] == "link type":
                link["type"] = value
            else:
                link[match[1]] = whole_number(value)
    return [pairs[pair] for pair in sorted(pairs)]


def _processes(system: Mapping[str, str]) -> Any:
    for key, value in system.items():
        if match := re.fullmatch(r"pid([0-9]{1,10})", key):
            yield {"pid": int(match[1]), "name": value.partition(",")[0], "raw": value}


def _first(card: Mapping[str, str], *keys: str) -> str | None:
    return next((card[key] for key in keys if card.get(key, "").lower() not in _UNTOLD), None)


def _figure(card: Mapping[str, str], *keys: str) -> float | None:
    return next((value for key in keys if (value := number(card.get(key, ""))) is not None), None)


def _whole(card: Mapping[str, str], *keys: str) -> int | None:
    return next((value for key in keys if (value := whole_number(card.get(key, ""))) is not None), None)


READERS = (Reader("rocm-smi or hy-smi with --json", re.compile(r"--json"), parse_cards),)
