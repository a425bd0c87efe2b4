"""All tasks of a job start together or none does."""

from __future__ import annotations

from itertools import groupby

from tests.scheduling.world import World, group


def test_of_two_gangs_that_each_need_more_than_half_one_runs_and_the_other_waits_whole() -> None:
    world = World().node("a", 4).node("b", 4)
    outcome = world.job("one", tasks=5, exclusive=True).job("two", tasks=5, exclusive=True).decide()
    assert outcome.started == ["one"]
    reason = outcome.reason("two")
    assert (reason.code, dict(reason.params)) == ("GANG_INCOMPLETE", {"placed": 3, "total": 5})
    assert outcome.evidence("two") == {"DEVICE_IN_USE": {"devices": 5}}


def test_the_best_node_named_is_one_that_is_short_and_not_the_one_that_has_room() -> None:
    world = World().node("a", 4).node("b", 4).job("one", devices=1, exclusive=True)
    outcome = world.job("two", tasks=2, devices=4, exclusive=True).decide()
    assert outcome.evidence("two")["NODE_DEVICES_SHORT"] == {"nodes": 1, "need": 4, "best": 3}


def test_a_gang_that_does_not_fit_takes_nothing_from_those_behind_it() -> None:
    outcome = World().node("a", 4).job("big", tasks=5).job("small", tasks=4).decide()
    assert outcome.started == ["small"]


def test_groups_of_a_job_are_one_gang() -> None:
    world = World().node("a", 2)
    world.job("j", group("master", 1, cores=10, memory_mib=1), group("worker", 2, exclusive=True))
    assert world.decide().reason("j").params == {"placed": 2, "total": 3}


def test_tasks_are_placed_group_by_group_in_rank_order() -> None:
    world = World().node("a", 4)
    world.job("j", group("master", 1, cores=10, memory_mib=1), group("worker", 2, exclusive=True))
    tasks = [placement.task for placement in world.decide().start("j").placements]
    assert tasks == ["j/master/0", "j/worker/0", "j/worker/1"]


def test_the_hardest_group_is_seated_first_so_that_small_ones_do_not_break_its_card() -> None:
    world = World().node("a", 1).node("b", 1, model="A10", device_class="nvidia-24g", memory_mib=24_576)
    world.job("j", group("small", 1, cores=1, memory_mib=1), group("large", 1, cores=90, memory_mib=80_000))
    assert world.decide().started == ["j"]


def test_a_gang_whose_tasks_need_two_slices_each_fits_where_best_fit_alone_would_fail() -> None:
    world = World().node("a", 3).holds("a-0", cores=50, memory_mib=1).holds("a-1", cores=50, memory_mib=1)
    assert world.job("j", tasks=2, devices=2, cores=50, memory_mib=1).decide().started == ["j"]


def test_consecutive_ranks_sit_side_by_side_even_when_spread() -> None:
    world = World().node("a", 4).node("b", 4).job("j", group("main", 6, spread_nodes=True, exclusive=True))
    runs = [node for node, _ in groupby(world.decide().nodes("j"))]
    assert sorted(runs) == ["a", "b"]


def test_a_group_that_spreads_over_devices_never_shares_a_card() -> None:
    world = World().node("a", 2)
    world.job("j", group("main", 3, spread_devices=True, cores=10, memory_mib=1))
    outcome = world.decide()
    assert outcome.reason("j").params == {"placed": 2, "total": 3}
    assert outcome.evidence("j") == {"SPREAD_SAME_DEVICE": {"devices": 2}}


def test_other_groups_may_share_the_cards_of_one_that_spreads() -> None:
    world = World().node("a", 2)
    spread = group("spread", 2, spread_devices=True, cores=10, memory_mib=1)
    outcome = world.job("j", spread, group("other", 2, cores=50, memory_mib=1)).decide()
    assert outcome.started == ["j"]


def test_a_gang_that_fails_leaves_the_pool_as_it_was() -> None:
    world = World().node("a", 2)
    world.job("gang", group("main", 3, spread_devices=True, cores=60, memory_mib=40_000))
    outcome = world.job("whole", tasks=2, exclusive=True).decide()
    assert outcome.started == ["whole"]
