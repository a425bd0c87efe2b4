"""Units taken out on trial: of the state and of the ledger, in order, and all or some of them put back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vast.scheduling.ledger import Ledger
from vast.scheduling.rights import MOVE, Asker, Rights
from vast.scheduling.state import Mark, PoolState
from vast.scheduling.victims import Field, Kind, Unit

Key = tuple[int, int, int, int, int, int, int, int, str]
Cost = tuple[int, ...]
FREE: Cost = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of a trial to come back to."""

    state: Mark
    log: int


class Trial:
    """What one asker would take. ``out`` maps each unit to the rule that allowed it."""

    def __init__(self, state: PoolState, ledger: Ledger, field: Field, rights: Rights, asker: Asker) -> None:
        self._state = state
        self._field = field
        self._ledger = ledger
        self._rights = rights
        self.asker = asker
        self.out: dict[Unit, str] = {}
        self._keys: dict[Unit, Key] = {}
        self._log: list[tuple[Unit, str, bool]] = []
        self._start = self.point()

    def point(self) -> Point:
        return Point(self._state.mark(), len(self._log))

    def back_to(self, point: Point) -> None:
        """Undo what was done since, in the state and in the ledger."""
        self._state.undo(point.state)
        while len(self._log) > point.log:
            unit, rule, removed = self._log.pop()
            if removed:
                del self.out[unit]
            else:
                self.out[unit] = rule
            book(self._ledger, unit, 1 if removed else -1)

    def undo(self) -> None:
        self.back_to(self._start)

    def rule(self, unit: Unit) -> str:
        """The rule under which the unit may be taken next; "" = it may not, or is out already."""
        return "" if unit in self.out else self._rights.rule(self.asker, unit)

    def leaving_with(self, unit: Unit) -> tuple[Unit, ...]:
        """The unit and what is left of its extras."""
        return tuple(part for part in self._field.with_extras(unit) if part not in self.out)

    def remove(self, unit: Unit, rule: str) -> None:
        """Take the unit, and with a minimum all that is left of its extras."""
        for part in self.leaving_with(unit):
            self._keys[part] = self.key(part)
            self.out[part] = rule
            self._log.append((part, rule, True))
            for task in part.tasks:
                self._state.lift(task)
            book(self._ledger, part, -1)

    def restore(self, unit: Unit) -> None:
        """Put the unit back where it was."""
        self._log.append((unit, self.out.pop(unit), False))
        for task in unit.tasks:
            self._state.put(task)
        book(self._ledger, unit, 1)

    def may_stay(self, unit: Unit) -> bool:
        """Whether the unit still has room where it was. An extra does not stay without its minimum."""
        if unit.kind is Kind.EXTRA and any(unit in other.extras for other in self.out):
            return False
        return self._state.room_for_all(unit.tasks)

    def order(self, units: Iterable[Unit]) -> list[Unit]:
        """In the order in which they are taken (design: order of candidates)."""
        return sorted(units, key=self.key)

    def dearest_first(self) -> list[Unit]:
        """What was taken; minimums come before their extras, so that both can be put back."""
        return sorted(self.out, key=self.key, reverse=True)

    def key(self, unit: Unit) -> Key:
        """The place of a unit in the order of candidates; for one that is out, as it was when it was taken."""
        if unit in self.out:
            return self._keys[unit]
        own = unit.queue == self.asker.leaf
        return (
            min(unit.kind, Kind.MINIMUM),
            int(own),
            0 if own else self._rights.queue_priority(unit),
            0 if own else -self._rights.saturation(unit, self.asker.short),
            unit.priority,
            unit.work,
            -unit.started_at,
            unit.turn,
            unit.id,
        )

    def cost(self, units: Sequence[Unit], rules: Mapping[Unit, str] | None = None) -> Cost:
        """What losing these costs; nothing is cheaper than the empty tuple, and moves alone are cheaper than any loss.

        Queues come before jobs, since job priority does not cross queues; then the highest priority lost, the work
        lost, the number of jobs, the cards, and the youngest. ``rules`` for units that are not out yet.
        """
        told = self.out if rules is None else rules
        moved = sum(told.get(unit) == MOVE for unit in units)
        dear = [unit for unit in units if unit.kind is not Kind.STOPPING and told.get(unit) != MOVE]
        if not dear:
            return (-1, moved) if moved else FREE
        return (
            *max(self.key(unit)[:4] for unit in dear),
            max(unit.priority for unit in dear),
            sum(unit.work for unit in dear),
            len({unit.job for unit in dear}),
            sum(sum(unit.charges.values()) for unit in dear),
            moved,
            -min(unit.started_at for unit in dear),
            sum(unit.turn for unit in dear),
        )


def book(ledger: Ledger, unit: Unit, sign: int) -> None:
    """In or out of the ledger; what is stopping is counted in limits only."""
    ledger.book(unit.queue, unit.charges, sign, stopping=unit.kind is Kind.STOPPING, fixed=unit.fixed)
