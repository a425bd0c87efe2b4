"""Whose turn it is: every leaf offers its first untried job, and on every level of the tree one offer goes up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from vast.scheduling.ledger import Ledger
from vast.scheduling.shares import Shares
from vast.scheduling.snapshot import PendingJob

Demand = Mapping[str, int]
Key = tuple[bool, bool, Fraction, int, int, str]
_NOTHING = Fraction(0)


class Line:
    """The jobs of one leaf in order: priority, then submit time, then id. ``position`` counts those still
    waiting."""

    def __init__(self, jobs: Sequence[PendingJob]) -> None:
        self._jobs = sorted(jobs, key=lambda job: (-job.priority, job.submitted_at, job.id))
        self._next = 0
        self._started = 0

    @property
    def head(self) -> PendingJob | None:
        return self._jobs[self._next] if self._next < len(self._jobs) else None

    @property
    def position(self) -> int:
        return self._next + 1 - self._started

    def replace_head(self, job: PendingJob) -> None:
        """The same job asks for its next part."""
        self._jobs[self._next] = job

    def advance(self, *, started: bool) -> None:
        self._next += 1
        self._started += started


class Turns:
    """Picks the next leaf. A queue's key is that of its best offer; after a start only one path has new
    keys."""

    def __init__(self, ledger: Ledger, shares: Shares) -> None:
        self._ledger = ledger
        self._shares = shares
        self._offers: dict[str, Demand] = {}
        self._heaps: dict[str | None, list[tuple[Key, int, str]]] = {}
        self._stamps: dict[str, int] = {}

    def offer(self, leaf: str, demand: Demand | None, *, held_changed: bool) -> None:
        """The leaf's first untried job asks for this (class -> milli-cards); None = it has no more jobs.

        Keys are computed anew unless nothing that they depend on has changed.
        """
        if demand is not None and self._offers.get(leaf) is demand and not held_changed:
            return
        if demand is None:
            self._offers.pop(leaf, None)
        else:
            self._offers[leaf] = demand
        for queue_id in self._ledger.path(leaf):
            self._renew(queue_id)

    def next_leaf(self) -> str | None:
        """The leaf whose turn it is; None when nobody offers anything."""
        step: str | None = None
        while True:
            best = self._best_child(step)
            if best is None:
                return step
            step = best

    def _renew(self, queue_id: str) -> None:
        stamp = self._stamps[queue_id] = self._stamps.get(queue_id, 0) + 1
        leaf = queue_id
        while (child := self._best_child(leaf)) is not None:
            leaf = child
        demand = self._offers.get(leaf)
        if demand is not None:
            parent = self._ledger.queues[queue_id].parent
            heappush(self._heaps.setdefault(parent, []), (self._key(queue_id, demand), stamp, queue_id))

    def _best_child(self, queue_id: str | None) -> str | None:
        heap = self._heaps.get(queue_id)
        while heap:
            _, stamp, child = heap[0]
            if stamp == self._stamps[child]:
                return child
            heappop(heap)
        return None

    def _key(self, queue_id: str, demand: Demand) -> Key:
        """Inside its guarantee first; then the lowest saturation (a share of nothing is saturated without
        end); then queue priority, the older queue, the id."""
        ledger = self._ledger
        queue = ledger.queues[queue_id]
        outside = False
        endless = False
        saturation = _NOTHING
        for name, charge in demand.items():
            after = ledger.holding(queue_id, name) + charge
            outside |= after > self._shares.guarantee(queue_id, name)
            share = self._shares.share(queue_id, name)
            if share > 0:
                saturation = max(saturation, Fraction(after, share))
            else:
                endless = True
        return (
            outside,
            endless,
            _NOTHING if endless else saturation,
            -queue.priority,
            queue.created_at,
            queue.id,
        )
