"""The vocabulary of a vendor module: its models, how a card of it can be cut, and what a process on it needs to see.

One vendor = one module that exposes ``VENDOR``; the registry collects them, and packages outside this one can add a
vendor through the entry point group ``vast.vendors``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PartitionTemplate:
    """A hard partition the hardware offers. ``slots`` of ``DeviceModel.partition_slots`` placement slots are blocked;
    the quota charge is 1000 * slots / partition_slots."""

    name: str
    memory_mib: int
    cores: int
    slots: int


@dataclass(frozen=True, slots=True)
class SliceRule:
    """How slices of a device are rounded, before feasibility and charge.

    ``shareable`` False: only whole devices. ``core_step`` in percent, ``memory_step_mib`` in MiB. ``sizes`` (ascending
    by memory; (memory_mib, cores percent)): where the vendor only cuts in templates, the request gets the smallest one
    that covers it, and a request above the largest gets the whole device.
    """

    shareable: bool = True
    core_step: int = 1
    memory_step_mib: int = 1
    sizes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceModel:
    """One product. ``memory_mib`` is the usual size; a node may report another. ``max_slices`` on one device."""

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


@dataclass(frozen=True, slots=True)
class GrantedDevice:
    """A device as a task got it. ``index`` is the vendor's index on the node."""

    uuid: str
    index: int
    memory_mib: int
    cores: int
    exclusive: bool


EnvironmentRule = Callable[[Sequence[GrantedDevice]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Vendor:
    """One maker. ``key`` is the lower-case word used in job documents and fleet files."""

    key: str
    name: str
    name_zh: str
    models: tuple[DeviceModel, ...]
    environment: EnvironmentRule
    uuid_prefix: str
    fabric: str = "pcie"
