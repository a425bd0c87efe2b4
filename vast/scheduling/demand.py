"""What each queue could use: what it holds and what of its waiting work could start. Milli-cards by class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from vast.scheduling.ledger import Ledger
from vast.scheduling.shapes import JobShape

ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Want:
    """One waiting job, or the extras of a running one: what it would be charged in each class that could serve it, in
    order of preference."""

    queue: str
    choices: tuple[tuple[str, int], ...]
    fixed: bool = False
    sliced: bool = False


@dataclass(slots=True)
class Demand:
    """The sum of what a leaf wants, per class. ``whole`` = classes in which it wants whole cards."""

    wants: dict[tuple[str, str], int] = field(default_factory=dict)
    whole: set[tuple[str, str]] = field(default_factory=set)
    fixed: dict[tuple[str, str], int] = field(default_factory=dict)

    def of(self, queue: str, device_class: str) -> int:
        return self.wants.get((queue, device_class), 0)

    def add(self, want: Want, name: str, charge: int) -> None:
        key = (want.queue, name)
        self.wants[key] = self.wants.get(key, 0) + charge
        if not want.sliced:
            self.whole.add(key)


def choices_of(shape: JobShape) -> tuple[tuple[str, int], ...]:
    """The classes that could serve the job, in order, with its charge; groups in several classes give each its own."""
    first: dict[str, int] = {}
    for group in shape.groups:
        named = [(name, ask.least_charge[name]) for ask in group.asks for name in sorted(ask.least_charge)]
        for name, charge in dict(reversed(named)).items():
            first[name] = first.get(name, 0) + charge * group.tasks
    order = [name for group in shape.groups for ask in group.asks for name in sorted(ask.least_charge)]
    return tuple((name, first[name]) for name in dict.fromkeys(order))


def is_sliced(shape: JobShape) -> bool:
    """All tasks of the job are below one card."""
    return all(ask.only_slices for group in shape.groups for ask in group.asks if ask.devices)


def count(
    ledger: Ledger,
    wants: Iterable[Want],
    share_of: Callable[[Demand], Mapping[tuple[str, str], int]],
) -> Demand:
    """The demand of every leaf, in rounds: a job with alternatives counts in its first class; whatever then got no
    share counts, in job order, in its next class (at most four rounds)."""
    demand = Demand()
    waiting: list[Want] = []
    for want in wants:
        if not want.choices:
            continue
        if want.fixed:
            found = _inside_guarantee(ledger, demand, want)
            if found is None:
                continue
            want = found
        if len(want.choices) > 1:
            waiting.append(want)
        demand.add(want, *want.choices[0])
    for turn in range(1, ROUNDS):
        if not waiting:
            break
        waiting = _count_on(ledger, demand, waiting, turn, share_of(demand))
    return demand


def _inside_guarantee(ledger: Ledger, demand: Demand, want: Want) -> Want | None:
    """Work that is not preemptible counts only as far as the guarantee goes, at every ancestor: in the first class in
    which it does, and maybe in later ones."""
    for i, (name, charge) in enumerate(want.choices):
        if _covered(ledger, demand, want.queue, name, charge):
            _book_fixed(ledger, demand, want.queue, name, charge)
            return replace(want, choices=want.choices[i:])
    return None


def _covered(ledger: Ledger, demand: Demand, queue: str, name: str, charge: int) -> bool:
    return all(
        ledger.fixed(step, name) + demand.fixed.get((step, name), 0) + charge <= ledger.guaranteed(step, name)
        for step in ledger.path(queue)
    )


def _book_fixed(ledger: Ledger, demand: Demand, queue: str, name: str, charge: int) -> None:
    for step in ledger.path(queue):
        demand.fixed[step, name] = demand.fixed.get((step, name), 0) + charge


def _count_on(
    ledger: Ledger,
    demand: Demand,
    waiting: list[Want],
    turn: int,
    shares: Mapping[tuple[str, str], int],
) -> list[Want]:
    """Moves on what its queue's share of the class does not cover. Returns who may move again."""
    room: dict[tuple[str, str], int] = {}
    moved: list[Want] = []
    for want in waiting:
        name, charge = want.choices[turn - 1]
        key = (want.queue, name)
        left = room.setdefault(key, shares.get(key, 0) - ledger.holding(*key))
        if left >= charge:
            room[key] = left - charge
            continue
        if want.fixed:
            if not _covered(ledger, demand, want.queue, *want.choices[turn]):
                continue
            _book_fixed(ledger, demand, want.queue, name, -charge)
            _book_fixed(ledger, demand, want.queue, *want.choices[turn])
        demand.wants[key] -= charge
        demand.add(want, *want.choices[turn])
        if len(want.choices) > turn + 1:
            moved.append(want)
    return moved
