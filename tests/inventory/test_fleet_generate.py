"""Generated fleets of any size."""

from __future__ import annotations

from collections import Counter

import pytest

from vast.inventory.fleet import parse
from vast.inventory.fleet_generate import generate
from vast.vendors.registry import UnknownVendor, vendors


@pytest.mark.parametrize(
    ("cards", "per_node", "nodes"), [(1000, 8, 125), (1, 8, 1), (10, 4, 3), (4000, 8, 500)]
)
def test_a_fleet_has_exactly_the_cards_asked_for(cards: int, per_node: int, nodes: int) -> None:
    fleet = parse(generate(cards, per_node))
    assert len(fleet.nodes) == nodes
    assert sum(len(node.devices) for node in fleet.nodes) == cards


def test_nodes_are_shared_out_among_the_vendors() -> None:
    fleet = parse(generate(1024, 8, list(vendors())))
    assert Counter(node.devices[0].vendor for node in fleet.nodes) == dict.fromkeys(vendors(), 16)


def test_a_rack_holds_eight_nodes_and_a_spine_four_racks() -> None:
    fleet = parse(generate(1000, 8))
    racks = Counter(node.location["rack"] for node in fleet.nodes)
    spine_of = {node.location["rack"]: node.location["spine"] for node in fleet.nodes}
    assert fleet.topology == ("zone", "spine", "rack")
    assert max(racks.values()) == 8
    assert Counter(spine_of.values()) == {"s0": 4, "s1": 4, "s2": 4, "s3": 4}


def test_the_same_numbers_give_the_same_file() -> None:
    assert generate(100, 8, ["ascend"]) == generate(100, 8, ["ascend"])


@pytest.mark.parametrize(
    ("cards", "per_node", "keys", "message"),
    [
        (0, 8, ["nvidia"], "0 cards at 8 a node make 0 nodes; from 1"),
        (8, 8, ["nvidia", "amd"], "make 1 nodes; from 2"),
        (8, 65, ["nvidia"], "cards per node must be from 1 to 64, not 65"),
        (8, 8, [], "at least one vendor"),
    ],
)
def test_numbers_that_make_no_fleet_are_refused(
    cards: int, per_node: int, keys: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        generate(cards, per_node, keys)


def test_an_unknown_vendor_is_refused() -> None:
    with pytest.raises(UnknownVendor, match="no vendor 'acme'"):
        generate(8, 8, ["acme"])
