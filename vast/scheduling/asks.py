"""A request resolved against what the pool has: what each alternative takes of each kind of device, and its
charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vast.scheduling.arrays import Bools, Ints, bools, ints
from vast.scheduling.snapshot import Alternative, Request
from vast.scheduling.state import PoolState, Sku
from vast.vendors.rounding import grant

WHOLE_CARD = 1000


@dataclass(frozen=True, slots=True)
class Need:
    """What one device gives to a task: cores in percent, memory in MiB, charge in milli-cards. ``too_small``
    = the device could not give it even when empty; ``memory_mib`` is then what was asked.

    ``partition`` names a hard partition, which blocks ``slots`` of the device's placement slots.
    """

    cores: int
    memory_mib: int
    whole: bool
    charge: int
    too_small: bool = False
    partition: str = ""
    slots: int = 0


def slice_charge(cores: int, memory_mib: int, device_memory_mib: int) -> int:
    """Milli-cards of a slice: the larger of its shares, rounded down so that three thirds fit one card; at
    least 1."""
    by_memory = memory_mib * WHOLE_CARD // max(1, device_memory_mib)
    return max(1, cores * WHOLE_CARD // 100, by_memory)


def need_of(request: Request, alternative: Alternative, sku: Sku, least_charge: int = 1) -> Need:
    """What the request takes of one device of this kind, after the vendor's rounding.

    Compute without memory takes memory in the same proportion: an uncapped slice could starve its neighbours.
    ``least_charge`` (milli-cards) is what a slice without compute of its own costs at least.
    """
    memory = _memory_wanted(request, alternative, sku)
    if memory is not None and memory > sku.memory_mib:
        return Need(request.cores or 0, memory, request.exclusive, WHOLE_CARD, too_small=True)
    whole = Need(100, sku.memory_mib, True, WHOLE_CARD)
    if request.exclusive:
        return whole
    if request.isolation == "hard":
        return _partition_of(request, alternative, sku) or whole
    if memory is None:
        return whole
    cores, memory, is_whole = grant(sku.rule, sku.memory_mib, request.cores, memory)
    if is_whole:
        return whole
    charge = slice_charge(cores, memory, sku.memory_mib)
    if request.cores is None:
        charge = min(WHOLE_CARD, max(charge, least_charge))
    return Need(cores, memory, False, charge)


def _partition_of(request: Request, alternative: Alternative, sku: Sku) -> Need | None:
    """The smallest hard partition that covers the request, or the one that it names and no other; None = only
    the whole device will do. A template brings its own memory, so compute alone is not turned into memory."""
    explicit = request.memory_mib if alternative.memory_mib is None else alternative.memory_mib
    memory = explicit or 0
    if explicit is None and request.memory_percent is not None:
        memory = sku.memory_mib * request.memory_percent // 100
    cores = request.cores or 0
    covering = [
        template
        for template in sku.templates
        if template.name == (request.partition or template.name)
        and template.cores >= cores
        and template.memory_mib >= memory
        and 0 < template.slots <= sku.partition_slots
    ]
    if covering and (cores or memory or request.partition):
        least = min(covering, key=lambda t: (t.slots, t.memory_mib, t.cores, t.name))
        charge = max(1, WHOLE_CARD * least.slots // sku.partition_slots)
        return Need(least.cores, least.memory_mib, False, charge, partition=least.name, slots=least.slots)
    if request.partition:
        return Need(cores, memory, False, WHOLE_CARD, too_small=True, partition=request.partition)
    return None


def _memory_wanted(request: Request, alternative: Alternative, sku: Sku) -> int | None:
    """MiB before rounding; None = whatever the whole device has."""
    given = request.memory_mib if alternative.memory_mib is None else alternative.memory_mib
    if given is not None:
        return given
    percent = request.cores if request.memory_percent is None else request.memory_percent
    if percent is None or (request.exclusive and request.memory_percent is None):
        return None
    return max(1, sku.memory_mib * percent // 100)


class Ask:
    """One alternative of one request against one pool. Arrays are indexed by sku, ``node_allowed`` by node.

    ``node_allowed`` holds what does not change within a cycle: ready, not cordoned, labels, simulated.
    """

    def __init__(self, state: PoolState, request: Request, alternative: Alternative) -> None:
        self.request = request
        self.alternative = alternative
        self.devices = request.devices
        least = state.policy.min_slice_charge
        self.needs = [need_of(request, alternative, sku, least) for sku in state.skus]
        self.matches = bools(
            _matches(alternative, sku) and (need.whole or request.sharing in sku.rule.policies)
            for sku, need in zip(state.skus, self.needs, strict=True)
        )
        self.fits = self.matches & bools(not need.too_small for need in self.needs)
        self.cores = ints(need.cores for need in self.needs)
        self.memory = ints(need.memory_mib for need in self.needs)
        self.whole = bools(need.whole for need in self.needs)
        self.slots = ints(need.slots for need in self.needs)
        self.hard = bool((self.slots[self.fits] > 0).any())
        self.linked = _linked(state, request)
        self.must_link = self.linked is not None and request.link_required
        self.label_ok = _labels_ok(state, alternative.labels)
        self.simulated_ok = state.simulated | (not request.needs_simulated)
        self.node_allowed = state.ready & ~state.node_cordoned & self.label_ok & self.simulated_ok
        self.least_charge = self._least_charge(state.skus)
        self.order_charge = self._order_charge(state.skus)
        fitting = self.whole[self.fits]
        self.only_whole = bool(fitting.all())
        self.only_slices = not bool(fitting.any())

    def figures(self, skus: Sequence[Sku]) -> list[tuple[str, int]]:
        """The classes in which a task could be placed, each with what it may be charged there (milli-cards); kinds of
        one class that differ in size differ in charge."""
        fitting = np.flatnonzero(self.fits).tolist() if self.devices else []
        return sorted({(skus[i].device_class, self.needs[i].charge * self.devices) for i in fitting})

    def _least_charge(self, skus: Sequence[Sku]) -> dict[str, int]:
        """Milli-cards that one task takes at least, per class in which it could be placed."""
        least: dict[str, int] = {}
        for i in np.flatnonzero(self.fits).tolist() if self.devices else ():
            charge = self.needs[i].charge * self.devices
            least[skus[i].device_class] = min(charge, least.get(skus[i].device_class, charge))
        return least

    def _order_charge(self, skus: Sequence[Sku]) -> tuple[str, int] | None:
        """The class and charge by which the task is put in order: that of the first kind by name that fits
        it."""
        if not self.least_charge:
            return None
        fitting = np.flatnonzero(self.fits).tolist()
        first = min(fitting, key=lambda i: (skus[i].vendor, skus[i].model, skus[i].memory_mib))
        return skus[first].device_class, self.needs[first].charge * self.devices


def asks_for(state: PoolState, request: Request) -> list[Ask]:
    """The alternatives in order of preference; for a task without devices only their labels count."""
    return [Ask(state, request, alternative) for alternative in request.alternatives or (Alternative(),)]


def _linked(state: PoolState, request: Request) -> Ints | None:
    """Which devices are connected as the request wants it: equal numbers are, -1 is with nobody. None = it does
    not matter."""
    if request.devices < 2 or request.link in ("", "any"):
        return None
    return state.numa_of if request.link == "pcie" else state.link_of


def _matches(alternative: Alternative, sku: Sku) -> bool:
    return (
        alternative.vendor in ("", sku.vendor)
        and alternative.model in ("", sku.model)
        and alternative.device_class in ("", sku.device_class)
    )


def _labels_ok(state: PoolState, labels: Mapping[str, str]) -> Bools:
    if not labels:
        return np.ones(len(state.nodes), dtype=np.bool_)
    return bools(all(node.labels.get(key) == value for key, value in labels.items()) for node in state.nodes)
