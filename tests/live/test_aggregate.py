"""Sums over readings and allocations."""

from __future__ import annotations

import time

import pytest

from tests.domain import Lab
from vast.live.aggregate import STALE_S, add_up, overview_payload, read_given
from vast.telemetry.latest import Latest

pytestmark = pytest.mark.django_db

ASCEND = ("ascend", "Ascend-910B3", 65_536)


@pytest.fixture
def latest(lab: Lab) -> Latest:
    lab.node("a", devices=2)
    lab.node("b", devices=1, model=ASCEND)
    made = Latest()
    made.load_devices()
    return made


def report(latest: Latest, lab: Lab, node: str, *rows: list[object], age: float = 0.0) -> None:
    from vast.inventory.models import Node

    latest.apply(str(Node.objects.get(name=node).pk), time.time() - age, list(rows))


def test_sums_are_over_the_devices_that_report(lab: Lab, latest: Latest) -> None:
    report(latest, lab, "a", ["a-0", 80.0, 1000, 50.0, 200.0, None], ["a-1", 40.0, 3000, 50.0, 100.4, None])
    totals = add_up(latest, read_given()).totals.as_dict()
    assert (totals["devices"], totals["devices_reporting"]) == (3, 2)
    assert totals["util_pct"] == 60.0
    assert (totals["memory_used_mib"], totals["memory_mib"]) == (4000, 2 * 81_920 + 65_536)
    assert totals["power_w"] == 300


def test_what_is_not_told_is_not_counted_as_zero(lab: Lab, latest: Latest) -> None:
    report(latest, lab, "a", ["a-0", None, None, None, None, None], ["a-1", 40.0, None, None, None, None])
    totals = add_up(latest, read_given()).totals.as_dict()
    assert (totals["devices_reporting"], totals["util_pct"]) == (1, 40.0)


def test_nothing_reported_is_unknown_not_idle(lab: Lab, latest: Latest) -> None:
    assert add_up(latest, read_given()).totals.as_dict()["util_pct"] is None


def test_an_old_reading_no_longer_counts(lab: Lab, latest: Latest) -> None:
    report(latest, lab, "a", ["a-0", 80.0, 1000, 50.0, 200.0, None], age=STALE_S + 5)
    assert add_up(latest, read_given()).totals.devices_reporting == 0


def test_vendors_pools_and_nodes_add_up_to_the_whole(lab: Lab, latest: Latest) -> None:
    lab.run(lab.submit(cores=30, memory_mib=1024, selector=[{"vendor": "nvidia"}]))
    lab.run(lab.submit(devices=1, selector=[{"vendor": "ascend"}]))
    report(latest, lab, "b", ["b-0", 90.0, 60_000, 60.0, 300.0, None])
    given = read_given()
    payload = overview_payload(add_up(latest, given), given, None)
    assert [row["vendor"] for row in payload["vendors"]] == ["ascend", "nvidia"]
    assert [row["name"] for row in payload["pools"]] == ["default"]
    for name in (
        "devices",
        "devices_reporting",
        "devices_allocated",
        "memory_mib",
        "memory_allocated_mib",
        "power_w",
    ):
        assert sum(row[name] for row in payload["vendors"]) == payload["totals"][name]
    nvidia = payload["vendors"][1]
    assert (nvidia["cores_allocated_pct"], nvidia["memory_allocated_mib"]) == (15.0, 1024)
    assert payload["totals"]["devices_allocated"] == 2
    assert payload["totals"]["jobs"] == {"running": 2}


def test_the_fates_of_the_cards_add_up_to_all_of_them(lab: Lab, latest: Latest) -> None:
    from vast.inventory.models import Device, Node

    lab.run(lab.submit(cores=60, memory_mib=1024, selector=[{"vendor": "nvidia"}]))
    held = Device.objects.get(slices__live=True)
    report(latest, lab, "a", [held.uuid, 45.0, 1000, 50.0, 200.0, None])
    Device.objects.filter(node__name="a").exclude(pk=held.pk).update(cordoned=True)
    Node.objects.filter(name="b").update(state="unreachable")
    latest.load_devices()
    fate = add_up(latest, read_given()).totals.fate.as_milli()
    assert fate == {"busy": 450, "idle": 150, "free": 400, "cordoned": 1000, "down": 1000}


def test_an_unhealthy_card_is_down_as_a_whole_whatever_runs_on_it(lab: Lab, latest: Latest) -> None:
    from vast.inventory.models import Device

    lab.run(lab.submit(cores=60, memory_mib=1024, selector=[{"vendor": "ascend"}]))
    Device.objects.filter(node__name="b").update(health="unhealthy")
    latest.load_devices()
    assert add_up(latest, read_given()).totals.fate.as_milli() == {
        "busy": 0, "idle": 0, "free": 2000, "cordoned": 0, "down": 1000,
    }  # fmt: skip


def test_jobs_are_counted_only_for_the_tenants_that_the_reader_may_see(lab: Lab, latest: Latest) -> None:
    lab.submit(devices=1)
    given = read_given()
    assert given.jobs_of(frozenset({str(lab.tenant.pk)})) == {"pending": 1}
    assert given.jobs_of(frozenset()) == {}


def test_a_reading_of_an_unknown_device_is_ignored(lab: Lab, latest: Latest) -> None:
    report(latest, lab, "a", ["nobody", 80.0, 1000, 50.0, 200.0, None], ["b-0", 80.0, 1, 1.0, 1.0, None])
    assert latest.readings == {}


def test_a_reading_is_shown_only_while_it_is_fresh(lab: Lab, latest: Latest) -> None:
    from vast.inventory.models import Device

    device = str(Device.objects.get(uuid="a-0").pk)
    report(latest, lab, "a", ["a-0", 80.0, 1000, 50.0, 200.0, None])
    shown = latest.of_device(device)
    assert shown is not None
    assert shown["util_pct"] == 80.0
    report(latest, lab, "a", ["a-0", 80.0, 1000, 50.0, 200.0, None], age=60)
    assert latest.of_device(device) is None


def test_readings_are_stored_once_per_report(lab: Lab, latest: Latest) -> None:
    from vast.inventory.models import Node
    from vast.telemetry.models import DeviceSample
    from vast.telemetry.services import prune, store

    latest.own(str(Node.objects.get(name="a").pk), time.time(), [["a-0", 5.0, 10, None, 3.5, None]])
    latest.take_own_changes()
    assert store(latest.take_unstored()) == 1
    assert store(latest.take_unstored()) == 0
    sample = DeviceSample.objects.get()
    assert (sample.util_pct, sample.memory_used_mib, sample.temperature_c, sample.power_w) == (
        5.0,
        10,
        None,
        3.5,
    )
    from datetime import timedelta

    assert prune(keep=timedelta(hours=1)) == 0
    assert prune(keep=timedelta(hours=-1)) == 1
