"""Across queues: who may take back from whom (the worked examples of scheduling-notes, section 3)."""

from __future__ import annotations

from tests.scheduling.world import CARD_CLASS, World
from vast.scheduling.snapshot import Quota


def pool(cards: int, *, nodes: int = 1) -> World:
    world = World()
    for i in range(nodes):
        world.node("n" if nodes == 1 else f"n{i}", cards=cards // nodes)
    return world


def quota(
    guaranteed: float = 0, weight: int = 1, limit: float | None = None, reserved: float = 0
) -> dict[str, Quota]:
    most = None if limit is None else round(limit * 1000)
    return {CARD_CLASS: Quota(round(guaranteed * 1000), most, weight, round(reserved * 1000))}


def test_an_indivisible_borrower_goes_whole_for_a_guarantee() -> None:
    world = pool(2).queue("q0", quotas=quota(1)).queue("q1", quotas=quota(1))
    outcome = world.running("big", ("n-0", "n-1"), queue="q0").job("one", queue="q1", exclusive=True).decide()
    assert outcome.evicted == {"big": "guarantee"}


def test_at_its_share_and_above_its_guarantee_nobody_takes() -> None:
    world = pool(7).queue("q0", quotas=quota(2, 2)).queue("q1", quotas=quota(1, 1))
    for i in range(4):
        world.running(f"a{i}", f"n-{i}", queue="q0")
    world.running("b", ("n-4", "n-5", "n-6"), queue="q1")
    assert world.job("more", queue="q0", exclusive=True).decide().evicted == {}


def test_priority_does_not_cross_queues() -> None:
    world = pool(9).queue("a", quotas=quota(3)).queue("b", quotas=quota(3)).queue("c", quotas=quota(3))
    world.running("a0", ("n-0", "n-1", "n-2"), queue="a")
    world.running("low", tuple(f"n-{i}" for i in range(3, 8)), queue="b", priority=-1)
    world.running("high", "n-8", queue="b", priority=1)
    outcome = world.job("new", queue="a", exclusive=True).decide()
    assert outcome.evicted == {"high": "share"}


def test_against_a_sibling_a_leaf_takes_though_its_parent_is_full() -> None:
    world = pool(8).queue("d1", quotas=quota(4)).queue("d2", quotas=quota(4))
    world.queue("q1", parent="d1", quotas=quota(2)).queue("q2", parent="d1", quotas=quota(2))
    world.queue("q3", parent="d2", quotas=quota(4))
    for i in range(4):
        world.running(f"x{i}", f"n-{i}", queue="q2").running(f"y{i}", f"n-{i + 4}", queue="q3")
    outcome = world.job("new", queue="q1", exclusive=True).decide()
    assert [job[0] for job in outcome.evicted] == ["x"]


def test_a_queue_inside_its_guarantee_is_never_touched() -> None:
    world = pool(8).queue("d1", quotas=quota(4)).queue("d2", quotas=quota(4))
    world.queue("q1", parent="d1", quotas=quota(4))
    world.queue("x", parent="d2", quotas=quota(3)).queue("y", parent="d2", quotas=quota(1))
    for i in range(3):
        world.running(f"x{i}", f"n-{i}", queue="x").running(f"y{i}", f"n-{i + 3}", queue="y")
    world.running("d1-0", ("n-6", "n-7"), queue="q1")
    assert [job[0] for job in world.job("new", queue="q1", exclusive=True).decide().evicted] == ["y"]


def test_the_queue_without_any_quota_loses_first() -> None:
    world = pool(4).queue("q0", quotas=quota(1)).queue("q1", quotas=quota(1)).queue("q2", quotas=quota(0, 0))
    world.running("two", ("n-0", "n-1"), queue="q0").running("one", "n-2", queue="q0").running(
        "z", "n-3", queue="q2"
    )
    assert set(world.job("new", queue="q1", exclusive=True).decide().evicted) == {"z"}


def test_a_queue_of_higher_priority_takes_the_surplus_of_others() -> None:
    world = pool(8).queue("q0", quotas=quota(1, 2)).queue("q1", quotas=quota(1, 1))
    world.queue("hot", quotas=quota(0, 1), priority=1)
    for i in range(5):
        world.running(f"a{i}", f"n-{i}", queue="q0")
    for i in range(3):
        world.running(f"b{i}", f"n-{i + 5}", queue="q1")
    gone = world.job("gang", queue="hot", devices=3, exclusive=True).decide().evicted
    assert sorted(job[0] for job in gone) == ["a", "a", "b"]


def test_a_job_that_is_not_preemptible_stays_inside_the_guarantee() -> None:
    world = pool(2).queue("q0").queue("q1", quotas=quota(1)).running("big", ("n-0", "n-1"), queue="q0")
    world.job("two", queue="q1", devices=2, exclusive=True, job={"preemptible": False})
    outcome = world.job("one", queue="q1", exclusive=True, job={"preemptible": False}).decide()
    assert outcome.evicted == {"big": "guarantee"}
    assert outcome.reason("two").code == "NOT_PREEMPTIBLE_BEYOND_GUARANTEE"
    assert outcome.kept("one")


def test_a_young_victim_is_protected_and_the_asker_gets_a_reservation() -> None:
    world = pool(1).queue("q0", min_runtime=5000).queue("q1", quotas=quota(1)).running("v", "n-0", queue="q0")
    outcome = world.job("new", queue="q1", exclusive=True).decide()
    assert outcome.evicted == {}
    assert outcome.reservation("new")


def test_what_is_reserved_is_never_lent() -> None:
    world = pool(4).queue("q0", quotas=quota(2, reserved=2)).queue("q1")
    for i in range(4):
        world.job(f"j{i}", queue="q1", exclusive=True)
    outcome = world.decide()
    assert len(outcome.started) == 2
    assert outcome.reason("j3").code == "RESERVED_FOR_OTHERS"


def test_what_is_reserved_is_there_for_a_queue_that_has_no_siblings() -> None:
    world = pool(2).queue("q", quotas=quota(1, reserved=1))
    assert world.job("j", exclusive=True).decide().started == ["j"]


def test_in_a_strict_queue_nobody_passes_who_asks_for_the_same_class() -> None:
    world = pool(2).queue("q", strict=True).running("other", "n-0")
    world.job("wide", devices=1, tasks=2, exclusive=True)
    outcome = world.job("small", exclusive=True).decide()
    assert outcome.started == []
    assert outcome.reason("small").code == "BEHIND_OTHERS"


def test_extras_take_back_only_extras_and_only_for_a_guarantee() -> None:
    world = pool(3).queue("q0", quotas=quota(1, 0)).queue("q1", quotas=quota(2))
    world.running("old", "n-0", "n-1", queue="q0", minimum=1)
    outcome = world.job("new", queue="q1", tasks=3, minimum=1, exclusive=True).decide()
    assert outcome.started == ["new"]
    assert outcome.lost == {"old": ("old/1",)}
