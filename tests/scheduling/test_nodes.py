"""What a node must be for a task, and how a wait tells of it."""

from __future__ import annotations

import pytest

from tests.scheduling.world import World, only


@pytest.mark.parametrize(
    ("world", "evidence"),
    [
        (World().node("a", ready=False).job("j"), {"NODE_UNREACHABLE": {"nodes": 1}}),
        (World().node("a", cordoned=True).job("j"), {"NODE_CORDONED": {"nodes": 1}}),
        (World().node("a").job("j", alternatives=only(labels={"x": "y"})), {"NODE_LABELS": {"nodes": 1}}),
        (World().node("a").job("j", needs_simulated=True), {"NODE_NOT_SIMULATED": {"nodes": 1}}),
        (World().node("a", task_slots=0).job("j"), {"NODE_TASK_SLOTS_FULL": {"nodes": 1}}),
        (World().node("a", unhealthy=1).job("j"), {"DEVICE_UNHEALTHY": {"devices": 1}}),
        (
            World().node("a", cpu_millis=500).job("j", cpu_millis=1_000),
            {"NODE_CPU_SHORT": {"nodes": 1, "need": 1_000, "best": 500}},
        ),
        (
            World().node("a", host_memory_mib=64).job("j", devices=0, host_memory_mib=128),
            {"NODE_MEMORY_SHORT": {"nodes": 1, "need": 128, "best": 64}},
        ),
    ],
)
def test_a_filter_that_no_node_passes_is_named(world: World, evidence: dict[str, object]) -> None:
    assert world.decide().evidence("j") == evidence


def test_filters_do_not_hide_each_other() -> None:
    world = World().node("a", 2, unhealthy=1, cordoned=True, cpu_millis=1).holds("a-1", exclusive=True)
    evidence = world.job("j", cpu_millis=5).decide().evidence("j")
    assert evidence.keys() == {"NODE_CORDONED", "NODE_CPU_SHORT", "DEVICE_UNHEALTHY", "DEVICE_IN_USE"}


def test_only_devices_of_the_wanted_model_are_counted() -> None:
    world = World().node("a", 2, model="A10").node("b", 3, model="A100").holds("b-0", cores=1, memory_mib=1)
    reason = world.job("j", devices=3, exclusive=True, alternatives=only(model="A100")).decide().reason("j")
    assert (reason.params["devices_matching"], reason.params["nodes_matching"]) == (3, 1)


def test_a_model_that_the_pool_does_not_have_is_named() -> None:
    reason = World().node("a").job("j", alternatives=only(vendor="amd", model="MI300X")).decide().reason("j")
    assert (reason.code, reason.params["wanted"]) == ("NO_MATCHING_MODEL", "amd MI300X")


def test_a_node_that_just_failed_the_job_is_avoided_while_another_one_will_do() -> None:
    world = World().node("a").node("b").job("j", avoid=("a",))
    assert world.decide().nodes("j") == ["b"]


def test_a_node_that_just_failed_the_job_is_used_when_it_is_the_only_one() -> None:
    assert World().node("a").job("j", avoid=("a",)).decide().nodes("j") == ["a"]


def test_pools_do_not_lend_each_other_devices() -> None:
    world = World().node("a", pool="p").node("b", pool="other").queue("q", pool="p").queue("o", pool="other")
    world.job("one", queue="q").job("two", queue="q").job("three", queue="o")
    outcome = world.decide()
    assert sorted(outcome.started) == ["one", "three"]
