from __future__ import annotations

from typing import Any

import pytest

from vast.agent.simulation import SimulatedDevices

MEMORY_MIB = 81_920
DEVICE = {
    "uuid": "GPU-1",
    "vendor": "nvidia",
    "model": "A100-SXM4-80GB",
    "memory_mib": MEMORY_MIB,
    "health": "healthy",
}
MOMENTS = [1_000_000 + 0.7 * step for step in range(200)]


def order(**device: Any) -> dict[str, Any]:
    granted = {"uuid": "GPU-1", "cores": 100, "memory_mib": MEMORY_MIB, "exclusive": True} | device
    return {"simulate": None, "devices": [granted]}


def readings(devices: SimulatedDevices) -> list[list[Any]]:
    return [devices.read(at)[0] for at in MOMENTS]


def test_an_idle_device_shows_no_load_little_memory_and_idle_power() -> None:
    for _, util, memory, temperature, power, health in readings(SimulatedDevices([DEVICE])):
        assert (util, memory, health) == (0.0, MEMORY_MIB * 2 // 100, "healthy")
        assert 30 < temperature < 40
        assert power < 100


def test_a_task_on_a_whole_device_keeps_it_busy() -> None:
    devices = SimulatedDevices([DEVICE])
    devices.attach("a", order())
    for _, util, memory, temperature, power, _ in readings(devices):
        assert 85 <= util <= 99
        assert 0.6 * MEMORY_MIB <= memory <= MEMORY_MIB
        assert temperature > 60
        assert power > 250


def test_a_slice_loads_its_share_only() -> None:
    devices = SimulatedDevices([DEVICE])
    devices.attach("a", order(cores=25, memory_mib=4096, exclusive=False))
    for _, util, memory, *_ in readings(devices):
        assert 0.70 * 25 <= util <= 0.98 * 25
        assert memory <= MEMORY_MIB * 0.02 + 4096


def test_the_load_of_several_slices_adds_up_to_no_more_than_the_device() -> None:
    devices = SimulatedDevices([DEVICE])
    for number in range(10):
        devices.attach(f"a{number}", order(cores=20, memory_mib=16384, exclusive=False))
    assert {row[1] for row in readings(devices)} == {100.0}
    assert {row[2] for row in readings(devices)} == {MEMORY_MIB}


@pytest.mark.parametrize("percent", [0, 40])
def test_a_simulated_order_says_how_much_load_it_makes(percent: int) -> None:
    devices = SimulatedDevices([DEVICE])
    devices.attach("a", order() | {"simulate": {"seconds": 9, "load_percent": percent, "exit_code": 0}})
    for row in readings(devices):
        assert 0.92 * percent - 0.1 <= row[1] <= percent


def test_the_load_ends_with_the_task() -> None:
    devices = SimulatedDevices([DEVICE])
    devices.attach("a", order())
    devices.detach("a")
    assert {row[1] for row in readings(devices)} == {0.0}


def test_the_same_moment_always_looks_the_same_and_others_differ() -> None:
    def made() -> SimulatedDevices:
        devices = SimulatedDevices([DEVICE])
        devices.attach("a", order())
        return devices

    assert readings(made()) == readings(made())
    assert len({row[1] for row in readings(made())}) > 50


def test_a_best_effort_slice_yields_to_a_guaranteed_minimum() -> None:
    devices = SimulatedDevices([DEVICE])
    devices.attach("free", order(cores=0, memory_mib=4096, exclusive=False) | {"sharing": "best-effort"})
    alone = [devices.shares("GPU-1", at)["free"] for at in MOMENTS]
    devices.attach(
        "sure", order(cores=60, memory_mib=4096, exclusive=False) | {"sharing": "guaranteed-minimum"}
    )
    for at, before in zip(MOMENTS, alone, strict=True):
        shares = devices.shares("GPU-1", at)
        assert shares["sure"] >= 60
        assert shares["free"] < before


def test_a_slice_of_high_priority_leaves_the_low_one_the_rest() -> None:
    devices = SimulatedDevices([DEVICE])
    part = order(cores=50, memory_mib=4096, exclusive=False) | {"sharing": "priority-preemption"}
    devices.attach("low", part | {"priority": 0})
    devices.attach("high", part | {"priority": 100})
    for at in MOMENTS:
        shares = devices.shares("GPU-1", at)
        assert shares["high"] >= 70
        assert shares["low"] <= 100 - shares["high"] + 0.001
