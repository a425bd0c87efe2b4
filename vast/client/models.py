"""What the API answers with, as frozen dataclasses.

Each keeps the whole JSON object in ``raw``, so that a newer server's fields are there before this file knows
them. A field that the server leaves out takes its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

JOB_ENDED = frozenset({"succeeded", "failed", "cancelled", "skipped"})
TASK_ENDED = frozenset({"succeeded", "failed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Record):
    """A reference to another object."""

    id: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRef(Record):
    id: str
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class User(Record):
    id: str
    username: str = ""
    display_name: str = ""
    is_admin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason(Record):
    """Why something waits or failed: a code with parameters, and finer reasons as ``evidence``."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Mapping[str, Any], ...] = ()
    message: str = ""

    def __str__(self) -> str:
        return self.message or self.code


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayRef(Record):
    id: str
    index: int = 0
    size: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Record):
    """``held`` is milli-cards by device class; ``tasks`` counts tasks by state."""

    id: str
    name: str
    state: str
    queue: QueueRef | None = None
    priority: int = 0
    reason: Reason | None = None
    position: int | None = None
    owner: User | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)
    array: ArrayRef | None = None
    attempt: int = 1
    tasks_total: int = 0
    tasks: Mapping[str, int] = field(default_factory=dict)
    submitted_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    held: Mapping[str, int] = field(default_factory=dict)
    requested: str = ""
    version: int = 0

    @property
    def ended(self) -> bool:
        return self.state in JOB_ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice(Record):
    """A part of a device: ``cores`` in percent, ``charge`` in milli-cards."""

    device: str = ""
    device_uuid: str = ""
    vendor: str = ""
    model: str = ""
    index: int = 0
    cores: int | None = None
    memory_mib: int | None = None
    exclusive: bool = False
    charge: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Record):
    id: str
    group: str
    index: int
    state: str
    rank: int | None = None
    node: Named | None = None
    slices: tuple[Slice, ...] = ()
    exit_code: int | None = None
    signal: int | None = None
    cause: str | None = None
    message: str = ""
    pid: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempt: int = 1

    @property
    def label(self) -> str:
        """``group/index``, the name used in logs and on the command line."""
        return f"{self.group}/{self.index}"

    @property
    def ended(self) -> bool:
        return self.state in TASK_ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    id: int
    kind: str
    at: datetime | None = None
    job: str | None = None
    job_name: str = ""
    task: str | None = None
    from_state: str | None = None
    to_state: str | None = None
    actor: str | None = None
    reason: Reason | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Record):
    """One condition for starting: True met, False not met, None not known."""

    code: str
    ok: bool | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead(Record):
    """A job that waits in front of another in the same queue."""

    id: str
    name: str = ""
    priority: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Why(Record):
    state: str
    headline: Reason | None = None
    message: str = ""
    position: int | None = None
    ahead: tuple[Ahead, ...] = ()
    checks: tuple[Check, ...] = ()
    evaluated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Record):
    """Newest telemetry: percent, MiB, degrees Celsius, watts. None = the vendor does not tell."""

    util_pct: float | None = None
    memory_used_mib: int | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(Record):
    id: str
    name: str
    state: str
    cluster: Named | None = None
    pool: Named | None = None
    cordoned: bool = False
    simulated: bool = False
    address: str = ""
    cpu_millis: int = 0
    memory_mib: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    location: Mapping[str, str] = field(default_factory=dict)
    agent_version: str = ""
    last_seen_at: datetime | None = None
    devices_count: int = 0
    allocated: Mapping[str, Any] = field(default_factory=dict)
    live: Load | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Device(Record):
    id: str
    uuid: str
    vendor: str
    model: str
    node: Named | None = None
    device_class: str = ""
    index: int = 0
    memory_mib: int = 0
    max_slices: int = 1
    health: str = "unknown"
    cordoned: bool = False
    mode: str = "empty"
    slices_used: int = 0
    cores_allocated: int = 0
    memory_allocated_mib: int = 0
    live: Load | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota(Record):
    """All in milli-cards, but ``weight``; ``limit`` None = none."""

    device_class: str
    guaranteed: int = 0
    limit: int | None = None
    weight: int = 100
    reserved: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(Record):
    id: str
    name: str
    path: str
    parent: str | None = None
    pool: Named | None = None
    tenant: Named | None = None
    priority: int = 0
    state: str = "open"
    quotas: tuple[Quota, ...] = ()
    held: Mapping[str, int] = field(default_factory=dict)
    pending_jobs: int = 0
    pending_milli: Mapping[str, int] = field(default_factory=dict)
    running_jobs: int = 0
    depth: int = 0
    is_leaf: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool(Record):
    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold(Record):
    """What would happen to a job in the next cycle: ``outcome`` is starts, evicts, reserved or waits; ``starts_at`` in
    Unix seconds, of a reservation."""

    outcome: str = ""
    nodes: tuple[str, ...] = ()
    starts_at: int | None = None
    position: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected(Record):
    job: str
    name: str = ""
    rule: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf(Record):
    """What the scheduler would do. ``others`` counts jobs of other tenants, which are not named."""

    job: Foretold | None = None
    evicted: tuple[Affected, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Record):
    """Use of a pool, a vendor's devices, or everything."""

    id: str | None = None
    name: str = ""
    vendor: str = ""
    devices: int = 0
    devices_reporting: int = 0
    util_pct: float | None = None
    memory_used_mib: int | None = None
    memory_mib: int = 0
    cores_allocated_pct: float | None = None
    memory_allocated_mib: int = 0
    power_w: float | None = None
    jobs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview(Record):
    pools: tuple[Usage, ...] = ()
    vendors: tuple[Usage, ...] = ()
    totals: Usage | None = None
    waiting: Mapping[str, Any] = field(default_factory=dict)
    unhealthy: Mapping[str, int] = field(default_factory=dict)
    recent_events: tuple[Event, ...] = ()
