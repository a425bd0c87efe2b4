"""``mthreads-gmi -q --json``: every value is a string with its unit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from vast.vendors.figures import number, whole_number
from vast.vendors.readers.base import Reader, Readout, UnreadableText
from vast.vendors.readers.matrix import parse_matrix


def parse_query(text: str) -> Readout:
    """The cards that are listed, whatever the count above them says."""
    found = _json(text)
    cards = found.get("GPU") if isinstance(found, dict) else None
    if not isinstance(cards, list):
        raise UnreadableText('no JSON with a list "GPU", as mthreads-gmi -q --json prints it')
    return {
        "devices": [_device(_Card(card), order) for order, card in enumerate(cards) if isinstance(card, dict)]
    }


class _Card:
    """Looks things up by path; some keys end in a blank."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self._raw = raw

    def get(self, *path: str) -> str | None:
        here: Any = self._raw
        for key in path:
            here = (
                next((v for k, v in here.items() if k.strip() == key), None)
                if isinstance(here, dict)
                else None
            )
        return (
            None if here is None or isinstance(here, dict | list) or str(here) in ("", "N/A") else str(here)
        )


def _device(card: _Card, order: int) -> dict[str, Any]:
    index = whole_number(card.get("Index"))
    return {
        "index": order if index is None else index,
        "model": card.get("Product Name"),
        "memory_total_mib": whole_number(card.get("FB Memory Usage", "Total")),
        "memory_used_mib": whole_number(card.get("FB Memory Usage", "Used")),
        "util_pct": whole_number(card.get("Utilization", "Gpu")),
        "temp_c": whole_number(card.get("Temperature", "GPU Current Temp")),
        "power_w": number(card.get("Power Readings", "Power Draw")),
        "health": None,
        "bus": card.get("PCI", "Bus ID"),
        "uuid": card.get("GPU UUID"),
        "serial": card.get("Serial Number"),
        "power_cap_w": number(card.get("Power Readings", "Current Power Limit")),
        "firmware": card.get("MTBios Version"),
    }


def _json(text: str) -> Any:
    start = text.find("{")
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text[start:])[0]
    except (ValueError, RecursionError):
        return None


READERS = (
    Reader("mthreads-gmi -q --json", re.compile(r"json|-j\b"), parse_query),
    Reader("mthreads-gmi topo", re.compile(r"topo"), parse_matrix),
)
