"""Where tasks go among the places that would do."""

from __future__ import annotations

from tests.scheduling.world import World, group
from vast.scheduling.snapshot import Alternative


def test_a_slice_goes_to_the_fullest_card_that_fits() -> None:
    world = (
        World().node("a", 4).holds("a-1", cores=30, memory_mib=1_000).holds("a-2", cores=60, memory_mib=1_000)
    )
    assert world.job("j", cores=30, memory_mib=1_000).decide().devices("j") == [["a-2"]]


def test_a_slice_opens_no_card_while_a_shared_one_fits_on_another_node() -> None:
    world = World().node("a", 4).node("b", 4).holds("b-3", cores=10, memory_mib=1)
    assert world.job("j", cores=10, memory_mib=1).decide().devices("j") == [["b-3"]]


def test_a_whole_card_comes_from_the_node_with_the_fewest_free_ones() -> None:
    world = World().node("a", 4).node("b", 4).holds("b-0", exclusive=True)
    assert world.job("j", exclusive=True).decide().nodes("j") == ["b"]


def test_cards_of_one_task_come_from_one_link_group() -> None:
    world = World().node("a", 8, links=2).holds("a-0", exclusive=True)
    assert world.job("j", devices=4, exclusive=True).decide().devices("j") == [["a-4", "a-5", "a-6", "a-7"]]


def test_a_single_card_comes_from_the_link_group_that_is_broken_already() -> None:
    world = World().node("a", 8, links=2).holds("a-5", exclusive=True)
    assert world.job("j", exclusive=True).decide().devices("j") == [["a-4"]]


def test_spread_over_nodes_uses_every_node_before_using_one_twice() -> None:
    world = World().node("a", 4).node("b", 4).node("c", 4)
    outcome = world.job("j", group("main", 3, spread_nodes=True, cores=10, memory_mib=1)).decide()
    assert sorted(outcome.nodes("j")) == ["a", "b", "c"]


def test_spread_over_nodes_is_a_wish() -> None:
    outcome = World().node("a", 4).job("j", group("main", 3, spread_nodes=True)).decide()
    assert outcome.nodes("j") == ["a", "a", "a"]


def test_a_task_without_devices_stays_off_nodes_with_cards() -> None:
    world = World().node("a", 4).node("b", 0)
    assert world.job("j", devices=0, cpu_millis=100).decide().nodes("j") == ["b"]


def test_alternatives_are_tried_in_order() -> None:
    wanted = (Alternative(vendor="ascend"), Alternative(vendor="nvidia"))
    world = World().node("a", 1).node("b", 1, vendor="ascend", model="910B", device_class="ascend-64g")
    outcome = world.job("one", alternatives=wanted).job("two", alternatives=wanted).decide()
    assert outcome.nodes("one") + outcome.nodes("two") == ["b", "a"]
