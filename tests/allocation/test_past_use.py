"""Past use of the queues: decayed by half-life, added up along the tree, and seen by the engine only where it counts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.domain import Lab
from vast.allocation.models import Allocation
from vast.allocation.past_use import past_use
from vast.allocation.world import World
from vast.common import clock
from vast.inventory.models import Pool

pytestmark = pytest.mark.django_db
CARD = "nvidia-80g"
HOUR = timedelta(hours=1)


def remember(lab: Lab, **about: Any) -> None:
    Pool.objects.filter(pk=lab.pool.pk).update(**{"decay": 1000, "usage_half_life_s": 3600, **about})
    lab.pool.refresh_from_db()


def used(lab: Lab, *, queue: str = "research", began: timedelta, ended: timedelta | None = None) -> None:
    """One whole card, from ``began`` ago to ``ended`` ago."""
    job = lab.run(lab.submit(devices=1, exclusive=True, queue=queue))
    if ended is not None:
        lab.exited(job)
    now = clock.now()
    Allocation.objects.filter(job=job).update(
        created_at=now - began, ended_at=None if ended is None else now - ended
    )


def test_a_use_counts_half_after_each_half_life(lab: Lab) -> None:
    remember(lab)
    lab.node("a")
    used(lab, began=timedelta(hours=1, seconds=10), ended=HOUR)
    (amounts,) = past_use(clock.now()).values()
    assert amounts[CARD] == pytest.approx(1000 * 10 / 2, rel=0.01)


def test_a_use_since_ever_comes_to_rest_at_half_life_over_ln_2(lab: Lab) -> None:
    remember(lab)
    lab.node("a")
    used(lab, began=timedelta(days=30))
    assert past_use(clock.now())[lab.queues["research"].pk][CARD] == pytest.approx(
        1000 * 3600 / 0.6931, rel=0.01
    )


def test_what_ended_long_ago_is_forgotten(lab: Lab) -> None:
    remember(lab)
    lab.node("a")
    used(lab, began=timedelta(days=3), ended=timedelta(days=2))
    assert past_use(clock.now()) == {}


def test_a_parent_has_used_what_those_below_it_used(lab: Lab) -> None:
    remember(lab)
    lab.node("a", devices=2)
    lab.queue("dept")
    lab.queue("one", parent="dept")
    lab.queue("two", parent="dept")
    used(lab, queue="dept/one", began=HOUR)
    used(lab, queue="dept/two", began=HOUR)
    found = past_use(clock.now())
    one, two, dept = (found[lab.queues[path].pk][CARD] for path in ("dept/one", "dept/two", "dept"))
    assert one + two == pytest.approx(dept, abs=2)


def test_the_queue_that_used_less_starts_first(lab: Lab) -> None:
    remember(lab)
    lab.node("a")
    lab.queue("fresh")
    used(lab, began=HOUR, ended=timedelta(minutes=1))
    often = lab.submit(devices=1, exclusive=True)
    rarely = lab.submit(devices=1, exclusive=True, queue="fresh")
    lab.cycle.world = World()
    lab.schedule()
    assert (lab.fresh(rarely).state, lab.fresh(often).state) == ("starting", "pending")


def test_a_use_older_than_the_database_can_count_down_is_still_in(lab: Lab) -> None:
    remember(lab, usage_half_life_s=60)
    lab.node("a")
    used(lab, began=timedelta(days=300))
    assert past_use(clock.now())[lab.queues["research"].pk][CARD] == pytest.approx(
        1000 * 60 / 0.6931, rel=0.01
    )


def test_without_decay_nothing_is_read(lab: Lab, django_assert_num_queries: Any) -> None:
    lab.node("a")
    used(lab, began=HOUR)
    world = World()
    world.nodes()
    assert all(queue.usage == {} for queue in world.queues())
