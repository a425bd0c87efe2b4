"""What simulated devices show: load made by the tasks that are really alive on them, divided as their sharing
policies promise.

A pure function of the tasks, the device's uuid and the time, so that the same moment always looks the same.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vast.agent.contention import Claim, divide
from vast.vendors.registry import model_or_default

Row = list[Any]
IDLE_MEMORY = 0.02
IDLE_POWER = 0.13
IDLE_TEMPERATURE_C = 34.0
FULL_TEMPERATURE_C = 78.0
# Shares of what a task was given: a whole device is kept busier than a slice.
WHOLE_LOAD = (0.85, 0.99)
SLICE_LOAD = (0.70, 0.98)
ASKED_LOAD = (0.92, 1.0)
MEMORY_LOAD = (0.60, 0.95)


@dataclass(frozen=True, slots=True)
class _Load:
    """What one task does to one device. ``peak``: percent of the device that it would use alone; ``span``: shares of
    it in use; ``cores``: percent by its order."""

    peak: float
    span: tuple[float, float]
    memory_mib: int
    phase: float
    policy: str
    cores: float
    priority: int

    def claim(self, at: float) -> Claim:
        wants = self.peak * _within(self.span, _wave(at, self.phase))
        return Claim(self.policy, self.cores, self.priority, wants)


class SimulatedDevices:
    """The devices of one simulated node."""

    def __init__(self, devices: Sequence[Mapping[str, Any]]) -> None:
        self._devices = [
            (
                str(device["uuid"]),
                int(device["memory_mib"]),
                model_or_default(device["vendor"], device["model"], device["memory_mib"]).power_w,
                _phase(device["uuid"]),
                str(device["health"]),
            )
            for device in devices
        ]
        self._loads: dict[str, dict[str, _Load]] = {device[0]: {} for device in self._devices}

    def attach(self, allocation: str, order: Mapping[str, Any]) -> None:
        """The order's task is alive from now on."""
        simulate = order.get("simulate")
        for device in order["devices"]:
            loads = self._loads.get(device["uuid"])
            if loads is None:
                continue
            cores, policy = float(device["cores"]), str(order.get("sharing", "fixed-ratio"))
            # Nothing but a fixed share keeps a task from using the whole device when it is alone.
            peak = cores if policy == "fixed-ratio" else 100.0
            span = WHOLE_LOAD if device["exclusive"] else SLICE_LOAD
            if simulate and simulate.get("load_percent") is not None:
                peak, span = peak * simulate["load_percent"] / 100, ASKED_LOAD
            loads[allocation] = _Load(
                peak,
                span,
                device["memory_mib"],
                _phase(allocation + device["uuid"]),
                policy,
                cores,
                int(order.get("priority", 0)),
            )

    def detach(self, allocation: str) -> None:
        for loads in self._loads.values():
            loads.pop(allocation, None)

    def shares(self, uuid: str, at: float) -> dict[str, float]:
        """Percent of the device's compute that each allocation on it gets at ``at`` (Unix seconds)."""
        loads = self._loads[uuid]
        return dict(zip(loads, divide([load.claim(at) for load in loads.values()]), strict=True))

    def read(self, at: float) -> list[Row]:
        """Rows of the telemetry message at ``at`` (Unix seconds)."""
        rows: list[Row] = []
        for uuid, memory_mib, power_w, phase, health in self._devices:
            noise = _wave(at, phase)
            used = memory_mib * IDLE_MEMORY
            for load in self._loads[uuid].values():
                used += load.memory_mib * _within(MEMORY_LOAD, _wave(at / 5, load.phase))
            util = min(sum(self.shares(uuid, at).values()), 100.0)
            busy = util / 100
            temperature = IDLE_TEMPERATURE_C + (FULL_TEMPERATURE_C - IDLE_TEMPERATURE_C) * busy + 3 * noise
            power = power_w * (IDLE_POWER + (0.97 - IDLE_POWER) * busy + 0.02 * noise)
            rows.append(
                [
                    uuid,
                    round(util, 1),
                    int(min(used, memory_mib)),
                    round(temperature, 1),
                    round(power, 1),
                    health,
                ]
            )
        return rows


def _phase(text: str) -> float:
    return zlib.crc32(text.encode()) / 2**32 * 2 * math.pi


def _wave(at: float, phase: float) -> float:
    """A smooth wobble between 0 and 1."""
    return 0.5 + 0.3 * math.sin(at / 7 + phase) + 0.2 * math.sin(at / 2.3 + 3 * phase)


def _within(span: tuple[float, float], share: float) -> float:
    return span[0] + (span[1] - span[0]) * share
