"""Writes fleet files of any size: racks of eight nodes, four racks to a spine, four spines to a zone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import yaml

from vast.inventory.fleet_schema import MAX_DEVICES_PER_NODE, MAX_NODES
from vast.vendors.registry import vendor

NODES_PER_RACK = 8
RACKS_PER_SPINE = 4
SPINES_PER_ZONE = 4

CPU_MILLIS_PER_CARD = 16_000
MEMORY_MIB_PER_CARD = 131_072


def generate(
    cards: int, cards_per_node: int = 8, vendors: Sequence[str] = ("nvidia",), name: str = "generated"
) -> str:
    """The text of a fleet file with exactly this many cards; the last node may have fewer.

    Nodes are shared out evenly among the vendors, in runs, each with its vendor's first model. Raises
    ValueError for numbers that make no fleet and UnknownVendor for a vendor that does not exist.
    """
    if not 1 <= cards_per_node <= MAX_DEVICES_PER_NODE:
        raise ValueError(f"cards per node must be from 1 to {MAX_DEVICES_PER_NODE}, not {cards_per_node}")
    if not vendors:
        raise ValueError("at least one vendor is needed")
    nodes = -(-cards // cards_per_node)
    if not len(vendors) <= nodes <= MAX_NODES:
        raise ValueError(
            f"{cards} cards at {cards_per_node} a node make {nodes} nodes; "
            f"from {len(vendors)} (one per vendor) to {MAX_NODES} are allowed"
        )
    last = cards - (nodes - 1) * cards_per_node
    kinds = [
        (
            node // NODES_PER_RACK,
            vendors[node * len(vendors) // nodes],
            last if node == nodes - 1 else cards_per_node,
        )
        for node in range(nodes)
    ]
    entries = [_entry(rack, key, count, len(list(alike))) for (rack, key, count), alike in groupby(kinds)]
    return to_yaml({"name": name, "pool": "default", "topology": ["zone", "spine", "rack"], "nodes": entries})


def to_yaml(document: Mapping[str, Any]) -> str:
    """The document as YAML, its fields in the order they are in."""
    return yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=110)


def _entry(rack: int, key: str, cards: int, count: int) -> dict[str, Any]:
    spine = rack // RACKS_PER_SPINE
    return {
        "name": f"r{rack:04d}-{key}-{cards}x{{i}}",
        "count": count,
        "cpu_millis": CPU_MILLIS_PER_CARD * cards,
        "memory_mib": MEMORY_MIB_PER_CARD * cards,
        "location": {
            "zone": f"z{spine // SPINES_PER_ZONE}",
            "spine": f"s{spine}",
            "rack": f"r{rack:04d}",
        },
        "devices": [{"vendor": key, "model": vendor(key).models[0].name, "count": cards}],
    }
