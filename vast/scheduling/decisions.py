"""What the engine answers: a stream of decisions, in the order of deciding."""

from __future__ import annotations

from dataclasses import dataclass

from vast.common.reasons import Reason
from vast.scheduling.snapshot import Placement


@dataclass(frozen=True, slots=True)
class Start:
    """The whole gang starts: one placement per task of its minimum, in rank order. Ends its hold or reservation."""

    job: str
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Grow:
    """Extras of a running job start, or lost members of its gang are seated again."""

    job: str
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """The job stays pending. ``position`` is its place in line (1 = first) in its leaf queue."""

    job: str
    reason: Reason
    position: int


@dataclass(frozen=True, slots=True)
class Evict:
    """These tasks of a job are stopped and put back in line, for the job ``by``.

    ``whole`` = the whole job leaves; else only extras. ``rule``: "priority" (in its queue), "share" (R1), "guarantee"
    (R2), "extra", "move" (it has a ``Hold`` for a new place), "guest" (of a reservation), "incomplete" (a gang that
    cannot be made whole). ``reason`` says it for people, with what the asker gains.
    """

    job: str
    tasks: tuple[str, ...]
    by: str
    rule: str
    whole: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Keep:
    """Seats are held for a pending job from now on (replaces an earlier hold of it)."""

    job: str
    seats: tuple[Placement, ...]
    victims: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Release:
    """The job's hold or reservation ends. ``timed_out`` = it evicts nobody for a while, doubling each time."""

    job: str
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Reserve:
    """The job gets a reservation (replaces an earlier one). ``starts_at`` in seconds, None = nobody can say."""

    job: str
    seats: tuple[Placement, ...]
    starts_at: int | None


Decision = Start | Grow | Wait | Evict | Keep | Release | Reserve

__all__ = ["Decision", "Evict", "Grow", "Keep", "Placement", "Release", "Reserve", "Start", "Wait"]
