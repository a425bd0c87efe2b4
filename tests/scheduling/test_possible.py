"""Jobs that could never run are told so when they are submitted."""

from __future__ import annotations

from tests.scheduling.world import CARD_MIB, World, group, only
from vast.common.reasons import Reason
from vast.scheduling.possible import impossible


def verdict(world: World) -> Reason | None:
    return impossible(world.snapshot(), world.pending[-1])


def test_a_full_closed_and_broken_pool_makes_nothing_impossible() -> None:
    world = World().node("a", 1, unhealthy=1, ready=False, cordoned=True).queue("q", open=False)
    assert verdict(world.holds("a-0", exclusive=True).job("j", exclusive=True)) is None


def test_memory_above_every_card_is_impossible() -> None:
    reason = verdict(World().node("a").job("j", cores=1, memory_mib=CARD_MIB + 1))
    assert reason is not None
    assert reason.code == "EXCEEDS_CAPACITY"
    assert [item.code for item in reason.evidence] == ["DEVICE_MEMORY_SHORT"]


def test_a_gang_larger_than_the_pool_is_impossible() -> None:
    reason = verdict(World().node("a", 4).job("j", tasks=5))
    assert reason is not None
    assert (reason.code, reason.params["placed"], reason.params["total"]) == ("EXCEEDS_CAPACITY", 4, 5)


def test_more_cards_than_one_node_has_is_impossible_for_one_task() -> None:
    reason = verdict(World().node("a", 4).node("b", 2).job("j", devices=5))
    assert reason is not None
    assert reason.evidence == (Reason("NODE_DEVICES_SHORT", {"nodes": 2, "need": 5, "best": 4}),)


def test_a_model_that_nobody_has_is_impossible() -> None:
    reason = verdict(World().node("a").job("j", group("g", alternatives=only(model="X"))))
    assert reason is not None
    assert reason.code == "NO_MATCHING_MODEL"


def test_more_than_the_queue_may_ever_use_is_impossible() -> None:
    reason = verdict(World().node("a", 4).queue("q", limit=2).holds("a-0", exclusive=True).job("j", tasks=3))
    assert reason is not None
    assert (reason.code, reason.params["held"], reason.params["short"]) == ("EXCEEDS_LIMIT", 0, 1000)


def test_a_pool_without_nodes_has_no_matching_model() -> None:
    reason = verdict(World().job("j"))
    assert reason is not None
    assert reason.code == "NO_MATCHING_MODEL"
