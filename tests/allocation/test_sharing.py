"""Sharing cards and starting gangs, through the database as the product does it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain import Lab
from vast.allocation.models import Allocation, Slice
from vast.allocation.orders import PORTS, choose_port
from vast.allocation.services import cancel

pytestmark = pytest.mark.django_db


def evidence(job: Any) -> dict[str, Any]:
    return {item["code"]: item["params"] for item in job.reason["evidence"]}


def test_a_card_takes_a_hundred_slices_and_the_next_waits_for_cores_and_slots(lab: Lab) -> None:
    lab.node("a")
    first = lab.submit(cores=1, memory_mib=512, top={"array": 100})
    assert lab.schedule() == 100
    assert first.queue.jobs.filter(state="starting").count() == 100
    late = lab.submit(name="late", cores=1, memory_mib=512)
    assert lab.schedule() == 0
    why = lab.fresh(late).reason
    assert why["code"] == "INSUFFICIENT_RESOURCES"
    assert evidence(lab.fresh(late)) == {
        "DEVICE_CORES_SHORT": {"devices": 1, "need": 1, "best": 0},
        "SLICE_SLOTS_FULL": {"devices": 1, "max": 100},
    }
    assert sum(Slice.objects.values_list("memory_mib", flat=True)) == 51_200
    cancel(job_id=first.pk, actor="mia")
    lab.exited(first, code=143, cause="stopped")
    assert lab.schedule() == 1
    assert lab.fresh(late).state == "starting"


def test_two_gangs_that_each_need_more_than_half_never_deadlock(lab: Lab) -> None:
    for name in ("a", "b"):
        lab.node(name, devices=4)
    one, two = (lab.submit(name=name, replicas=5, devices=1) for name in ("one", "two"))
    assert lab.schedule() == 1
    lab.started(one)
    assert (lab.fresh(one).state, lab.fresh(two).state) == ("running", "pending")
    assert Allocation.objects.filter(job=two).count() == 0
    assert lab.slices_held() == 5
    assert lab.fresh(two).reason["code"] == "GANG_INCOMPLETE"
    lab.exited(one)
    assert lab.run(two).state == "running"
    assert lab.slices_held() == 5


def test_whole_cards_and_slices_never_meet(lab: Lab) -> None:
    lab.node("a", devices=2)
    lab.run(lab.submit(name="slice", cores=1, memory_mib=64))
    whole = lab.submit(name="whole", devices=2)
    assert lab.schedule() == 0
    assert evidence(lab.fresh(whole))["DEVICE_IN_USE"] == {"devices": 1}


class TestOrdersOfAGang:
    @pytest.fixture
    def orders(self, lab: Lab) -> list[dict[str, Any]]:
        lab.node("a", devices=2, address="10.0.0.1")
        lab.node("b", devices=2, address="10.0.0.2")
        job = lab.submit(name="gang", replicas=4, devices=1, top={"max_runtime": "1h"})
        lab.schedule()
        return [row.order for row in lab.live(job)]

    def values(self, orders: list[dict[str, Any]], name: str) -> list[str]:
        return [order["env"][name] for order in orders]

    def test_ranks_are_global_and_local(self, orders: list[dict[str, Any]]) -> None:
        assert self.values(orders, "RANK") == ["0", "1", "2", "3"]
        assert self.values(orders, "WORLD_SIZE") == ["4"] * 4
        assert self.values(orders, "LOCAL_RANK") == ["0", "1", "0", "1"]
        assert self.values(orders, "LOCAL_WORLD_SIZE") == ["2"] * 4
        assert self.values(orders, "NODE_RANK") == ["0", "0", "1", "1"]
        assert self.values(orders, "NNODES") == ["2"] * 4

    def test_everybody_meets_at_the_node_of_rank_0(self, orders: list[dict[str, Any]]) -> None:
        master = {"a": "10.0.0.1", "b": "10.0.0.2"}[orders[0]["env"]["VAST_NODE_NAME"]]
        assert set(self.values(orders, "MASTER_ADDR")) == {master}
        (port,) = set(self.values(orders, "MASTER_PORT"))
        assert int(port) in PORTS
        assert [order["reserve_port"] for order in orders] == [int(port), None, None, None]

    def test_an_order_says_all_that_a_node_needs(self, orders: list[dict[str, Any]]) -> None:
        first = orders[0]
        assert first["name"] == "gang/main/0"
        assert (first["command"], first["max_runtime_s"]) == (["true"], 3600)
        assert first["env"]["CUDA_VISIBLE_DEVICES"] == first["devices"][0]["uuid"]
        assert first["devices"][0]["exclusive"] is True

    def test_no_two_tasks_hold_the_same_card(self, orders: list[dict[str, Any]]) -> None:
        assert len({order["devices"][0]["uuid"] for order in orders}) == 4


def test_a_command_line_runs_in_a_shell_and_the_users_variables_come_along(lab: Lab) -> None:
    lab.node("a")
    group = {"command": "echo $A | wc", "env": {"A": "x"}, "working_dir": "/srv"}
    job = lab.submit(top={"groups": [group]})
    lab.schedule()
    order = lab.live(job)[0].order
    assert order["command"] == ["/bin/sh", "-c", "echo $A | wc"]
    assert (order["env"]["A"], order["working_dir"]) == ("x", "/srv")


def test_a_task_without_devices_sees_none(lab: Lab) -> None:
    lab.node("a")
    job = lab.submit(devices=0, cpu_millis=1000)
    lab.schedule()
    order = lab.live(job)[0].order
    assert order["devices"] == []
    assert "a-0" not in str(order["env"])
    assert "CUDA_VISIBLE_DEVICES" in order["env"]


def test_gangs_on_one_address_get_different_ports(lab: Lab) -> None:
    lab.node("a", devices=1)
    lab.submit(replicas=2, cores=1, memory_mib=64, top={"array": 30})
    lab.schedule()
    ports = list(Allocation.objects.filter(master_port__isnull=False).values_list("master_port", flat=True))
    assert len(ports) == 30
    assert len(set(ports)) == 30


def test_a_job_of_one_task_takes_no_port(lab: Lab) -> None:
    lab.node("a")
    job = lab.submit(devices=1)
    lab.schedule()
    assert lab.live(job)[0].master_port is None
    assert lab.live(job)[0].order["reserve_port"] is None


def test_a_taken_port_is_passed_over() -> None:
    first = choose_port(7, set())
    assert choose_port(7, {first}) != first
    assert choose_port(len(PORTS) - 1, {PORTS[-1]}) == PORTS[0]
