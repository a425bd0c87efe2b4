"""Seats a whole gang on the pool, or leaves the pool as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vast.common.reasons import Reason
from vast.scheduling.arrays import Bools, Ints
from vast.scheduling.asks import Ask
from vast.scheduling.budget import Budget, BudgetExhausted
from vast.scheduling.columns import INFEASIBLE, PER_TASK_ON_NODE, Column, column_for, fitting
from vast.scheduling.devices import pick
from vast.scheduling.layouts import Layouts, Plan, Portion
from vast.scheduling.shapes import Attempt, GroupShape, JobShape
from vast.scheduling.state import PoolState


@dataclass(frozen=True, slots=True)
class Seat:
    """One task's place: the node, the devices (ascending) and the alternative that it satisfies."""

    node: int
    devices: Sequence[int]
    ask: Ask


@dataclass(frozen=True, slots=True)
class Seated:
    """The gang has its seats, per group in rank order; they are taken in the state.

    ``charges`` (class -> milli-cards) is what its queue now holds more.
    """

    groups: tuple[tuple[Seat, ...], ...]
    charges: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Unseated:
    """How far the best attempt came.

    ``limited`` (class, milli-cards asked up to there) = in some attempt a limit stood in the way of an
    alternative; ``limit_only`` = of every alternative of the group that found no seat. ``own_devices`` =
    devices that had room but were ruled out because the group spreads over devices. ``domains`` = why no domain of
    the required level holds the gang.
    """

    placed: int
    group: GroupShape
    limited: tuple[str, int] | None
    limit_only: bool
    own_devices: int
    domains: tuple[Reason, ...] = ()


class Search:
    """Places gangs on one pool. Columns of scores live as long as the search, one per ask."""

    def __init__(self, state: PoolState, budget: Budget, columns: dict[Ask, Column] | None = None) -> None:
        """``columns`` = scores to go by, for the asks that have them already."""
        self._state = state
        self._budget = budget
        self._columns = {} if columns is None else columns

    def seat(self, shape: JobShape, room: Mapping[str, int], nodes: Bools | None = None) -> Seated | Unseated:
        """Find seats for every task. ``room`` = milli-cards left under limits, for the classes that have one.

        Raises BudgetExhausted, with the state as it was. Nodes to avoid are used only where nothing else will
        do.
        """
        best: Unseated | None = None
        outside = None if nodes is None else ~nodes
        wishes = (shape.avoid, None) if shape.avoid is not None else (None,)
        for wish in wishes:
            avoid = outside if wish is None else wish if outside is None else wish | outside
            for outcome in self._outcomes(shape, avoid, room):
                if isinstance(outcome, Seated):
                    return outcome
                best = outcome if best is None else _further(best, outcome)
        if best is None:
            raise ValueError("a job without groups cannot be placed")
        return best

    def _outcomes(
        self, shape: JobShape, avoid: Bools | None, room: Mapping[str, int]
    ) -> Iterator[Seated | Unseated]:
        """What each way to place the gang comes to: by its topology first, anywhere only where that is a wish."""
        rules = [rule for rule in (shape.topology, *(g.topology for g in shape.groups)) if rule is not None]
        if rules:
            layouts = Layouts(self._state, shape)
            for plan in layouts.plans(avoid):
                yield self._try(shape, shape.attempts[0], avoid, room, plan)
            if any(rule.required for rule in rules):
                yield self._none_holds(shape, layouts, avoid)
                return
        for attempt in shape.attempts:
            yield self._try(shape, attempt, avoid, room)

    @staticmethod
    def _none_holds(shape: JobShape, layouts: Layouts, avoid: Bools | None) -> Unseated:
        best, reasons = layouts.shortage(avoid)
        return Unseated(best, shape.groups[0], None, False, 0, reasons)

    def _try(
        self,
        shape: JobShape,
        attempt: Attempt,
        avoid: Bools | None,
        room: Mapping[str, int],
        plan: Plan | None = None,
    ) -> Seated | Unseated:
        mark = self._state.mark()
        trial = _Trial(self._state, self._budget, self._columns, attempt, avoid, dict(room))
        seats: dict[int, tuple[Seat, ...]] = {}
        try:
            for index in attempt.order:
                group_seats = trial.seat_group(shape.groups[index], plan[index] if plan else None)
                if group_seats is None:
                    self._state.undo(mark)
                    return trial.failure(shape.groups[index])
                seats[index] = group_seats
        except BudgetExhausted:
            self._state.undo(mark)
            raise
        return Seated(tuple(seats[index] for index in range(len(shape.groups))), trial.charges)


def _further(one: Unseated, other: Unseated) -> Unseated:
    """The attempt that came further; the first of equals. That a limit mattered anywhere is kept."""
    best, rest = (other, one) if other.placed > one.placed else (one, other)
    return best if best.limited else replace(best, limited=rest.limited)


class _Trial:
    """One attempt at one gang."""

    def __init__(
        self,
        state: PoolState,
        budget: Budget,
        columns: dict[Ask, Column],
        attempt: Attempt,
        avoid: Bools | None,
        room: dict[str, int],
    ) -> None:
        self._state = state
        self._budget = budget
        self._columns = columns
        self._attempt = attempt
        self._avoid = avoid
        self._room = room
        self.charges: dict[str, int] = {}
        self._placed = 0
        self._limited: tuple[str, int] | None = None
        self._group_limited = False
        self._group_short = False
        self._own_devices = 0
        self._taken: Bools | None = None
        self._on_node: Ints | None = None
        self._own_columns: dict[Ask, Column] = {}

    def failure(self, group: GroupShape) -> Unseated:
        limit_only = self._group_limited and not self._group_short
        return Unseated(self._placed, group, self._limited, limit_only, self._own_devices)

    def seat_group(
        self, group: GroupShape, portions: Sequence[Portion] | None = None
    ) -> tuple[Seat, ...] | None:
        """Seats for all tasks of the group, consecutive ranks side by side; None when one finds none. ``portions`` =
        so many of them on these nodes, one portion after the other."""
        self._group_limited = self._group_short = False
        state = self._state
        self._taken = np.zeros(len(state.devices), dtype=np.bool_) if group.spread_devices else None
        self._on_node = None
        if group.spread_nodes and self._attempt.spread_nodes:
            self._on_node = np.zeros(len(state.nodes), dtype=np.int64)
        self._own_columns = {} if group.spread_devices else self._columns
        seats: list[Seat] = []
        outside = self._avoid
        for portion in portions or (Portion(group.tasks, None),):
            self._avoid = portion.outside if outside is None else outside
            if portion.outside is not None and outside is not None:
                self._avoid = outside | portion.outside
            found = self._seat_portion(group, portion.tasks)
            self._avoid = outside
            if found is None:
                return None
            seats += found
        return side_by_side(seats)

    def _seat_portion(self, group: GroupShape, tasks: int) -> list[Seat] | None:
        open_asks = list(group.asks)
        seats: list[Seat] = []
        while len(seats) < tasks:
            if not open_asks:
                self._own_devices = self._count_own(group, self._taken)
                return None
            ask = open_asks[0]
            column = self._own_columns.get(ask)
            if column is None:
                column = self._own_columns[ask] = column_for(self._state, ask, self._taken)
            seat = self._seat_task(ask, column, self._taken, self._on_node)
            if seat is None:
                del open_asks[0]  # room only shrinks while the gang is being placed
                continue
            seats.append(seat)
            self._placed += 1
        return seats

    def _seat_task(self, ask: Ask, column: Column, taken: Bools | None, on_node: Ints | None) -> Seat | None:
        self._budget.spend(1)
        column.refresh(self._budget)
        score = column.score
        if on_node is not None:
            score = np.where(
                score < INFEASIBLE, score + on_node[column.node_of] * PER_TASK_ON_NODE, INFEASIBLE
            )
        score = self._without_forbidden(ask, column, score)
        while len(score):
            best = int(score.argmin())
            if score[best] >= INFEASIBLE:
                break
            devices = self._devices(ask, column, best, taken)
            if len(devices) == ask.devices and self._allowed(ask, best, devices):
                return self._take(ask, int(column.node_of[best]), best, devices, taken, on_node)
            score = score.copy() if score is column.score else score
            score[best] = INFEASIBLE
        self._group_short |= not self._all_limited(ask)
        return None

    def _devices(self, ask: Ask, column: Column, bank: int, taken: Bools | None) -> Sequence[int]:
        if not ask.devices:
            return []
        if column.chosen is not None:
            return [int(column.chosen[bank])]
        return pick(self._state, ask, bank, taken, roomiest=self._attempt.roomiest)

    def _without_forbidden(self, ask: Ask, column: Column, score: Ints) -> Ints:
        """The scores without nodes to avoid and without classes in which no task of the ask fits a limit."""
        over = [name for name, charge in ask.least_charge.items() if self._room.get(name, charge) < charge]
        if over:
            self._note_limit(over[0], ask.least_charge[over[0]])
            classes = np.isin(self._state.bank_class, [self._state.classes.index(name) for name in over])
            score = np.where(classes, INFEASIBLE, score)
        if self._avoid is not None:
            score = np.where(self._avoid[column.node_of], INFEASIBLE, score)
        return score

    def _all_limited(self, ask: Ask) -> bool:
        return bool(ask.least_charge) and all(
            self._room.get(name, charge) < charge for name, charge in ask.least_charge.items()
        )

    def _allowed(self, ask: Ask, bank: int, devices: Sequence[int]) -> bool:
        """Whether the charge of exactly these devices stays under the limits."""
        if not devices:
            return True
        name = self._state.bank_class_name[bank]
        left = self._room.get(name)
        charge = self._charge(ask, devices)
        if left is None or charge <= left:
            return True
        self._note_limit(name, charge)
        return False

    def _note_limit(self, name: str, charge: int) -> None:
        self._group_limited = True
        self._limited = (name, self.charges.get(name, 0) + charge)

    def _charge(self, ask: Ask, devices: Sequence[int]) -> int:
        return sum(ask.needs[self._state.sku[d]].charge for d in devices)

    def _take(
        self,
        ask: Ask,
        node: int,
        bank: int,
        devices: Sequence[int],
        taken: Bools | None,
        on_node: Ints | None,
    ) -> Seat:
        state = self._state
        for device in devices:
            need = ask.needs[state.sku[device]]
            state.take_device(device, need.cores, need.memory_mib, need.whole, need.slots)
            if taken is not None:
                taken[device] = True
        state.take_node(node, ask.request.cpu_millis, ask.request.host_memory_mib)
        if on_node is not None:
            on_node[node] += 1
        if devices:
            name = state.bank_class_name[bank]
            charge = self._charge(ask, devices)
            self.charges[name] = self.charges.get(name, 0) + charge
            if name in self._room:
                self._room[name] -= charge
        return Seat(node, devices, ask)

    def _count_own(self, group: GroupShape, taken: Bools | None) -> int:
        if taken is None:
            return 0
        everything = slice(0, len(self._state.devices))
        roomy = np.logical_or.reduce([fitting(self._state, ask, everything) for ask in group.asks])
        return int(np.count_nonzero(roomy & taken))


def side_by_side(seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """Group seats by node, nodes in the order of first use: tasks of one group differ only in rank."""
    rank: dict[int, int] = {}
    for seat in seats:
        rank.setdefault(seat.node, len(rank))
    return tuple(sorted(seats, key=lambda seat: rank[seat.node]))
