"""Who may take from whom: the rules of section 4 of the scheduling design, for one unit at a time on the ledger as
it stands (the units taken before are booked out of it)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from vast.scheduling.ledger import Ledger
from vast.scheduling.shares import Shares
from vast.scheduling.victims import Kind, Unit

HOUR = 3600
STEPS = 64
STOPPING, MOVE = "stopping", "move"
PRIORITY, EXTRA, SHARE, GUARANTEE = "priority", "extra", "share", "guarantee"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who wants to start: ``charges`` is what it would hold more (milli-cards by class), ``short`` are the classes
    of these that free room does not give. ``extra`` = replicas beyond a minimum."""

    job: str
    leaf: str
    priority: int
    charges: Mapping[str, int]
    short: frozenset[str]
    extra: bool = False
    evicts: bool = True
    moves: bool = False

    @property
    def kind(self) -> tuple[object, ...]:
        """Askers of one kind and leaf are answered alike, but for what their leaf came to hold in between."""
        charges = tuple(sorted(self.charges.items()))
        return self.priority, charges, self.short, self.extra, self.evicts, self.moves


class Rights:
    """Answers under which rule an asker may take a unit. Also counts what stood in the way, for the explanation."""

    def __init__(self, ledger: Ledger, shares: Shares, now: int) -> None:
        self._ledger = ledger
        self._shares = shares
        self._now = now
        self._branches = cache(self._find_branches)
        self.protected_until: int | None = None
        self.guarantee_delayed = False

    def rule(self, asker: Asker, unit: Unit) -> str:
        """The rule that allows it; "" = not allowed."""
        if unit.kind is Kind.STOPPING:
            return STOPPING
        if unit.job == asker.job:
            return ""
        found = self._evicting(asker, unit) if asker.evicts else ""
        return found or (MOVE if asker.moves and self._may_move(unit) else "")

    def _evicting(self, asker: Asker, unit: Unit) -> str:
        if not unit.preemptible:
            return ""
        found = self._in_leaf(asker, unit) if asker.leaf == unit.queue else self._across(asker, unit)
        return found if found and not self._protected(unit, found) else ""

    def _in_leaf(self, asker: Asker, unit: Unit) -> str:
        if asker.extra:
            return ""
        if unit.priority < asker.priority:
            return PRIORITY
        return EXTRA if unit.kind is Kind.EXTRA and unit.priority == asker.priority else ""

    def _across(self, asker: Asker, unit: Unit) -> str:
        held_short = [name for name in unit.charges if name in asker.short]
        if not held_short or (asker.extra and unit.kind is not Kind.EXTRA):
            return ""
        own_side, other_side = self._branches(asker.leaf, unit.queue)
        if not self.inside_share(asker, own_side):
            return ""
        if not asker.extra and all(
            self._ledger.holding(queue, name) - unit.charges[name] >= self._shares.fair(queue, name)
            for queue in other_side
            for name in held_short
        ):
            return SHARE
        if self._inside_guarantee(asker, own_side[-1]) and all(
            any(
                self._ledger.holding(queue, name) > self._shares.guarantee(queue, name) for name in held_short
            )
            for queue in other_side
        ):
            return GUARANTEE
        return ""

    def inside_share(self, asker: Asker, queues: tuple[str, ...]) -> bool:
        """Whether each of these queues ends inside its fair share of every short class."""
        return all(
            self._ledger.holding(queue, name) + asker.charges[name] <= self._shares.fair(queue, name)
            for queue in queues
            for name in asker.short
        )

    def could_reclaim(self, asker: Asker) -> bool:
        """Whether any reclaim is thinkable: the leaf itself must end inside its share."""
        return self.inside_share(asker, (asker.leaf,))

    def _inside_guarantee(self, asker: Asker, queue: str) -> bool:
        return all(
            self._ledger.holding(queue, name) + asker.charges[name] <= self._shares.guarantee(queue, name)
            for name in asker.short
        )

    def _find_branches(self, leaf: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The queues below the lowest common ancestor on either side, leaf first."""
        own, others = self._ledger.path(leaf), self._ledger.path(other)
        common = set(own) & set(others)
        return (
            tuple(queue for queue in own if queue not in common),
            tuple(queue for queue in others if queue not in common),
        )

    def _protected(self, unit: Unit, rule: str) -> bool:
        queue = self._ledger.queues[unit.queue]
        if unit.kind is Kind.MINIMUM and unit.started_at and self._now - unit.started_at < queue.min_runtime:
            until = unit.started_at + queue.min_runtime
            self.protected_until = min(until, self.protected_until or until)
            self.guarantee_delayed |= rule == GUARANTEE
            return True
        if rule == GUARANTEE or queue.evictions_per_hour is None or unit.kind is Kind.HOLD:
            return False
        return self._losses(unit, HOUR) >= queue.evictions_per_hour

    def _may_move(self, unit: Unit) -> bool:
        queue = self._ledger.queues[unit.queue]
        young = unit.started_at and self._now - unit.started_at < queue.min_runtime
        return (
            unit.movable
            and unit.preemptible
            and unit.kind is Kind.MINIMUM
            and not young
            and not self._losses(unit, queue.min_runtime)
        )

    def _losses(self, unit: Unit, within: int) -> int:
        return sum(1 for at in unit.evicted_at if self._now - at < within)

    def queue_priority(self, unit: Unit) -> int:
        return self._ledger.queues[unit.queue].priority

    def saturation(self, unit: Unit, short: frozenset[str]) -> int:
        """How far above its share the unit's queue is, in 64ths of the share; a share of nothing is endless.

        Coarse on purpose: with every card that a queue loses all places with its jobs would have another price."""
        worst = 0
        for name in unit.charges:
            if name in short:
                share = self._shares.fair(unit.queue, name)
                held = self._ledger.holding(unit.queue, name)
                worst = max(worst, held * STEPS // share if share > 0 else 1 << 60)
        return worst
