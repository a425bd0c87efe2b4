"""What must leave so that a gang has room: searched on the pool itself through its journal, proved, made minimal.

Tasks are seated one after the other where room costs least. A set of victims is valid only when the whole gang has its
seats; then whoever turned out not to be needed is put back, the dearest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vast.scheduling.arrays import Bools
from vast.scheduling.asks import Ask
from vast.scheduling.clearing import Clearing, Places, Prices, take_seat
from vast.scheduling.ledger import Ledger
from vast.scheduling.placement import Search, Seat, Seated, side_by_side
from vast.scheduling.rights import MOVE, Asker, Rights
from vast.scheduling.shapes import GroupShape, JobShape
from vast.scheduling.state import PoolState
from vast.scheduling.trial import Cost, Trial
from vast.scheduling.victims import Unit

# Sets up to this size are made minimal by seating the gang again without each of them.
SEAT_AGAIN = 32


@dataclass(frozen=True, slots=True)
class Scenario:
    """A proved way to seat the asker: who leaves and under which rule, and where those that move go."""

    seated: Seated
    out: Mapping[Unit, str]
    moves: Mapping[Unit, Seated]
    cost: tuple[Cost, int]


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of every group, each in one device class ("" = no devices) and at one charge per task, so that
    what the gang would be charged is known beforehand."""

    asks: tuple[Ask, ...]
    figures: tuple[tuple[str, int], ...]
    charges: Mapping[str, int]

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.figures)


def variants(shape: JobShape, state: PoolState) -> Iterator[Variant]:
    """The alternatives in order of preference; groups go through theirs side by side."""
    choices = [
        [
            (ask, figure)
            for ask in group.asks
            for figure in (ask.figures(state.skus) if ask.devices else [("", 0)])
        ]
        for group in shape.groups
    ]
    for i in range(max(map(len, choices)) if all(choices) else 0):
        chosen = [options[min(i, len(options) - 1)] for options in choices]
        charges: dict[str, int] = {}
        for (_, (name, charge)), group in zip(chosen, shape.groups, strict=True):
            if name:
                charges[name] = charges.get(name, 0) + charge * group.tasks
        yield Variant(tuple(ask for ask, _ in chosen), tuple(figure for _, figure in chosen), charges)


class Scenarios:
    """Finds scenarios on one pool. ``shape_of`` gives what a unit would need elsewhere, None = it can't be moved."""

    def __init__(
        self,
        state: PoolState,
        ledger: Ledger,
        rights: Rights,
        search: Search,
        clearing: Clearing,
        shape_of: Callable[[Unit], JobShape | None],
    ) -> None:
        self._state = state
        self._ledger = ledger
        self._rights = rights
        self._search = search
        self._clearing = clearing
        self.prices = Prices(state)
        self._shape_of = shape_of

    def find(self, asker: Asker, shape: JobShape, variant: Variant) -> Scenario | None:
        """The cheapest scenario that the search meets; the state is left as it was.

        Raises BudgetExhausted, with the state as it was.
        """
        found = [
            scenario
            for nodes in self._grounds(asker, shape, variant)
            if (scenario := self._on(nodes, asker, shape, variant)) is not None
        ]
        return min(found, key=lambda scenario: scenario.cost, default=None)

    def _grounds(self, asker: Asker, shape: JobShape, variant: Variant) -> Iterator[Bools | None]:
        """The sets of nodes to try one by one: the domains that must hold the gang; each node by itself where a limit
        is in the way too, since what leaves then must serve both ends."""
        domains = shape.required_domains(self._state)
        if domains is not None:
            yield from domains
        elif shape.tasks == 1 and variant.charges and not self._within_limits(asker, variant):
            for node in range(len(self._state.nodes)):
                yield np.arange(len(self._state.nodes)) == node
        else:
            yield None

    def _on(self, nodes: Bools | None, asker: Asker, shape: JobShape, variant: Variant) -> Scenario | None:
        trial = Trial(self._state, self._ledger, self._clearing.field, self._rights, asker)
        try:
            seats = self._seat_all(trial, shape, variant, nodes)
            seated = None if seats is None else self._settle(trial, shape, variant, seats, nodes)
            if seated is None:
                return None
            moves = self._seat_elsewhere(trial, seated)
            if any(rule == MOVE and unit.whole and unit not in moves for unit, rule in trial.out.items()):
                return None
            moved = {unit.job for unit in moves}
            lost = [unit for unit in trial.out if unit.job not in moved]
            return Scenario(seated, dict(trial.out), moves, (trial.cost(lost), len(moves)))
        finally:
            trial.undo()

    def _seat_all(
        self, trial: Trial, shape: JobShape, variant: Variant, nodes: Bools | None
    ) -> list[tuple[Seat, ...]] | None:
        """Seats for the whole gang, in the order of its groups, with all that stands in their way taken out."""
        seats: dict[int, tuple[Seat, ...]] = {}
        for index in shape.attempts[0].order:
            group, ask = shape.groups[index], variant.asks[index]
            banks = self._banks(ask, variant.figures[index], nodes)
            found = (
                self._seat_group(trial, group, ask, banks, variant.figures[index])
                if ask.devices
                else self._seat_on_hosts(trial, group, ask, nodes)
            )
            if found is None:
                return None
            seats[index] = side_by_side(found)
        if not self._clearing.limits(trial, list(variant.charges.items())):
            return None
        return [seats[index] for index in range(len(shape.groups))]

    def _seat_group(
        self, trial: Trial, group: GroupShape, ask: Ask, banks: Sequence[int], figure: tuple[str, int]
    ) -> list[Seat] | None:
        known = self.prices.of(trial, ask, figure)
        places = Places(self._clearing, trial, ask, banks, known, spread=group.spread_devices)
        seats: list[Seat] = []
        while len(seats) < group.tasks:
            seat = places.next()
            if seat is None:
                return None
            seats.append(seat)
        return seats

    def _seat_on_hosts(
        self, trial: Trial, group: GroupShape, ask: Ask, nodes: Bools | None
    ) -> list[Seat] | None:
        """For tasks without devices: the first nodes that can be cleared."""
        allowed = ask.node_allowed if nodes is None else ask.node_allowed & nodes
        seats: list[Seat] = []
        for node in np.flatnonzero(allowed).tolist():
            while len(seats) < group.tasks and self._clearing.host(trial, ask, node):
                seats.append(Seat(node, (), ask))
                take_seat(self._state, seats[-1])
        return seats if len(seats) == group.tasks else None

    def _banks(self, ask: Ask, figure: tuple[str, int], nodes: Bools | None) -> list[int]:
        state = self._state
        name, charge = figure
        if name not in state.classes:
            return []
        kind = state.sku[state.bank_start]
        charges = np.array([need.charge * ask.devices for need in ask.needs], dtype=np.int64)
        right = state.bank_class == state.classes.index(name)
        right &= ask.node_allowed[state.bank_node] & ask.fits[kind] & (charges[kind] == charge)
        if nodes is not None:
            right &= nodes[state.bank_node]
        return [int(bank) for bank in np.flatnonzero(right)]

    def _settle(
        self,
        trial: Trial,
        shape: JobShape,
        variant: Variant,
        seats: Sequence[tuple[Seat, ...]],
        nodes: Bools | None,
    ) -> Seated | None:
        """The gang's seats once nobody leaves who need not."""
        seated = Seated(tuple(seats), variant.charges)
        if shape.ruled:
            self._fill(seated, -1)
            outcome = self._search.seat(shape, self._rooms(trial.asker.leaf), nodes=nodes)
            if not isinstance(outcome, Seated) or outcome.charges != variant.charges:
                return None
            seated = outcome
        for unit in trial.dearest_first():
            if unit in trial.out and trial.may_stay(unit):
                self._put_back(trial, variant, unit)
        if 1 < len(trial.out) <= SEAT_AGAIN:
            return self._seat_again(trial, shape, variant, seated, nodes)
        return seated

    def _put_back(self, trial: Trial, variant: Variant, unit: Unit) -> bool:
        """Put the unit back unless a limit then stands in the way of the gang."""
        point = trial.point()
        trial.restore(unit)
        if self._within_limits(trial.asker, variant):
            return True
        trial.back_to(point)
        return False

    def _seat_again(
        self, trial: Trial, shape: JobShape, variant: Variant, seated: Seated, nodes: Bools | None
    ) -> Seated:
        """Put each one back in turn, the dearest first, where the gang still finds seats, if others."""
        self._fill(seated, -1)
        for unit in trial.dearest_first():
            point = trial.point()
            if unit in trial.out and trial.may_stay(unit) and self._put_back(trial, variant, unit):
                mark = self._state.mark()
                outcome = self._search.seat(shape, self._rooms(trial.asker.leaf), nodes=nodes)
                if isinstance(outcome, Seated) and outcome.charges == variant.charges:
                    self._state.undo(mark)
                    seated = outcome
                else:
                    trial.back_to(point)
        self._fill(seated, 1)
        return seated

    def _fill(self, seated: Seated, sign: int) -> None:
        for group in seated.groups:
            for seat in group:
                take_seat(self._state, seat, sign)

    def _within_limits(self, asker: Asker, variant: Variant) -> bool:
        rooms = ((self._ledger.room(asker.leaf, name), asked) for name, asked in variant.charges.items())
        return all(room is None or room.free >= asked for room, asked in rooms)

    def _rooms(self, queue: str) -> dict[str, int]:
        rooms = {name: self._ledger.room(queue, name) for name in self._state.classes}
        return {name: room.free for name, room in rooms.items() if room is not None}

    def _seat_elsewhere(self, trial: Trial, seated: Seated) -> dict[Unit, Seated]:
        """New places, in the room that the asker leaves, for those who leave; the largest first."""
        moves: dict[Unit, Seated] = {}
        hopeless: set[tuple[JobShape, str]] = set()
        self._ledger.book(trial.asker.leaf, seated.charges, 1)
        leaving = [unit for unit in trial.out if unit.whole]
        for unit in sorted(leaving, key=lambda unit: (-sum(unit.charges.values()), unit.id)):
            shape = self._shape_of(unit)
            if shape is None or (shape, unit.queue) in hopeless:
                continue
            mark = self._state.mark()
            place = self._search.seat(shape, self._rooms(unit.queue))
            if isinstance(place, Seated) and place.charges == unit.charges:
                moves[unit] = place
                self._ledger.book(unit.queue, unit.charges, 1)
            else:
                self._state.undo(mark)
                hopeless.add((shape, unit.queue))
        for unit in moves:
            self._ledger.book(unit.queue, unit.charges, -1)
        self._ledger.book(trial.asker.leaf, seated.charges, -1)
        return moves
