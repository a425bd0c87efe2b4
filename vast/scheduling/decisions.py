"""What the engine answers: a stream of decisions, in the order of deciding."""

from __future__ import annotations

from dataclasses import dataclass

from vast.common.reasons import Reason
from vast.scheduling.snapshot import HeldSlice


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one task goes and what it gets there (after the vendor's rounding)."""

    task: str
    node: str
    slices: tuple[HeldSlice, ...]
    cpu_millis: int
    host_memory_mib: int


@dataclass(frozen=True, slots=True)
class Start:
    """The whole gang starts: one placement per task, in rank order."""

    job: str
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """The job stays pending. ``position`` is its place in line (1 = first) in its leaf queue."""

    job: str
    reason: Reason
    position: int


Decision = Start | Wait
