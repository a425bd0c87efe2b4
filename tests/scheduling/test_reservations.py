"""Backfill: who waited long gets a set of devices, and nobody delays its start."""

from __future__ import annotations

from typing import Any

from tests.scheduling.world import NOW, World
from vast.scheduling.snapshot import Pool


def full_but_one() -> World:
    """Two cards: one is free for 500 seconds more than nothing, the other is in use until NOW + 500."""
    world = World(policies=[Pool("p", reserve_after=0)]).node("n", cards=2)
    world.running("long", "n-0", started=NOW - 100, max_runtime=600, preemptible=False)
    return world.job("wide", devices=2, exclusive=True, job={"may_evict": False})


def waits(**job: Any) -> World:
    return full_but_one().job("small", exclusive=True, job=job)


def test_a_job_that_waited_gets_all_its_devices_at_the_earliest_time() -> None:
    outcome = full_but_one().decide()
    made = outcome.reservation("wide")
    assert made.starts_at == NOW + 500
    assert sorted(part.device for seat in made.seats for part in seat.slices) == ["n-0", "n-1"]
    assert outcome.reason("wide").code == "RESERVED"


def test_a_young_job_gets_none() -> None:
    world = full_but_one()
    world.policies[:] = [Pool("p", reserve_after=NOW + 1)]
    assert world.decide().reason("wide").code == "INSUFFICIENT_RESOURCES"


def test_who_is_gone_by_then_may_use_the_reserved_devices() -> None:
    assert waits(max_runtime=500).decide().started == ["small"]


def test_who_may_still_be_there_may_not() -> None:
    assert waits(max_runtime=501).decide().started == []
    assert waits().decide().started == []


def test_a_guest_may_use_them_and_goes_when_the_rest_is_free() -> None:
    world = waits(checkpoints=True)
    outcome = world.decide()
    assert outcome.started == ["small"]
    later = World().node("n", cards=2)
    later.running("small", "n-1", started=NOW + 1, checkpoints=True)
    later.job("wide", devices=2, exclusive=True, job={"may_evict": False})
    later.keeps_reserved("wide", full_but_one().decide())
    assert later.decide().evicted == {"small": "guest"}


def test_the_holder_starts_once_its_devices_are_free() -> None:
    later = World().node("n", cards=2).job("wide", devices=2, exclusive=True)
    later.keeps_reserved("wide", full_but_one().decide())
    assert later.decide().started == ["wide"]


def test_a_job_of_higher_priority_in_the_same_queue_goes_first() -> None:
    world = World(policies=[Pool("p", reserve_after=0)]).node("n", cards=2)
    world.running("long", "n-0", started=NOW - 100, max_runtime=600, preemptible=False)
    world.job("wide", devices=2, exclusive=True, job={"may_evict": False})
    world.keeps_reserved("wide", full_but_one().decide())
    assert world.job("urgent", exclusive=True, priority=5).decide().started == ["urgent"]


def test_where_nobody_can_say_when_the_set_is_the_one_that_waits_for_fewest_cards() -> None:
    world = World(policies=[Pool("p", reserve_after=0)]).node("a", cards=2).node("b", cards=2)
    world.running("one", "a-0", preemptible=False).running("two", ("b-0", "b-1"), preemptible=False)
    outcome = world.job("wide", devices=2, exclusive=True, job={"may_evict": False}).decide()
    made = outcome.reservation("wide")
    assert made.starts_at is None
    assert {seat.node for seat in made.seats} == {"a"}
    assert outcome.reason("wide").code == "RESERVED_UNTIL_FREE"


def test_a_pool_makes_no_more_reservations_than_it_may() -> None:
    world = full_but_one()
    world.policies[:] = [Pool("p", reserve_after=0, max_reservations=0)]
    assert world.decide().reason("wide").code == "INSUFFICIENT_RESOURCES"
