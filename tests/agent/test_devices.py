from __future__ import annotations

import threading
from typing import Any

import pytest

from vast.agent import devices
from vast.agent.devices import RealDevices
from vast.vendors import discovery
from vast.vendors.base import Reading

DEVICE = {"uuid": "GPU-1", "vendor": "nvidia"}


async def test_real_devices_are_read_by_the_vendors_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(asked: Any) -> list[Reading]:
        return [Reading(device["uuid"], 12.0, 512, None, 90.5, "healthy") for device in asked]

    monkeypatch.setattr(discovery, "read_telemetry", read)
    assert await RealDevices([DEVICE]).rows(0.0) == [["GPU-1", 12.0, 512, None, 90.5, "healthy"]]


async def test_a_slow_tool_leaves_readings_out_and_is_not_asked_again_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go, asked = threading.Event(), []

    def read(_: Any) -> list[Reading]:
        asked.append(1)
        go.wait(20)
        return [Reading("GPU-1", 1.0, 2, 3.0, 4.0, "healthy")]

    monkeypatch.setattr(discovery, "read_telemetry", read)
    monkeypatch.setattr(devices, "PATIENCE_S", 0.01)
    real = RealDevices([DEVICE])
    assert await real.rows(0.0) == []
    assert await real.rows(2.0) == []
    go.set()
    monkeypatch.setattr(devices, "PATIENCE_S", 20)
    assert await real.rows(4.0) == [["GPU-1", 1.0, 2, 3.0, 4.0, "healthy"]]
    assert len(asked) == 1
