"""The vocabulary of a vendor module: its models, how a card of it can be cut, and what a process on it needs
to see.

One vendor = one module that exposes ``VENDOR``; the registry collects them, and packages outside this one can
add a vendor through the entry point group ``vast.vendors``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vast.vendors.sharing import FIXED_CUTS, POLICIES, Sharing


@dataclass(frozen=True, slots=True)
class PartitionTemplate:
    """A hard partition the hardware offers. ``slots`` of ``DeviceModel.partition_slots`` placement slots are
    blocked; the quota charge is 1000 * slots / partition_slots."""

    name: str
    memory_mib: int
    cores: int
    slots: int


@dataclass(frozen=True, slots=True)
class SliceRule:
    """How slices of a device are rounded, before feasibility and charge.

    ``shareable`` False: only whole devices. ``core_step`` in percent, ``memory_step_mib`` in MiB. ``sizes``
    (ascending by memory; (memory_mib, cores percent)): where the vendor only cuts in templates, the request
    gets the smallest one that covers it, and a request above the largest gets the whole device.

    A template whose compute is not a whole percent (one of eight cores: 12.5) is written rounded down, so
    that as many of them fit a device of 100 as the hardware really takes. ``policies`` are the sharing policies
    that a slice can have.
    """

    shareable: bool = True
    core_step: int = 1
    memory_step_mib: int = 1
    sizes: tuple[tuple[int, int], ...] = ()
    policies: tuple[str, ...] = POLICIES


@dataclass(frozen=True, slots=True)
class DeviceModel:
    """One product. ``memory_mib`` is the usual size; a node may report another. ``max_slices`` on one device.

    ``aliases`` are other names of the same product, such as the one the vendor's tool prints. ``link_gbps``
    is what two linked devices can move in one direction over ``fabric``, in Gbit/s. ``source`` says where the
    figures are from.
    """

    name: str
    memory_mib: int
    device_class: str
    rule: SliceRule = field(default_factory=SliceRule)
    max_slices: int = 100
    partition_slots: int = 0
    templates: tuple[PartitionTemplate, ...] = ()
    power_w: int = 300
    fabric: str = "pcie"
    source: str = ""
    aliases: tuple[str, ...] = ()
    link_gbps: int = 256


@dataclass(frozen=True, slots=True)
class GrantedDevice:
    """A device as a task got it. ``index`` is the vendor's index on the node; ``model`` may be left empty."""

    uuid: str
    index: int
    memory_mib: int
    cores: int
    exclusive: bool
    model: str = ""


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A device that is really in this machine, as the vendor's tool tells. ``health``: healthy | unhealthy |
    unknown.
    """

    uuid: str
    index: int
    model: str
    memory_mib: int
    bus_id: str
    health: str = "unknown"


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A direct connection of two devices, given by their uuids; ``bandwidth_gbps`` 0 = the tool does not
    tell.
    """

    a: str
    b: str
    kind: str
    bandwidth_gbps: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """All devices of one vendor in this machine, and how they are linked."""

    devices: tuple[FoundDevice, ...] = ()
    links: tuple[FoundLink, ...] = ()


class Reading(NamedTuple):
    """What a device does now: percent, MiB, degrees Celsius, watts. None = the tool does not tell."""

    uuid: str
    util_pct: float | None
    memory_used_mib: int | None
    temperature_c: float | None
    power_w: float | None
    health: str


RunTool = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class DeviceReader:
    """How the devices of a vendor in this machine are found and watched: through the vendor's command line
    ``tool``.

    Both functions get a callable that runs a command and returns its output; they raise ``ToolError`` when
    the tool fails or prints what they cannot read.
    """

    tool: str
    discover: Callable[[RunTool], Found]
    telemetry: Callable[[RunTool], tuple[Reading, ...]]


class ToolError(Exception):
    """A vendor's tool failed or printed something unreadable; the message says which and what."""


EnvironmentRule = Callable[[Sequence[GrantedDevice]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Vendor:
    """One maker. ``key`` is the lower-case word used in job documents and fleet files.

    The first of ``models`` is the one a generated fleet uses. ``environment`` gets the devices of one task in
    order and returns the vendor's own variables; with no device at all they must hide every device.
    ``sharing`` says what each sharing policy becomes. ``reader`` None: real devices of this vendor are not found by
    themselves yet.
    """

    key: str
    name: str
    name_zh: str
    models: tuple[DeviceModel, ...]
    environment: EnvironmentRule
    uuid_prefix: str
    fabric: str = "pcie"
    sharing: Sharing = field(default_factory=lambda: FIXED_CUTS)
    reader: DeviceReader | None = None
