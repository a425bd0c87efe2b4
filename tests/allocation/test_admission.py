"""What could never run is refused at once and names its field; what is only busy, broken or cordoned now is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain import Lab
from vast.allocation.admission import check
from vast.common.errors import FieldError, Invalid
from vast.inventory.models import Device, Node
from vast.inventory.services import change_node
from vast.jobs.document import parse

pytestmark = pytest.mark.django_db


def asked(lab: Lab, *, queue: str = "research", replicas: int = 1, **request: Any) -> None:
    group = {"replicas": replicas, "command": ["true"], "request": request}
    check(parse({"name": "job", "queue": queue, "groups": [group]}), lab.queues[queue])


def refused(lab: Lab, **about: Any) -> FieldError:
    with pytest.raises(Invalid) as caught:
        asked(lab, **about)
    assert len(caught.value.errors) == 1
    return caught.value.errors[0]


def test_memory_larger_than_any_device_is_refused(lab: Lab) -> None:
    lab.node("a")
    error = refused(lab, memory_mib=90_000)
    assert error.field == "groups[0].request.memory_mib"
    assert "81920" in str(error.detail)


def test_more_devices_than_any_node_has_are_refused(lab: Lab) -> None:
    lab.node("a", devices=4)
    asked(lab, devices=4)
    assert refused(lab, devices=5).field == "groups[0].request.devices"


def test_a_gang_larger_than_the_pool_is_refused(lab: Lab) -> None:
    lab.node("a", devices=4)
    asked(lab, replicas=4, devices=1)
    assert refused(lab, replicas=5, devices=1).field == "groups[0].replicas"


@pytest.mark.parametrize(
    ("request_", "field"),
    [({"cpu_millis": 64_001}, "cpu_millis"), ({"host_memory_mib": 300_000}, "host_memory_mib")],
)
def test_more_of_the_node_than_any_has_is_refused(lab: Lab, request_: dict[str, int], field: str) -> None:
    lab.node("a")
    assert refused(lab, devices=1, **request_).field == f"groups[0].request.{field}"


def test_an_unknown_vendor_is_refused_with_a_near_one(lab: Lab) -> None:
    lab.node("a")
    error = refused(lab, selector=[{"vendor": "nvidia"}, {"vendor": "nvidai"}])
    assert error.field == "groups[0].request.selector[1].vendor"
    assert "did you mean nvidia" in str(error.detail)
    assert "ascend" in error.allowed


def test_an_unknown_model_and_class_are_refused_with_near_ones(lab: Lab) -> None:
    lab.node("a")
    assert "A100-SXM4-80GB" in str(refused(lab, selector=[{"model": "A100-SXM4-80G"}]).detail)
    assert refused(lab, selector=[{"device_class": "nope"}]).field.endswith("selector[0].device_class")


def test_a_model_of_another_vendor_is_refused(lab: Lab) -> None:
    error = refused(lab, selector=[{"vendor": "amd", "model": "A100-SXM4-80GB"}])
    assert (error.field, error.code) == ("groups[0].request.selector[0].model", "other_vendor")


def test_a_known_model_that_the_pool_does_not_have_is_refused(lab: Lab) -> None:
    lab.node("a")
    assert refused(lab, selector=[{"vendor": "ascend"}]).field == "groups[0].request.selector"


def test_a_queue_with_queues_below_it_takes_no_jobs(lab: Lab) -> None:
    lab.queue("team")
    lab.queue("a", parent="team")
    error = refused(lab, queue="team", devices=1)
    assert (error.field, error.code, error.allowed) == ("queue", "not_a_leaf", ["team/a"])


def test_more_than_the_limit_of_the_queue_is_refused(lab: Lab) -> None:
    node = lab.node("a", devices=4)
    device_class = node.devices.first().model.device_class_id
    lab.queue("small", quotas=[{"device_class": device_class, "limit": 1500}])
    asked(lab, queue="small", devices=1)
    assert refused(lab, queue="small", devices=2).field == "queue"


def test_an_empty_pool_refuses_nothing_that_may_come(lab: Lab) -> None:
    asked(lab, devices=64)


def test_a_full_pool_refuses_nothing(lab: Lab) -> None:
    lab.node("a")
    lab.run(lab.submit(devices=1))
    asked(lab, devices=1)


def test_a_cordoned_broken_or_silent_pool_refuses_nothing(lab: Lab) -> None:
    node = lab.node("a")
    change_node(node=node, cordoned=True)
    asked(lab, devices=1)
    Device.objects.update(health="unhealthy", cordoned=True)
    Node.objects.update(state="unreachable")
    asked(lab, devices=1)


def test_a_simulation_needs_a_simulated_node(lab: Lab) -> None:
    lab.node("a", simulated=False)
    document = parse({"name": "j", "queue": "research", "groups": [{"simulate": {"seconds": 1}}]})
    with pytest.raises(Invalid) as caught:
        check(document, lab.queues["research"])
    assert caught.value.errors[0].field == "groups[0].simulate"
    lab.node("b")
    check(document, lab.queues["research"])


def test_a_node_that_joins_makes_possible_what_was_not(lab: Lab) -> None:
    lab.node("a")
    refused(lab, devices=8)
    lab.node("b", devices=8)
    asked(lab, devices=8)


@pytest.mark.parametrize(
    "about", [{"memory_mib": 90_000}, {"replicas": 2, "devices": 1}, {"selector": [{"vendor": "amd"}]}]
)
def test_what_is_refused_in_the_second_group_names_the_second_group(lab: Lab, about: dict[str, Any]) -> None:
    lab.node("a", devices=2)
    replicas = about.pop("replicas", 1)
    groups = [
        {"name": "one", "command": ["x"], "request": {"devices": 1}},
        {"name": "two", "command": ["x"], "replicas": replicas, "request": about},
    ]
    with pytest.raises(Invalid) as caught:
        check(parse({"name": "j", "queue": "research", "groups": groups}), lab.queues["research"])
    assert caught.value.errors[0].field.startswith("groups[1]")


def test_a_policy_that_the_named_vendor_cannot_keep_is_refused_with_those_it_can(lab: Lab) -> None:
    lab.node("a", model=("hygon", "K100_AI", 65520))
    error = refused(lab, cores=20, sharing="guaranteed-minimum", selector=[{"vendor": "hygon"}])
    assert (error.field, error.code) == ("groups[0].request.sharing", "unsupported")
    assert "not supported by Hygon" in str(error.detail)
    assert error.allowed == ["best-effort", "fixed-ratio"]


def test_the_alternative_that_cannot_keep_the_policy_is_named(lab: Lab) -> None:
    lab.node("a")
    lab.node("b", model=("hygon", "K100_AI", 65520))
    choices = [{"vendor": "nvidia"}, {"vendor": "hygon"}]
    error = refused(lab, cores=20, sharing="priority-preemption", selector=choices)
    assert error.field == "groups[0].request.selector[1].vendor"


def test_a_policy_goes_only_to_vendors_that_keep_it(lab: Lab) -> None:
    lab.node("a", model=("hygon", "K100_AI", 65520))
    error = refused(lab, cores=20, sharing="guaranteed-minimum")
    assert (error.field, error.code) == ("groups[0].request.sharing", "no_matching_model")
    assert "guaranteed-minimum" in str(error.detail)
    lab.node("b")
    job = lab.run(lab.submit(cores=20, sharing="guaranteed-minimum"))
    (held,) = lab.live(job)
    assert held.node.name == "b"


def test_the_order_says_how_compute_is_shared_in_words_of_the_vendor(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(lab.submit(cores=20, sharing="priority-preemption", top={"priority": 5}))
    (held,) = lab.live(job)
    env = held.order["env"]
    assert (held.order["sharing"], held.order["priority"]) == ("priority-preemption", 5)
    assert (env["VAST_SHARING"], env["CUDA_TASK_PRIORITY"]) == ("priority-preemption", "0")


def test_a_template_that_brings_compute_is_a_fixed_cut_though_none_was_asked(lab: Lab) -> None:
    lab.node("a", model=("ascend", "910B3", 65536))
    (held,) = lab.live(lab.run(lab.submit(memory_mib=16384)))
    assert held.order["devices"][0]["cores"] == 25
    assert (held.order["sharing"], held.order["env"]["VAST_SHARING"]) == ("fixed-ratio", "fixed-ratio")


@pytest.mark.parametrize("request_", [{"exclusive": True}, {"partition": "3g.40gb", "isolation": "hard"}])
def test_what_has_compute_of_its_own_is_told_no_policy(lab: Lab, request_: dict[str, Any]) -> None:
    lab.node("a")
    (held,) = lab.live(lab.run(lab.submit(**request_)))
    assert not {"VAST_SHARING", "GPU_CORE_UTILIZATION_POLICY"} & held.order["env"].keys()
