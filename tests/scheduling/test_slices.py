"""Slices and whole cards on a device."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.scheduling.world import CARD_MIB, World, only
from vast.scheduling.asks import slice_charge
from vast.vendors.base import SliceRule

TEMPLATES = SliceRule(sizes=((16_384, 25), (32_768, 50)))


def test_one_card_takes_a_hundred_slices_and_the_next_waits_for_cores_and_slots() -> None:
    world = World().node("a")
    for i in range(101):
        world.job(f"j{i:03d}", cores=1, memory_mib=512)
    outcome = world.decide()
    assert len(outcome.started) == 100
    assert outcome.waiting == ["j100"]
    assert outcome.reason("j100").code == "INSUFFICIENT_RESOURCES"
    assert outcome.evidence("j100") == {
        "DEVICE_CORES_SHORT": {"devices": 1, "need": 1, "best": 0},
        "SLICE_SLOTS_FULL": {"devices": 1, "max": 100},
    }


def test_memory_that_is_gone_is_named_with_the_nearest_fit() -> None:
    outcome = (
        World()
        .node("a")
        .holds("a-0", cores=10, memory_mib=80_000)
        .job("j", cores=10, memory_mib=4_096)
        .decide()
    )
    assert outcome.evidence("j") == {
        "DEVICE_MEMORY_SHORT": {"devices": 1, "need": 4_096, "best": CARD_MIB - 80_000}
    }


def test_a_whole_card_is_not_given_where_a_slice_is() -> None:
    outcome = World().node("a").holds("a-0", cores=1, memory_mib=1).job("j", exclusive=True).decide()
    assert outcome.evidence("j") == {"DEVICE_IN_USE": {"devices": 1}}


def test_a_slice_is_not_given_on_a_card_that_was_given_away_whole() -> None:
    outcome = World().node("a").holds("a-0", exclusive=True).job("j", cores=1, memory_mib=1).decide()
    assert outcome.evidence("j") == {"DEVICE_IN_USE": {"devices": 1}}


def test_a_request_without_cores_and_memory_gets_the_whole_card() -> None:
    (part,) = World().node("a").job("j").decide().slices("j")
    assert (part.cores, part.memory_mib, part.exclusive, part.charge) == (100, CARD_MIB, True, 1000)


def test_memory_alone_reserves_no_compute_and_is_charged_by_memory() -> None:
    (part,) = World().node("a").job("j", memory_mib=CARD_MIB // 4).decide().slices("j")
    assert (part.cores, part.charge, part.exclusive) == (0, 250, False)


def test_compute_alone_takes_memory_in_proportion() -> None:
    (part,) = World().node("a").job("j", cores=25).decide().slices("j")
    assert (part.cores, part.memory_mib, part.charge) == (25, CARD_MIB // 4, 250)


def test_a_percent_of_memory_follows_the_card_that_was_got() -> None:
    (part,) = World().node("a", memory_mib=24_576).job("j", cores=1, memory_percent=50).decide().slices("j")
    assert part.memory_mib == 12_288


@pytest.mark.parametrize(
    ("cores", "memory_mib", "charge"),
    [(33, 27_306, 333), (80, 16_384, 800), (20, 65_536, 800), (0, 1, 1), (0, 40_960, 500), (1, 0, 10)],
)
def test_a_slice_is_charged_by_its_larger_share_rounded_down(
    cores: int, memory_mib: int, charge: int
) -> None:
    assert slice_charge(cores, memory_mib, CARD_MIB) == charge


def test_complementary_slices_share_a_card_though_they_charge_more_than_one() -> None:
    world = (
        World().node("a").job("cores", cores=80, memory_mib=16_384).job("memory", cores=20, memory_mib=65_536)
    )
    outcome = world.decide()
    assert sum(part.charge for job in outcome.started for part in outcome.slices(job)) == 1600


def test_a_request_is_rounded_up_to_the_vendors_template_before_the_charge() -> None:
    world = World().node("a", vendor="ascend", memory_mib=65_536, rule=TEMPLATES)
    (part,) = world.job("j", cores=10, memory_mib=10_000).decide().slices("j")
    assert (part.cores, part.memory_mib, part.charge) == (25, 16_384, 250)


def test_a_request_above_the_largest_template_gets_the_whole_card() -> None:
    world = World().node("a", vendor="ascend", memory_mib=65_536, rule=TEMPLATES)
    (part,) = world.job("j", cores=60, memory_mib=1_000).decide().slices("j")
    assert (part.exclusive, part.charge) == (True, 1000)


def test_several_devices_of_one_task_are_different_cards_of_one_model_on_one_node() -> None:
    world = World().node("a", 1).node("b", 3).job("j", devices=2, cores=10, memory_mib=1)
    outcome = world.decide()
    assert outcome.nodes("j") == ["b"]
    assert len(set(outcome.devices("j")[0])) == 2


def test_cards_of_two_models_do_not_add_up_for_one_task() -> None:
    mixed = (*World().node("a", 1).nodes[0].devices, *World().node("b", 1, model="A10").nodes[0].devices)
    world = World(nodes=[replace(World().node("a").nodes[0], devices=mixed)])
    outcome = world.job("j", devices=2, exclusive=True).decide()
    assert outcome.evidence("j") == {"NODE_DEVICES_SHORT": {"nodes": 1, "need": 2, "best": 1}}


def test_memory_larger_than_any_card_is_named_with_the_largest() -> None:
    outcome = World().node("a").job("j", cores=1, memory_mib=CARD_MIB + 1).decide()
    assert outcome.evidence("j") == {
        "DEVICE_MEMORY_SHORT": {"devices": 1, "need": CARD_MIB + 1, "best": CARD_MIB}
    }


def test_an_alternative_may_ask_for_other_memory() -> None:
    world = (
        World()
        .node("a")
        .job("j", cores=1, memory_mib=1, alternatives=only(vendor="nvidia", memory_mib=5_000))
    )
    (part,) = world.decide().slices("j")
    assert part.memory_mib == 5_000


def test_an_exclusive_hold_keeps_others_away_even_when_the_card_has_grown_since() -> None:
    world = World().node("a").holds("a-0", cores=50, memory_mib=1_000, exclusive=True)
    assert world.job("j", cores=1, memory_mib=1).decide().started == []


def test_a_card_of_unknown_memory_takes_no_slice_and_harms_no_one() -> None:
    world = World().node("a", memory_mib=0).node("b").job("j", cores=10)
    assert world.decide().nodes("j") == ["b"]
