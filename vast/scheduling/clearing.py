"""Where room for one more task costs least: what must leave a device, a bank, a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace

from vast.scheduling.asks import Ask, Need
from vast.scheduling.budget import Budget
from vast.scheduling.ledger import Ledger
from vast.scheduling.placement import Seat
from vast.scheduling.snapshot import HeldSlice
from vast.scheduling.state import PoolState
from vast.scheduling.trial import FREE, Cost, Trial, book
from vast.scheduling.victims import Field, Unit


class Clearing:
    """Takes units out of single places on behalf of a trial."""

    def __init__(self, state: PoolState, ledger: Ledger, field: Field, budget: Budget) -> None:
        self.state = state
        self._ledger = ledger
        self.field = field
        self._budget = budget

    def bank(self, trial: Trial, ask: Ask, bank: int, taken: set[int]) -> list[int] | None:
        """Make room for one task on the bank; its devices, or None when that cannot be done."""
        self._budget.spend(1)
        state = self.state
        where = state.bank_devices(bank)
        if not self.host(trial, ask, int(state.bank_node[bank])):
            return None
        blocked = [d for d in range(where.start, where.stop) if state.usable[d] and d not in taken]
        chosen: list[int] = []
        while True:
            opened = [d for d in blocked if self._fits(ask, d)]
            chosen += opened
            if len(chosen) >= ask.devices:
                return sorted(chosen[: ask.devices])
            blocked = [d for d in blocked if d not in opened]
            plans = [(plan, d) for d in blocked if (plan := self._plan(trial, ask, d)) is not None]
            if not plans:
                return None
            (_, units), _ = min(plans, key=lambda item: (item[0][0], item[1]))
            if not _remove_all(trial, units):
                return None

    def price(self, trial: Trial, ask: Ask, bank: int, taken: set[int]) -> Cost | None:
        """What ``bank`` would cost; the trial is left as it was."""
        state = self.state
        if ask.devices == 1 and self._host_fits(ask, int(state.bank_node[bank])):
            self._budget.spend(1)
            where = state.bank_devices(bank)
            devices = [d for d in range(where.start, where.stop) if state.usable[d] and d not in taken]
            if any(self._fits(ask, d) for d in devices):
                return FREE
            plans = [plan for d in devices if (plan := self._plan(trial, ask, d)) is not None]
            return min((cost for cost, _ in plans), default=None)
        point, before = trial.point(), len(trial.out)
        cleared = self.bank(trial, ask, bank, taken)
        cost = trial.cost(list(trial.out)[before:]) if cleared is not None else None
        trial.back_to(point)
        return cost

    def host(self, trial: Trial, ask: Ask, node: int) -> bool:
        """Take units off the node until its CPU, memory and task slots suffice for one more task."""
        row, request = self.state.nodes[node], ask.request
        if self._host_fits(ask, node):
            return True
        if row.cpu_millis < request.cpu_millis or row.memory_mib < request.host_memory_mib:
            return False
        for unit in trial.order(unit for unit in self.field.on_node.get(node, ()) if trial.rule(unit)):
            if _remove_all(trial, [unit]) and self._host_fits(ask, node):
                return True
        return False

    def limits(self, trial: Trial, charges: Sequence[tuple[str, int]]) -> bool:
        """Take units below the queues whose limit is in the way until the whole gang is allowed."""
        leaf = trial.asker.leaf
        for name, asked in charges:
            room = self._ledger.room(leaf, name)
            if room is None or room.free >= asked:
                continue
            units = [unit for unit in self.field.units if name in unit.charges and trial.rule(unit)]
            for unit in trial.order(units):
                if room.queue.id in self._ledger.path(unit.queue) and _remove_all(trial, [unit]):
                    room = self._ledger.room(leaf, name)
                if room is None or room.free >= asked:
                    break
            if room is not None and room.free < asked:
                return False
        return True

    def _host_fits(self, ask: Ask, node: int) -> bool:
        state, request = self.state, ask.request
        return bool(
            state.free_task_slots[node] > 0
            and state.free_cpu[node] >= request.cpu_millis
            and state.free_ram[node] >= request.host_memory_mib
        )

    def _fits(self, ask: Ask, device: int) -> bool:
        state = self.state
        need = ask.needs[state.sku[device]]
        if need.partition or state.oversubscribed:
            part = HeldSlice("", need.cores, need.memory_mib, need.whole, need.charge, need.partition)
            return state.room_on(device, part)
        return _has_room(
            need,
            int(state.free_cores[device]),
            int(state.free_memory[device]),
            int(state.free_slots[device]),
            int(state.used_slots[device]),
        )

    def _plan_by_trying(self, trial: Trial, ask: Ask, device: int) -> tuple[Cost, list[Unit]] | None:
        """As ``_plan``, on the state itself: where more counts than compute, memory and slots."""
        point, before = trial.point(), len(trial.out)
        here = self.field.on_device.get(device, ())
        for unit in trial.order(unit for unit in here if unit not in trial.out):
            if self._fits(ask, device):
                break
            _remove_all(trial, [unit])
        fits = self._fits(ask, device)
        taken = list(trial.out)[before:]
        cost = trial.cost(taken)
        trial.back_to(point)
        return (cost, taken) if fits else None

    def _plan(self, trial: Trial, ask: Ask, device: int) -> tuple[Cost, list[Unit]] | None:
        """The units that must leave the device for one task: in the order of candidates until it fits, then those put
        back that need not leave. Legality is judged one after the other."""
        state = self.state
        need = ask.needs[state.sku[device]]
        if need.partition or state.oversubscribed or state.partitioned[device]:
            return self._plan_by_trying(trial, ask, device)
        free = [
            int(state.free_cores[device]),
            int(state.free_memory[device]),
            int(state.free_slots[device]),
            int(state.used_slots[device]),
        ]
        taken: dict[Unit, str] = {}
        here = self.field.on_device.get(device, ())
        for unit in trial.order(unit for unit in here if unit not in trial.out):
            if _has_room(need, *free):
                break
            rule = trial.rule(unit)
            if rule:
                self._book(trial, unit, -1)
                taken[unit] = rule
                _count(free, unit, device, 1)
        cost = trial.cost(list(taken), taken)
        for unit in taken:
            self._book(trial, unit, 1)
        if not _has_room(need, *free):
            return None
        needed = _put_back(need, free, list(taken), device)
        return (cost if len(needed) == len(taken) else trial.cost(needed, taken)), needed

    def _book(self, trial: Trial, unit: Unit, sign: int) -> None:
        for part in trial.leaving_with(unit):
            book(self._ledger, part, sign)


def _put_back(need: Need, free: list[int], taken: list[Unit], device: int) -> list[Unit]:
    needed = list(taken)
    for unit in reversed(taken):
        _count(free, unit, device, -1)
        if _has_room(need, *free):
            needed.remove(unit)
        else:
            _count(free, unit, device, 1)
    return needed


def _count(free: list[int], unit: Unit, device: int, sign: int) -> None:
    part = unit.by_device[device]
    free[0] += sign * part.cores
    free[1] += sign * part.memory_mib
    free[2] += sign * part.slots
    free[3] -= sign * part.slices


def _has_room(need: Need, cores: int, memory_mib: int, slots: int, used: int) -> bool:
    if need.whole:
        return used == 0
    return slots > 0 and cores >= need.cores and memory_mib >= need.memory_mib


def _remove_all(trial: Trial, units: Sequence[Unit]) -> bool:
    """Take them one after the other; False when one may not be taken any more."""
    for unit in units:
        rule = trial.rule(unit)
        if not rule and unit not in trial.out:
            return False
        if rule:
            trial.remove(unit, rule)
    return True


class Places:
    """The cheapest place for one more task of a group, again and again.

    While one asker takes units, places only get dearer, but for those on nodes where a unit just left as well. These
    are judged anew, so the first entry of the heap that is still right is the cheapest place. ``known`` are prices of
    the untouched pool, kept for the next asker of this kind; None = impossible.
    """

    def __init__(
        self,
        clearing: Clearing,
        trial: Trial,
        ask: Ask,
        banks: Sequence[int],
        known: dict[int, Cost | None],
        *,
        spread: bool,
    ) -> None:
        self._clearing = clearing
        self._trial = trial
        self._ask = ask
        self._spread = spread
        self._taken: set[int] = set()
        self._known = known
        self._banks_on: dict[int, list[int]] = {}
        for bank in banks:
            self._banks_on.setdefault(int(clearing.state.bank_node[bank]), []).append(bank)
            if bank not in known:
                known[bank] = self._price(bank)
        self._current = {bank: cost for bank in banks if (cost := known[bank]) is not None}
        self._heap = [(cost, bank) for bank, cost in self._current.items()]
        heapify(self._heap)

    def next(self) -> Seat | None:
        """Clear and take the cheapest place for one more task; None when there is none."""
        while self._heap:
            cost, bank = self._heap[0]
            if self._current.get(bank) != cost:
                heappop(self._heap)
                continue
            now = self._price(bank)
            if not self._trial.out:
                self._known[bank] = now  # the pool is untouched still: the next asker need not find out again
            if now is None:
                del self._current[bank]
                heappop(self._heap)
            elif now != cost:
                self._current[bank] = now
                heapreplace(self._heap, (now, bank))
            else:
                return self._take(bank)
        return None

    def _price(self, bank: int) -> Cost | None:
        return self._clearing.price(self._trial, self._ask, bank, self._taken)

    def _take(self, bank: int) -> Seat:
        before = len(self._trial.out)
        devices = self._clearing.bank(self._trial, self._ask, bank, self._taken)
        if devices is None:
            raise RuntimeError("a place that could be cleared a moment ago cannot be cleared")
        seat = Seat(int(self._clearing.state.bank_node[bank]), devices, self._ask)
        take_seat(self._clearing.state, seat)
        if self._spread:
            self._taken.update(devices)
        self._judge_again(list(self._trial.out)[before:], seat.node)
        return seat

    def _judge_again(self, gone: Sequence[Unit], node: int) -> None:
        """Places on nodes that just changed may have become cheaper."""
        nodes = {self._clearing.state.node_index[task.node] for unit in gone for task in unit.tasks}
        for bank in [bank for n in sorted(nodes | {node}) for bank in self._banks_on.get(n, ())]:
            cost = self._price(bank)
            if cost is None:
                self._current.pop(bank, None)
            elif cost != self._current.get(bank):
                self._current[bank] = cost
                heappush(self._heap, (cost, bank))


class Prices:
    """Prices of places that askers of one kind have in common, while only that kind changes the pool."""

    def __init__(self, state: PoolState) -> None:
        self._state = state
        self._known: dict[tuple[object, ...], dict[int, Cost | None]] = {}
        self._leaf = ""

    def of(self, trial: Trial, ask: Ask, figure: tuple[str, int]) -> dict[int, Cost | None]:
        """The prices known so far, to be added to; nothing is kept of a pool in which units are out already."""
        asker = trial.asker
        if asker.leaf != self._leaf:
            self.forget()
            self._leaf = asker.leaf
        if trial.out:
            return {}
        key = (ask, figure, asker.kind)
        return self._known.setdefault(key, {})

    def forget(self) -> None:
        """Something changed that may have made places cheaper anywhere."""
        self._known.clear()

    def touched(self, nodes: Iterable[int]) -> None:
        """These nodes changed."""
        state = self._state
        banks = [
            bank for n in nodes for bank in range(state.node_bank_start[n], state.node_bank_start[n + 1])
        ]
        for known in self._known.values():
            for bank in banks:
                known.pop(bank, None)


def take_seat(state: PoolState, seat: Seat, sign: int = 1) -> None:
    """Fill the seat in the state, or (-1) empty it."""
    request = seat.ask.request
    for device in seat.devices:
        need = seat.ask.needs[state.sku[device]]
        state.change_device(
            device, sign * need.cores, sign * need.memory_mib, sign, need.whole, sign * need.slots
        )
    state.change_node(seat.node, sign * request.cpu_millis, sign * request.host_memory_mib, sign)
