"""Consolidation: movable jobs change places so that another finds room, and lose nothing."""

from __future__ import annotations

from tests.scheduling.world import World


def test_one_small_job_moves_to_open_a_whole_node() -> None:
    world = World().node("a", cards=2).node("b", cards=2)
    world.running("x", "a-0", movable=True).running("y", "b-0", movable=True)
    outcome = world.job("wide", devices=2, exclusive=True).decide()
    assert list(outcome.evicted.values()) == ["move"]
    (moved,) = outcome.evicted
    assert outcome.kept(moved) == [["b-1"]] if moved == "x" else [["a-1"]]
    assert outcome.kept("wide")


def test_jobs_that_are_not_movable_stay() -> None:
    world = World().node("a", cards=2).node("b", cards=2).running("x", "a-0").running("y", "b-0")
    assert world.job("wide", devices=2, exclusive=True).decide().evicted == {}


def test_slices_that_do_not_fit_together_stay() -> None:
    for asked in (100, 80):
        world = World().node("n", cards=2)
        world.running("x", "n-0", cores=50, movable=True).running("y", "n-1", cores=60, movable=True)
        assert world.job("new", cores=asked).decide().evicted == {}


def test_a_gang_moves_as_one() -> None:
    world = World().node("a", cards=3).node("b", cards=3)
    world.running("gang", "a-0", "a-1", "b-0", movable=True)
    outcome = world.job("wide", devices=3, exclusive=True).decide()
    assert outcome.evicted == {"gang": "move"}
    assert len({device[0] for seat in outcome.kept("gang") for device in seat}) == 1


def test_a_job_that_moved_just_now_is_left_alone() -> None:
    world = World().node("a", cards=2).node("b", cards=2).queue("q", min_runtime=60)
    world.running("x", "a-0", movable=True, evicted_at=(9_990,)).running("y", "b-0", movable=False)
    assert world.job("wide", devices=2, exclusive=True).decide().evicted == {}
