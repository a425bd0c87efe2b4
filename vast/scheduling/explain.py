"""Why a task finds no seat: every filter over every device and node that matches what is wanted, with
counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from vast.common.reasons import Reason
from vast.scheduling.arrays import Bools, Ints
from vast.scheduling.columns import fitting
from vast.scheduling.shapes import GroupShape
from vast.scheduling.state import PoolState
from vast.vendors.sharing import SELDOM_KEPT


def no_matching_model(group: GroupShape) -> Reason:
    return Reason("NO_MATCHING_MODEL", {"group": group.name, "wanted": wanted(group)})


def wanted(group: GroupShape) -> str:
    """The alternatives in words of the request, as ``nvidia A100 | ascend``; ``*`` = any device. A sharing policy that
    not every vendor keeps is said too."""
    names = []
    for ask in group.asks:
        parts = (ask.alternative.vendor, ask.alternative.model, ask.alternative.device_class)
        names.append(" ".join(part for part in parts if part) or "*")
    policy = group.request.sharing
    return " | ".join(dict.fromkeys(names)) + (f", {policy}" if policy in SELDOM_KEPT else "")


class Survey:
    """The pool as one group sees it now. Filters do not hide each other: a device or node is counted under
    every one that it fails. Where a filter depends on the alternative, failing it under any alternative
    counts."""

    def __init__(self, state: PoolState, group: GroupShape) -> None:
        self._state = state
        self._group = group
        self._asks = group.asks
        if group.request.devices:
            self._matching = _any([ask.matches[state.sku] for ask in self._asks])
            self._hosting = np.zeros(len(state.nodes), dtype=np.bool_)
            self._hosting[state.device_node[self._matching]] = True
        else:
            self._matching = np.zeros(len(state.devices), dtype=np.bool_)
            self._hosting = np.ones(len(state.nodes), dtype=np.bool_)
        self._allowed: Bools = self._hosting & _any([ask.node_allowed for ask in self._asks])

    def summary(self) -> dict[str, Any]:
        """Parameters of the headline."""
        return {
            "group": self._group.name,
            "devices_wanted": self._group.request.devices,
            "devices_matching": int(np.count_nonzero(self._matching)),
            "nodes_matching": int(np.count_nonzero(self._hosting)),
        }

    def evidence(self, own_devices: int = 0) -> tuple[Reason, ...]:
        """One reason per failed filter, in a fixed order; ``best`` is the most among what the filter rules out:
        with what it lets through the sentence would contradict itself. ``own_devices`` = cards ruled out because
        the group spreads over cards and already has a task there."""
        found = [*self._nodes()]
        if self._group.request.devices:
            found += [*self._devices(), *self._together()]
        if own_devices:
            found.append(Reason("SPREAD_SAME_DEVICE", {"devices": own_devices}))
        return tuple(found)

    def _nodes(self) -> Iterator[Reason]:
        state, request, hosting = self._state, self._group.request, self._hosting
        yield from _counted("NODE_UNREACHABLE", "nodes", hosting & ~state.ready)
        yield from _counted("NODE_CORDONED", "nodes", hosting & state.node_cordoned)
        yield from _counted("NODE_LABELS", "nodes", hosting & ~_any([ask.label_ok for ask in self._asks]))
        yield from _counted("NODE_NOT_SIMULATED", "nodes", hosting & ~self._asks[0].simulated_ok)
        yield from _counted("NODE_TASK_SLOTS_FULL", "nodes", hosting & (state.free_task_slots <= 0))
        for code, need, free in (
            ("NODE_CPU_SHORT", request.cpu_millis, state.free_cpu),
            ("NODE_MEMORY_SHORT", request.host_memory_mib, state.free_ram),
        ):
            short = hosting & (free < need)
            yield from _counted(code, "nodes", short, need=need, best=_best(free, short))

    def _devices(self) -> Iterator[Reason]:
        state, matching = self._state, self._matching
        asked = [(ask.matches[state.sku], ask) for ask in self._asks]
        sliced = _any([of_ask & ~ask.whole[state.sku] & ~state.exclusive for of_ask, ask in asked])
        whole = _any([of_ask & ask.whole[state.sku] for of_ask, ask in asked])
        in_use = (whole & (state.used_slots > 0)) | (matching & state.exclusive)
        cores_short = _any(
            [of & ~ask.whole[state.sku] & (state.free_cores < ask.cores[state.sku]) for of, ask in asked]
        )
        memory_short = _any(
            [
                of & (~ask.fits | ~ask.whole)[state.sku] & (state.free_memory < ask.memory[state.sku])
                for of, ask in asked
            ]
        )
        cores_short &= ~state.exclusive
        memory_short &= ~state.exclusive
        yield from _counted("DEVICE_UNHEALTHY", "devices", matching & ~state.healthy)
        yield from _counted("DEVICE_CORDONED", "devices", matching & state.cordoned)
        yield from _counted("DEVICE_IN_USE", "devices", in_use)
        yield from _counted(
            "DEVICE_CORES_SHORT",
            "devices",
            cores_short,
            need=self._least([ask.cores for ask in self._asks]),
            best=_best(state.free_cores, cores_short),
        )
        yield from _counted(
            "DEVICE_MEMORY_SHORT",
            "devices",
            memory_short,
            need=self._least([ask.memory for ask in self._asks]),
            best=_best(state.free_memory, memory_short),
        )
        full = sliced & (state.free_slots <= 0)
        yield from _counted("SLICE_SLOTS_FULL", "devices", full, max=_best(state.max_slices, full))

    def _together(self) -> Iterator[Reason]:
        """Nodes that have some of the devices free, but fewer than one task needs."""
        wanted_here = self._group.request.devices
        if wanted_here < 2:
            return
        state = self._state
        everything = slice(0, len(state.devices))
        most = np.zeros(len(state.bank_node), dtype=np.int64)
        for ask in self._asks:
            if len(most):
                fit = fitting(state, ask, everything)
                most = np.maximum(most, np.add.reduceat(fit, state.bank_start, dtype=np.int64))
        per_node = np.zeros(len(state.nodes), dtype=np.int64)
        np.maximum.at(per_node, state.bank_node, most)
        few = self._allowed & (per_node < wanted_here)
        best = _best(per_node, few)
        yield from _counted("NODE_DEVICES_SHORT", "nodes", few, need=wanted_here, best=best)

    def _least(self, per_sku: Sequence[Ints]) -> int:
        """The smallest figure that the request takes of any matching kind of device."""
        return min(
            (
                int(v[ask.matches].min())
                for v, ask in zip(per_sku, self._asks, strict=True)
                if ask.matches.any()
            ),
            default=0,
        )


def _counted(code: str, unit: str, failing: Bools, **params: int) -> Iterator[Reason]:
    count = int(np.count_nonzero(failing))
    if count:
        yield Reason(code, {unit: count, **params})


def _best(values: Ints, among: Bools) -> int:
    """The largest value among the chosen; nothing below zero (more may be held than there is)."""
    return max(0, int(values[among].max())) if among.any() else 0


def _any(masks: Sequence[Bools]) -> Bools:
    united: Bools = np.logical_or.reduce(masks)
    return united
