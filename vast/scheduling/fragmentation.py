"""Scores by expected fragmentation: how much of a node's free cards the usual requests could no longer use.

The measure is that of "Beware of Fragmentation" (USENIX ATC'23), on a mix of requests that is learned from what was asked
so far. To it are added: what is stranded because the node's CPU and cards no longer go together at the mix's own ratio,
how even both are left, and how much asked for the node's model is by those who accept few models. Integers only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vast.scheduling.arrays import Bools, Ints, ints
from vast.scheduling.asks import Ask
from vast.scheduling.columns import INFEASIBLE, Column, fitting, node_fitting
from vast.scheduling.state import PoolState

CARD = 1000
# Of the requests, the most usual ones that make up so many percent are looked at.
COVERED_PERCENT = 95
# Milli-cards of expected fragmentation that count as one step: smaller differences leave the choice to the rest, and to
# the order of the nodes, which fills them one after the other. Found on the public openb traces (docs).
STEP = 20
UNIT = 1000
STRANDED_CARDS, STRANDED_CPU, UNEVEN, SCARCE, LEFT, CPU_AWAY = 1300, 4000, 500, 2000, 500, 1000


@dataclass(frozen=True, slots=True)
class Kind:
    """A usual request: CPU in thousandths of a core, milli-cards of each device, devices, and the skus it accepts."""

    cpu_millis: int
    milli: int
    devices: int
    skus: frozenset[int]


@dataclass
class Mix:
    """What was asked so far. ``version`` grows when the usual requests were worked out anew."""

    kinds: int
    version: int = 0
    usual: list[tuple[Kind, int]] = field(default_factory=list)
    weight: int = 1
    milli_per_core: int = 90
    scarcity: Ints = field(default_factory=lambda: ints([]))
    _seen: Counter[Kind] = field(default_factory=Counter)
    _next: int = 64

    def __post_init__(self) -> None:
        every = frozenset(range(self.kinds))
        self.scarcity = np.zeros(self.kinds, dtype=np.int64)
        for cpu, milli, devices, count in (
            (8000, 0, 0, 1),
            (4000, 500, 1, 3),
            (8000, CARD, 1, 5),
            (32_000, CARD, 4, 1),
        ):
            self.usual.append((Kind(cpu, milli, devices, every), count))
        self.weight = sum(count for _, count in self.usual)

    def note(self, kind: Kind, supply: Sequence[int]) -> None:
        """One more request arrived. ``supply`` = milli-cards of each sku in the pool."""
        self._seen[kind] += 1
        if self._seen.total() >= self._next:
            self._next *= 2
            self._learn(supply)

    def _learn(self, supply: Sequence[int]) -> None:
        total, covered = self._seen.total(), 0
        self.usual = []
        for kind, count in sorted(self._seen.items(), key=lambda item: (-item[1], _order(item[0]))):
            if covered * 100 >= COVERED_PERCENT * total:
                break
            self.usual.append((kind, count))
            covered += count
        self.weight = covered
        cards = sum(kind.milli * kind.devices * count for kind, count in self._seen.items())
        cores = sum(kind.cpu_millis * count for kind, count in self._seen.items() if kind.devices)
        self.milli_per_core = max(1, cards * CARD // max(1, cores))
        wanted = [0] * self.kinds
        for kind, count in self._seen.items():
            if kind.devices and len(kind.skus) < self.kinds:
                for sku in kind.skus:
                    wanted[sku] += kind.milli * kind.devices * count // len(kind.skus)
        pool = sum(supply)
        self.scarcity = ints(
            want * pool * UNIT // max(1, cards * have) for want, have in zip(wanted, supply, strict=True)
        )
        self.version += 1


def _order(kind: Kind) -> tuple[int, int, int, tuple[int, ...]]:
    return kind.cpu_millis, kind.milli, kind.devices, tuple(sorted(kind.skus))


class _Nodes:
    """Nodes of one kind of card each, as rows: free milli-cards by device (0 where there is none), free CPU."""

    def __init__(self, state: PoolState, nodes: Ints) -> None:
        starts = np.array(state.node_device_start, dtype=np.int64)
        counts = starts[nodes + 1] - starts[nodes]
        width = int(counts.max(initial=1))
        self.devices = np.minimum(starts[nodes][:, None] + np.arange(width), max(0, len(state.devices) - 1))
        self.real = np.arange(width) < counts[:, None]
        free = state.free_memory[self.devices] * CARD // state.memory[self.devices]
        self.free: Ints = np.where(self.real, free, 0)
        self.cpu: Ints = state.free_cpu[nodes]
        self.sku: Ints = np.where(counts > 0, state.sku[self.devices[:, 0]], -1)
        self.all_cards: Ints = np.maximum(1, counts * CARD)
        self.all_cpu: Ints = ints(max(1, state.nodes[node].cpu_millis) for node in nodes.tolist())


def fragmentation(mix: Mix, rows: _Nodes, cpu: Ints, free: Ints) -> Ints:
    """The sum over the usual requests, by how usual they are, of the milli-cards that they could not use."""
    total = free.sum(axis=1)
    lost = np.zeros(len(total), dtype=np.int64)
    for kind, count in mix.usual:
        if not kind.devices:
            lost += count * total
            continue
        enough = free >= kind.milli
        can = (
            (cpu >= kind.cpu_millis)
            & np.isin(rows.sku, list(kind.skus))
            & (enough.sum(axis=1) >= kind.devices)
        )
        lost += count * np.where(can, total - (free * enough).sum(axis=1), total)
    return lost


def after_slice(mix: Mix, rows: _Nodes, cpu: Ints, milli: int) -> Ints:
    """As ``fragmentation``, once a slice was put on each device in turn (nodes x devices)."""
    free = rows.free
    total = free.sum(axis=1)
    left = (total - milli)[:, None]
    rest = free - milli
    lost = np.zeros(free.shape, dtype=np.int64)
    for kind, count in mix.usual:
        if not kind.devices:
            lost += count * left
            continue
        enough, still = free >= kind.milli, rest >= kind.milli
        number = enough.sum(axis=1)[:, None] - enough + still
        usable = (free * enough).sum(axis=1)[:, None] - free * enough + rest * still
        can = ((cpu >= kind.cpu_millis) & np.isin(rows.sku, list(kind.skus)))[:, None] & (
            number >= kind.devices
        )
        lost += count * np.where(can, left - usable, left)
    return lost


class FragmentationColumn(Column):
    """Scores of nodes (for pools with one kind of card on each node); the smaller the better."""

    def __init__(self, state: PoolState, ask: Ask, mix: Mix) -> None:
        super().__init__(state, ask)
        self._mix = mix
        self._version = -1
        self._nodes = state.bank_node if ask.devices else np.arange(len(state.nodes), dtype=np.int64)
        self.node_of = self._nodes
        self.score = np.full(len(self._nodes), INFEASIBLE, dtype=np.int64)
        self.chosen = (
            np.full(len(self._nodes), -1, dtype=np.int64) if ask.devices == 1 and ask.only_slices else None
        )
        self._row_of = np.full(len(state.nodes), -1, dtype=np.int64)
        self._row_of[self._nodes] = np.arange(len(self._nodes))

    def stale(self) -> bool:
        """Whether the mix was learned anew since the last look."""
        if self._version == self._mix.version:
            return False
        self._version = self._mix.version
        return True

    def _rescore_all(self) -> None:
        self._rescore_rows(np.arange(len(self._nodes), dtype=np.int64))

    def _rescore(self, nodes: list[int]) -> None:
        rows = self._row_of[nodes]
        self._rescore_rows(rows[rows >= 0])

    def _rescore_rows(self, where: Ints) -> None:
        if not len(where):
            return
        nodes = self._nodes[where]
        rows = _Nodes(self.state, nodes)
        feasible = node_fitting(self.state, self.ask, nodes)
        cpu = rows.cpu - self.ask.request.cpu_millis
        before = fragmentation(self._mix, rows, rows.cpu, rows.free)
        if not self.ask.devices:
            cost = self._steps(fragmentation(self._mix, rows, cpu, rows.free) - before)
            cards = rows.free.sum(axis=1)
            cost += CPU_AWAY * (cards * CARD // rows.all_cards - rows.cpu * CARD // rows.all_cpu) // CARD
            cost += self._balance(rows, cpu, cards)
        else:
            fits, cost = self._with_cards(rows, cpu, before, where)
            feasible &= fits
        self.score[where] = np.where(feasible, cost, INFEASIBLE)

    def _with_cards(self, rows: _Nodes, cpu: Ints, before: Ints, where: Ints) -> tuple[Bools, Ints]:
        fit = fitting(self.state, self.ask, slice(0, len(self.state.devices)))[rows.devices] & rows.real
        devices = self.ask.devices
        fits: Bools = fit.sum(axis=1) >= devices
        if self.chosen is not None:
            milli = int(self.ask.memory[self.ask.fits].max(initial=0)) * CARD // int(self.state.memory[0])
            lost = np.where(fit, after_slice(self._mix, rows, cpu, milli), INFEASIBLE)
            best = lost.argmin(axis=1)
            index = np.arange(len(best))
            after = np.where(fits, lost[index, best], before)
            self.chosen[where] = rows.devices[index, best]
        else:
            milli = CARD * devices
            taken = fit & (fit.cumsum(axis=1) <= devices)
            after = fragmentation(self._mix, rows, cpu, np.where(taken, 0, rows.free))
        cards = rows.free.sum(axis=1) - milli
        cost = self._steps(after - before) + self._balance(rows, cpu, cards)
        cost += LEFT * cards // rows.all_cards
        cost += SCARCE * self._mix.scarcity[np.maximum(rows.sku, 0)] // UNIT * milli // CARD
        return fits, cost

    def _steps(self, lost: Ints) -> Ints:
        """Expected fragmentation in whole steps, rounded."""
        weight = self._mix.weight
        steps: Ints = (2 * lost + STEP * weight) // (2 * STEP * weight) * UNIT
        return steps

    def _balance(self, rows: _Nodes, cpu: Ints, cards: Ints) -> Ints:
        """What becomes stranded, and how uneven CPU and cards are left."""
        grown = self._stranded(cpu, cards) - self._stranded(rows.cpu, rows.free.sum(axis=1))
        uneven = np.abs(cpu * CARD // rows.all_cpu - cards * CARD // rows.all_cards)
        balance: Ints = grown + UNEVEN * uneven // CARD
        return balance

    def _stranded(self, cpu: Ints, cards: Ints) -> Ints:
        ratio = self._mix.milli_per_core
        idle_cards = np.maximum(0, cards - cpu * ratio // CARD)
        idle_cpu = np.maximum(0, cpu - cards * CARD // ratio)
        stranded: Ints = STRANDED_CARDS * idle_cards // CARD + STRANDED_CPU * idle_cpu // CARD
        return stranded
