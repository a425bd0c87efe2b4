"""``mx-smi`` (also ``ht-smi``): the list of cards and the matrix of links."""

from __future__ import annotations

import re
from typing import Any

from vast.vendors.readers.base import Reader, Readout, UnreadableText
from vast.vendors.readers.matrix import parse_matrix

_CARD = re.compile(r"^GPU#(\d+)\s+(.+?)\s+([0-9A-Fa-f]{4,8}:\S+)\s+(.+?)\s+\(UUID: ([^)\s]+)\)", re.MULTILINE)


def parse_list(text: str) -> Readout:
    """``-L`` tells no figures: those are None."""
    devices: list[dict[str, Any]] = [
        {
            "index": int(card[1]),
            "model": card[2],
            "memory_total_mib": None,
            "memory_used_mib": None,
            "util_pct": None,
            "temp_c": None,
            "power_w": None,
            "health": card[4],
            "bus": card[3],
            "uuid": card[5],
        }
        for card in _CARD.finditer(text)
    ]
    if not devices:
        raise UnreadableText("no line such as GPU#0 NAME BUS STATE (UUID: ...)")
    return {"devices": devices}


READERS = (
    Reader("mx-smi topo", re.compile(r"topo"), parse_matrix),
    Reader("mx-smi -L", re.compile(r"\s-L\b"), parse_list),
)
