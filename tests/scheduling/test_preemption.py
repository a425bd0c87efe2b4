"""Inside one queue: who is stopped for whom, and that nobody is stopped for nothing."""

from __future__ import annotations

from tests.scheduling.world import NOW, World


def test_a_job_of_higher_priority_takes_the_cards_of_a_lower_one() -> None:
    world = World().node("n").running("low", "n-0", priority=-1).job("high", priority=1, exclusive=True)
    outcome = world.decide()
    assert outcome.evicted == {"low": "priority"}
    assert outcome.kept("high") == [["n-0"]]
    assert outcome.reason("high").code == "WAITING_FOR_ROOM"


def test_equal_priority_takes_nothing() -> None:
    world = World().node("n").running("first", "n-0").job("second", exclusive=True)
    assert world.decide().evicted == {}


def test_a_job_that_may_not_evict_waits() -> None:
    world = World().node("n").running("low", "n-0", priority=-1)
    world.job("high", priority=1, exclusive=True, job={"may_evict": False})
    assert world.decide().evicted == {}


def test_a_job_that_is_not_preemptible_stays() -> None:
    world = World().node("n").running("fixed", "n-0", priority=-1, preemptible=False)
    assert world.job("high", priority=1, exclusive=True).decide().evicted == {}


def test_one_job_goes_rather_than_two_halves_of_a_card() -> None:
    world = World().node("n", cards=2)
    world.running("half-1", "n-0", cores=50, priority=-1).running("half-2", "n-0", cores=50, priority=-1)
    world.running("whole", "n-1", priority=-1)
    assert set(world.job("high", priority=1, exclusive=True).decide().evicted) == {"whole"}


def test_the_smallest_useful_set_goes_and_not_the_lowest_priority_at_any_cost() -> None:
    world = World().node("n", cards=6)
    world.running("one", "n-0", priority=-1).running("two", ("n-1", "n-2"))
    world.running("three", ("n-3", "n-4", "n-5"), priority=1)
    assert set(world.job("high", priority=1, devices=2, exclusive=True).decide().evicted) == {"two"}


def test_free_cards_are_used_before_victims_are_counted() -> None:
    world = World().node("n", cards=5).running("low", "n-0", priority=-1).running("mid", "n-1")
    world.running("high", ("n-2", "n-3"), priority=1)
    assert set(world.job("new", priority=1, devices=2, exclusive=True).decide().evicted) == {"low"}


def test_a_node_that_is_too_small_loses_nobody() -> None:
    world = World().node("a", cards=2).node("b", cards=2)
    world.running("x", ("a-0", "a-1"), priority=-1).running("y", "b-0", priority=-1)
    assert world.job("wide", priority=1, devices=4, exclusive=True).decide().evicted == {}


def test_a_gang_takes_all_that_it_needs_in_one_decision_or_nothing() -> None:
    world = World().node("n", cards=2).running("low", "n-0", priority=-1).running("peer", "n-1", priority=1)
    assert world.job("gang", priority=1, tasks=2, exclusive=True).decide().evicted == {}
    world = World().node("n", cards=2).running("low", "n-0", priority=-1)
    outcome = world.job("gang", priority=1, tasks=2, exclusive=True).decide()
    assert outcome.evicted == {"low": "priority"}
    assert sorted(outcome.kept("gang")) == [["n-0"], ["n-1"]]


def test_a_limit_forces_preemption_though_cards_are_free() -> None:
    world = World().node("n", cards=2).queue("q", guaranteed=1, limit=1).running("low", "n-0")
    outcome = world.job("high", priority=1, exclusive=True).decide()
    assert outcome.evicted == {"low": "priority"}


def test_nobody_goes_when_the_limit_would_still_be_in_the_way() -> None:
    world = World().node("n", cards=10).queue("q", limit=3)
    world.running("one", "n-0", priority=-1).running("two", "n-1", priority=-1)
    assert world.job("wide", priority=1, devices=4, exclusive=True).decide().evicted == {}


def test_only_the_node_that_will_host_the_job_loses_its_job() -> None:
    world = World().node("a", cards=4).node("b", cards=4).queue("q", limit=6)
    world.running("one", "a-0", priority=-1).running("four", ("b-0", "b-1", "b-2", "b-3"), priority=-1)
    assert set(world.job("three", priority=1, devices=3, exclusive=True).decide().evicted) == {"four"}


def test_a_young_job_is_left_alone_and_an_old_or_unknown_one_is_not() -> None:
    for started, gone in ((NOW - 10, False), (NOW - 30, True), (None, True)):
        world = (
            World().node("n").queue("q", min_runtime=15).running("low", "n-0", priority=-1, started=started)
        )
        assert bool(world.job("high", priority=1, exclusive=True).decide().evicted) == gone


def test_the_job_that_lost_least_work_goes_among_equals() -> None:
    world = World().node("n", cards=2)
    world.running("old", "n-0", priority=-1, started=NOW - 5000).running("new", "n-1", priority=-1)
    assert set(world.job("high", priority=1, exclusive=True).decide().evicted) == {"new"}
    world = World().node("n", cards=2)
    world.running("saved", "n-0", priority=-1, started=NOW - 5000, saved_at=NOW - 5)
    world.running("new", "n-1", priority=-1)
    assert set(world.job("high", priority=1, exclusive=True).decide().evicted) == {"saved"}


def test_an_elastic_job_gives_its_extras_first() -> None:
    world = World().node("n", cards=3).running("elastic", "n-0", "n-1", "n-2", minimum=1)
    outcome = world.job("peer", exclusive=True).decide()
    assert outcome.lost == {"elastic": ("elastic/2",)}


def test_two_askers_do_not_count_on_the_same_victim() -> None:
    world = World().node("n", cards=2).running("x", "n-0", priority=-1).running("y", "n-1", priority=-1)
    world.job("a", priority=1, exclusive=True).job("b", priority=1, exclusive=True)
    outcome = world.decide()
    assert set(outcome.evicted) == {"x", "y"}
    assert outcome.kept("a") != outcome.kept("b")


def test_the_rest_of_a_large_victim_serves_the_next_asker() -> None:
    world = World().node("n", cards=2).running("wide", ("n-0", "n-1"), priority=-1)
    world.job("a", priority=1, exclusive=True).job("b", priority=1, exclusive=True)
    assert set(world.decide().evicted) == {"wide"}
