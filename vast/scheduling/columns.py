"""Scores: for one ask, how good each bank (or, for a task without devices, each node) is. Smaller is better.

A column remembers how much of the state's journal it has seen and rescores only the nodes that changed since,
so a start costs each live shape one node and not the pool.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from vast.scheduling.arrays import Bools, Ints, spans
from vast.scheduling.asks import Ask
from vast.scheduling.budget import Budget
from vast.scheduling.state import PoolState

INFEASIBLE = 1 << 62
PER_TASK_ON_NODE = 1 << 50
PER_OPENED_CARD = 1 << 40
PER_EMPTY_CARD = 1 << 20
FULL_LEFTOVER = 1 << 12  # above any leftover(), which is at most 2,000

Where = slice | Ints


def leftover(state: PoolState, where: Where) -> Ints:
    """How much of each device is free, as the sum of its free compute and memory in thousandths: 0..2,000."""
    if state.oversubscribed:
        cores = state.free_cores[where] * 1000 // np.maximum(1, state.limit_cores[where])
        scaled: Ints = cores + state.free_memory[where] * 1000 // np.maximum(1, state.limit_memory[where])
        return scaled
    free: Ints = state.free_cores[where] * 10 + state.free_memory[where] * 1000 // state.memory[where]
    return free


def fitting(state: PoolState, ask: Ask, where: Where) -> Bools:
    """Which devices have room for one task of the ask, whatever their node says; where the ask's devices must be
    linked, only those with enough linked partners that have room too."""
    room = roomy(state, ask, where)
    if ask.must_link and ask.linked is not None:
        groups = ask.linked[where]
        least = int(groups.min(initial=0))
        partners = np.bincount((groups - least)[room], minlength=int(groups.max(initial=0)) - least + 1)
        room &= (groups >= 0) & (partners[groups - least] >= ask.devices)
    return room


def roomy(state: PoolState, ask: Ask, where: Where) -> Bools:
    """As ``fitting``, whatever the links."""
    sku = state.sku[where]
    room: Bools = state.usable[where] & ask.fits[sku]
    empty = state.used_slots[where] == 0
    if ask.only_whole:
        room &= empty
        return room
    shared = (
        (state.free_slots[where] > 0)
        & (state.free_cores[where] >= ask.cores[sku])
        & (state.free_memory[where] >= ask.memory[sku])
    )
    if ask.hard:
        shared = np.where(ask.slots[sku] > 0, _partition_room(state, ask, where), shared)
    room &= shared if ask.only_slices else np.where(ask.whole[sku], empty, shared)
    if state.oversubscribed:
        ram = state.free_ram[state.device_node[where]] - ask.request.host_memory_mib
        room &= ram >= beyond_physical(state, ask, where)
    return room


def _partition_room(state: PoolState, ask: Ask, where: Where) -> Bools:
    """Devices that are empty or cut already, with room for the partition. Partitions are never over-subscribed."""
    sku = state.sku[where]
    room: Bools = (
        ((state.used_slots[where] == 0) | state.partitioned[where])
        & (state.free_partitions[where] > 0)
        & (state.free_partition_slots[where] >= ask.slots[sku])
        & (state.free_cores[where] - state.beyond_cores[where] >= ask.cores[sku])
        & (state.free_memory[where] - state.beyond_memory[where] >= ask.memory[sku])
    )
    return room


def beyond_physical(state: PoolState, ask: Ask, where: Where) -> Ints:
    """MiB of host RAM that one more slice of the ask would take of the node, per device."""
    beyond = state.beyond_memory[where]
    physical = np.maximum(0, state.free_memory[where] - beyond)
    return np.where(beyond > 0, np.maximum(0, ask.memory[state.sku[where]] - physical), 0)


def node_fitting(state: PoolState, ask: Ask, nodes: Where) -> Bools:
    """Which nodes may take one more task of the ask, whatever their devices say."""
    request = ask.request
    room: Bools = (
        ask.node_allowed[nodes]
        & (state.free_task_slots[nodes] > 0)
        & (state.free_cpu[nodes] >= request.cpu_millis)
        & (state.free_ram[nodes] >= request.host_memory_mib)
    )
    return room


class Column(ABC):
    """Scores of one ask. ``node_of`` gives the node of each entry; ``chosen`` the device, where the score is of one."""

    score: Ints
    node_of: Ints
    chosen: Ints | None = None

    def __init__(self, state: PoolState, ask: Ask) -> None:
        self.state = state
        self.ask = ask
        self._seen = -1

    def refresh(self, budget: Budget) -> None:
        """Bring the scores up to date with the state."""
        changed = self.state.changed_nodes
        if self.stale():
            self._seen = -1
        behind = len(changed) - self._seen if self._seen >= 0 else len(self.state.nodes)
        if behind == 0:
            return
        stale = set(changed[-behind:]) if self._seen >= 0 else set()
        if self._seen < 0 or 2 * len(stale) > len(self.state.nodes):
            budget.spend(len(self.score))
            self._rescore_all()
        else:
            budget.spend(len(stale))
            self._rescore(sorted(stale))
        self._seen = len(changed)

    def stale(self) -> bool:
        """Whether every score is out of date, for another reason than a change of the pool."""
        return False

    @abstractmethod
    def _rescore_all(self) -> None: ...

    @abstractmethod
    def _rescore(self, nodes: list[int]) -> None: ...


class DeviceColumn(Column):
    """Scores of banks. ``taken``, when given, marks devices that the group may not use again."""

    def __init__(self, state: PoolState, ask: Ask, taken: Bools | None = None) -> None:
        super().__init__(state, ask)
        self.taken = taken
        self.node_of = state.bank_node
        self.score = np.full(len(state.bank_node), INFEASIBLE, dtype=np.int64)

    def _rescore_all(self) -> None:
        everything = slice(0, len(self.state.devices))
        banks = slice(0, len(self.score))
        self.score = self._scores(everything, banks, self.state.bank_start)

    def _rescore(self, nodes: list[int]) -> None:
        state = self.state
        where: Where
        banks: Where
        if len(nodes) == 1:
            node = nodes[0]
            where = slice(state.node_device_start[node], state.node_device_start[node + 1])
            banks = slice(state.node_bank_start[node], state.node_bank_start[node + 1])
            starts = state.bank_start[banks] - state.node_device_start[node]
        else:
            where = spans(state.node_device_start, nodes)
            banks = spans(state.node_bank_start, nodes)
            sizes = state.bank_size[banks]
            starts = np.cumsum(sizes) - sizes
        if len(starts):
            self.score[banks] = self._scores(where, banks, starts)

    def _scores(self, where: Where, banks: Where, starts: Ints) -> Ints:
        """Pack: open the fewest empty cards; if some, where the fewest are empty; else on the fullest
        card."""
        state, ask = self.state, self.ask
        if len(starts) == 0:
            return np.zeros(0, dtype=np.int64)
        fit = fitting(state, ask, where)
        if self.taken is not None:
            fit &= ~self.taken[where]
        counts = np.add.reduceat(fit, starts, dtype=np.int64)
        if ask.only_whole:
            score = counts * PER_EMPTY_CARD + ask.devices * PER_OPENED_CARD
        else:
            partly = fit & (state.used_slots[where] > 0)
            shared = np.add.reduceat(partly, starts, dtype=np.int64)
            left = np.where(partly, leftover(state, where), FULL_LEFTOVER)
            tightest = np.minimum.reduceat(left, starts)
            opened = np.maximum(0, ask.devices - shared)
            score = np.where(
                opened > 0, opened * PER_OPENED_CARD + (counts - shared) * PER_EMPTY_CARD, tightest
            )
        feasible = (counts >= ask.devices) & node_fitting(state, ask, state.bank_node[banks])
        return np.where(feasible, score, INFEASIBLE)


class NodeColumn(Column):
    """Scores of nodes for tasks without devices: first nodes with the fewest cards, then the least free
    CPU."""

    def __init__(self, state: PoolState, ask: Ask) -> None:
        super().__init__(state, ask)
        self.node_of = np.arange(len(state.nodes), dtype=np.int64)
        self.score = np.full(len(state.nodes), INFEASIBLE, dtype=np.int64)
        self._cards = np.diff(np.array(state.node_device_start, dtype=np.int64))

    def _rescore_all(self) -> None:
        self.score = self._scores(self.node_of)

    def _rescore(self, nodes: list[int]) -> None:
        where = np.array(nodes, dtype=np.int64)
        self.score[where] = self._scores(where)

    def _scores(self, nodes: Ints) -> Ints:
        score = self._cards[nodes] * PER_OPENED_CARD + self.state.free_cpu[nodes]
        return np.where(node_fitting(self.state, self.ask, nodes), score, INFEASIBLE)


def column_for(state: PoolState, ask: Ask, taken: Bools | None = None) -> Column:
    return DeviceColumn(state, ask, taken) if ask.devices else NodeColumn(state, ask)
