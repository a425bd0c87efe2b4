"""The fair share of every queue, from the roots down: a parent's share is the pool of its children."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from vast.scheduling.demand import Demand, Want, count
from vast.scheduling.division import Claim, divide
from vast.scheduling.ledger import Ledger

PERMILLE = 1000


class Shares:
    """Shares in milli-cards, by queue and class, as of the start of the cycle.

    ``capacity(class)`` is what is divided. ``decay`` = k of usage decay in thousandths: it bends the shares that are
    used for starts, never those by which evictions are judged.
    """

    def __init__(
        self, ledger: Ledger, capacity: Callable[[str], int], wants: Iterable[Want] = (), decay: int = 0
    ) -> None:
        self._ledger = ledger
        self._capacity = cache(capacity)
        self._decay = decay
        self._classes = sorted({name for q in ledger.queues.values() for name in q.quotas})
        self._guarantees: dict[tuple[str, str], int] = {}
        wants = list(wants)
        self._classes = sorted({*self._classes, *(name for want in wants for name, _ in want.choices)})
        self.demand = count(ledger, wants, self._divide_all)
        self._fair = self._divide_all(self.demand)
        self._bent = self._divide_all(self.demand, bent=True) if decay else self._fair

    def share(self, queue_id: str, device_class: str) -> int:
        """The share that steers the order of starts."""
        return self._bent.get((queue_id, device_class), 0)

    def fair(self, queue_id: str, device_class: str) -> int:
        """The share by which evictions are judged."""
        return self._fair.get((queue_id, device_class), 0)

    def guarantee(self, queue_id: str, device_class: str) -> int:
        """The guarantee in force: cut when more was promised than there is."""
        key = (queue_id, device_class)
        found = self._guarantees.get(key)
        return self._ledger.guaranteed(queue_id, device_class) if found is None else found

    def _divide_all(self, demand: Demand, *, bent: bool = False) -> Mapping[tuple[str, str], int]:
        given: dict[tuple[str, str], int] = {}
        for name in self._classes:
            self._divide(name, None, self._capacity(name), _Wanted(self._ledger, demand, name), given, bent)
        return given

    def _divide(
        self,
        name: str,
        parent: str | None,
        pool: int,
        wanted: _Wanted,
        given: dict[tuple[str, str], int],
        bent: bool,
    ) -> None:
        children = self._ledger.children.get(parent, ())
        if not children:
            return
        weights = self._weights(children, name, bent)
        claims = [self._claim(child, name, wanted, weights[child]) for child in children]
        division = divide(pool, claims)
        for child in children:
            given[child, name] = division.given[child]
            if not bent:
                self._guarantees[child, name] = division.guarantees[child]
            self._divide(name, child, division.given[child], wanted, given, bent)

    def _claim(self, queue_id: str, name: str, wanted: _Wanted, weight: int) -> Claim:
        queue, quota = self._ledger.queues[queue_id], self._ledger.quota(queue_id, name)
        return Claim(
            id=queue_id,
            want=wanted.by(queue_id),
            guaranteed=self._ledger.guaranteed(queue_id, name),
            reserved=quota.reserved,
            weight=weight,
            priority=queue.priority,
            created_at=queue.created_at,
            slices=wanted.only_slices(queue_id),
        )

    def _weights(self, children: Iterable[str], name: str, bent: bool) -> dict[str, int]:
        """The weights of siblings; bent by decayed use: w becomes max(w/100, w - k(u - w)), both normalised."""
        ledger = self._ledger
        plain = {child: ledger.quota(child, name).weight for child in children}
        used = {child: ledger.queues[child].usage.get(name, 0) for child in plain}
        weights, uses = sum(plain.values()), sum(used.values())
        if not bent or not weights or not uses:
            return plain
        # Everything times weights x uses x PERMILLE, so that all stays whole.
        bent_weights = {}
        for child, weight in plain.items():
            w, u = weight * uses * PERMILLE, used[child] * weights * PERMILLE
            bent_weights[child] = max(w // 100, w - self._decay * (u - w) // PERMILLE) if weight else 0
        return bent_weights


class _Wanted:
    """What each queue of the tree wants of one class: held and waiting, under the limits of every level."""

    def __init__(self, ledger: Ledger, demand: Demand, name: str) -> None:
        self._ledger = ledger
        self._demand = demand
        self._name = name
        self._known: dict[str, int] = {}
        self._sliced: dict[str, bool] = {}

    def by(self, queue_id: str) -> int:
        if queue_id not in self._known:
            children = self._ledger.children.get(queue_id)
            if children:
                want = sum(self.by(child) for child in children)
            else:
                want = self._ledger.holding(queue_id, self._name) + self._demand.of(queue_id, self._name)
            limit = self._ledger.quota(queue_id, self._name).limit
            self._known[queue_id] = want if limit is None else min(want, limit)
        return self._known[queue_id]

    def only_slices(self, queue_id: str) -> bool:
        """A queue whose tasks are all below one card takes exact pieces."""
        if queue_id not in self._sliced:
            children = self._ledger.children.get(queue_id)
            self._sliced[queue_id] = (
                all(self.only_slices(child) for child in children)
                if children
                else (queue_id, self._name) not in self._demand.whole
                and not self._ledger.holds_whole(queue_id, self._name)
            )
        return self._sliced[queue_id]
