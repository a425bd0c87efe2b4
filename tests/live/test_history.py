"""The overview's past: what it remembers, for whom, and how long."""

from __future__ import annotations

import pytest

from vast.live.aggregate import Given, Overview, Sums
from vast.live.history import EVERY_S, KEEP_S, History

GIVEN = Given(slices={}, pools={"p1": "default"}, jobs={("vision", "pending"): 2, ("robots", "held"): 1})


def overview(*, allocated: int = 100, util: float = 30.0) -> Overview:
    sums = Sums(devices=2, devices_reporting=1, util=util, cores_allocated=allocated)
    return Overview(pools={"p1": sums}, vendors={}, nodes={}, totals=sums)


def test_a_moment_is_told_in_percent_of_all_cards() -> None:
    history = History()
    history.add(7.0, overview(), GIVEN)
    assert history.points(pool=None, tenants=None) == [[7.0, 50.0, 15.0, 35.0, 3, 1]]


def test_idle_is_never_below_nought() -> None:
    history = History()
    history.add(7.0, overview(allocated=10, util=90.0), GIVEN)
    assert history.points(pool=None, tenants=None)[0][3] == 0.0


def test_the_jobs_of_other_tenants_are_not_counted() -> None:
    history = History()
    history.add(7.0, overview(), GIVEN)
    assert [history.points(pool=None, tenants=who)[0][4] for who in ({"robots"}, set())] == [1, 0]


@pytest.mark.parametrize(("pool", "found"), [("default", 1), ("nobody's", 0)])
def test_a_pool_has_its_own_past(pool: str, found: int) -> None:
    history = History()
    history.add(7.0, overview(), GIVEN)
    assert len(history.points(pool=pool, tenants=None)) == found


def test_what_is_too_old_is_forgotten() -> None:
    history = History()
    most = int(KEEP_S / EVERY_S)
    for number in range(most + 3):
        history.add(float(number), overview(), GIVEN)
    points = history.points(pool=None, tenants=None)
    assert (len(points), points[0][0]) == (most, 3.0)
