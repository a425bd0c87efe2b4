"""Whose turn it is, limits, and closed queues."""

from __future__ import annotations

from tests.scheduling.world import CARD_CLASS, World, group
from vast.scheduling.snapshot import Alternative, Quota


def test_a_leaf_offers_by_priority_then_age() -> None:
    world = World().node("a", 3).job("old").job("new").job("urgent", priority=5)
    assert world.decide().started == ["urgent", "old", "new"]


def test_a_job_that_cannot_start_does_not_hold_back_later_ones() -> None:
    outcome = World().node("a", 2).job("big", devices=3).job("small").decide()
    assert outcome.started == ["small"]


def test_positions_count_the_jobs_still_waiting() -> None:
    world = World().node("a", 1).job("x", devices=2).job("runs").job("y").job("z", not_before=20_000)
    outcome = world.decide()
    assert [outcome.wait(job).position for job in ("x", "y", "z")] == [1, 2, 3]


def test_a_queue_inside_its_guarantee_goes_before_one_that_is_less_saturated() -> None:
    world = World().node("a", 5).queue("own", guaranteed=4).queue("guest", limit=8)
    for i in range(3):
        world.holds(f"a-{i}", queue="own", exclusive=True)
    world.holds("a-3", queue="guest", exclusive=True)
    assert world.job("g", queue="guest").job("o", queue="own").decide().started == ["o"]


def test_outside_guarantees_the_least_saturated_queue_goes_first() -> None:
    world = (
        World().node("a", 4).queue("x", limit=4).queue("y", limit=4).holds("a-0", queue="x", exclusive=True)
    )
    for i in range(3):
        world.job(f"x{i}", queue="x").job(f"y{i}", queue="y")
    assert world.decide().started == ["y0", "x0", "y1"]


def test_equally_saturated_queues_take_turns() -> None:
    world = World().node("a", 4).queue("x").queue("y")
    for i in range(2):
        world.job(f"x{i}", queue="x")
    for i in range(2):
        world.job(f"y{i}", queue="y")
    assert world.decide().started == ["x0", "y0", "x1", "y1"]


def test_a_branch_is_compared_by_all_that_it_holds() -> None:
    world = World().node("a", 4).queue("left", limit=4).queue("right", limit=4)
    world.queue("l1", parent="left").queue("l2", parent="left").queue("r1", parent="right")
    world.holds("a-0", queue="l1", exclusive=True)
    world.job("l", queue="l2").job("r", queue="r1").job("r-2", queue="r1")
    assert world.decide().started == ["r", "l", "r-2"]


def test_work_that_is_stopping_no_longer_counts_in_the_order() -> None:
    world = World().node("a", 3).queue("x", limit=4).queue("y", limit=4)
    world.holds("a-0", queue="x", exclusive=True, stopping=True)
    assert world.job("jx", queue="x").job("jy", queue="y").decide().started == ["jx", "jy"]


def test_work_that_is_stopping_still_counts_against_limits() -> None:
    world = World().node("a", 2).queue("q", limit=1).holds("a-0", exclusive=True, stopping=True).job("j")
    assert world.decide().reason("j").code == "EXCEEDS_LIMIT"


def test_a_limit_is_refused_with_its_numbers() -> None:
    world = World().node("a", 8).queue("q", limit=2.5).holds("a-0", exclusive=True).job("j", tasks=2)
    reason = world.decide().reason("j")
    assert reason.code == "EXCEEDS_LIMIT"
    assert reason.params == {
        "queue": "q",
        "device_class": CARD_CLASS,
        "limit": 2500,
        "held": 1000,
        "asked": 2000,
        "short": 500,
        "limit_cards": "2.50",
        "held_cards": "1.00",
        "asked_cards": "2.00",
        "short_cards": "0.50",
    }


def test_the_limit_of_an_ancestor_counts_for_all_below_it() -> None:
    world = World().node("a", 8).queue("top", limit=2).queue("x", parent="top").queue("y", parent="top")
    outcome = world.job("j1", queue="x").job("j2", queue="y").job("j3", queue="y").decide()
    assert outcome.started == ["j1", "j2"]
    assert outcome.reason("j3").params["queue"] == "top"


def test_a_job_at_the_limit_of_one_class_takes_its_next_alternative() -> None:
    quotas = {"ascend-64g": Quota(limit=0)}
    world = World().node("a", 1, vendor="ascend", model="910B", device_class="ascend-64g").node("b", 1)
    world.queue("q", quotas=quotas)
    outcome = world.job(
        "j", alternatives=(Alternative(vendor="ascend"), Alternative(vendor="nvidia"))
    ).decide()
    assert outcome.nodes("j") == ["b"]


def test_alternatives_that_all_pass_limits_are_refused_for_the_limit() -> None:
    world = World().node("a", 1, vendor="ascend", model="910B", device_class="ascend-64g").node("b", 1)
    world.queue("q", quotas={"ascend-64g": Quota(limit=0), CARD_CLASS: Quota(limit=500)})
    assert world.job("j").decide().reason("j").code == "EXCEEDS_LIMIT"


def test_a_gang_may_not_pass_a_limit_in_sum() -> None:
    world = World().node("a", 4).queue("q", limit=2)
    world.job("j", group("m", 1, exclusive=True), group("w", 4, cores=50, memory_mib=1))
    assert world.decide().reason("j").params["asked"] == 3000


def test_a_closed_ancestor_starts_nothing() -> None:
    world = World().node("a").queue("top", open=False).queue("q", parent="top").job("j")
    reason = world.decide().reason("j")
    assert (reason.code, reason.params) == ("QUEUE_CLOSED", {"queue": "top"})


def test_a_queue_with_children_starts_nothing() -> None:
    world = World().node("a").queue("q").queue("leaf", parent="q").job("j")
    assert world.decide().reason("j").code == "QUEUE_NOT_LEAF"


def test_a_job_in_back_off_waits_and_lets_others_pass() -> None:
    outcome = World().node("a").job("failed", not_before=10_030).job("next").decide()
    assert outcome.started == ["next"]
    assert outcome.reason("failed").params == {"seconds": 30}


def test_jobs_beyond_the_budget_are_said_to_be_unseen() -> None:
    world = World().node("a", 8)
    for i in range(4):
        world.job(f"j{i}")
    outcome = world.decide(budget=3)
    assert outcome.started == ["j0"]
    assert {outcome.reason(job).code for job in outcome.waiting} == {"NOT_EVALUATED_YET"}


def test_a_gang_cut_off_by_the_budget_takes_nothing() -> None:
    outcome = World().node("a", 8).job("gang", tasks=8).decide(budget=5)
    assert outcome.reason("gang").code == "NOT_EVALUATED_YET"


def test_a_gang_that_meets_a_limit_on_its_second_alternative_says_by_how_much() -> None:
    world = World().node("a", 1, vendor="ascend", model="910B", device_class="ascend-64g").node("b", 4)
    world.queue("q", limit=2)
    wanted = (Alternative(vendor="ascend"), Alternative(vendor="nvidia"))
    outcome = world.job("j", tasks=4, exclusive=True, alternatives=wanted).decide()
    limit = outcome.evidence("j")["EXCEEDS_LIMIT"]
    assert (limit["asked"], limit["short"]) == (3000, 1000)


def test_a_limit_of_one_queue_says_nothing_about_another_queue() -> None:
    world = World().node("a", 1, vendor="ascend", model="910B", device_class="ascend-64g").node("b", 1)
    world.queue("free").queue("tight", guaranteed=9, limit=0, priority=1)
    world.holds("a-0", queue="free", exclusive=True)
    world.job("stuck", queue="tight").job("runs", queue="free")
    assert world.decide().started == ["runs"]


def test_a_limit_is_checked_at_the_charge_of_the_card_that_is_really_got() -> None:
    world = World().node("a", model="A100-40G", memory_mib=40_960).node("b").queue("q", limit=0.15)
    (part,) = world.job("j", cores=1, memory_mib=8_192).decide().slices("j")
    assert (part.device, part.charge) == ("b-0", 100)
