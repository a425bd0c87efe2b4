"""The queue tree of one pool and what each queue holds, in milli-cards per device class."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass

from vast.common.reasons import Reason
from vast.scheduling.reserves import Reserves
from vast.scheduling.snapshot import HeldTask, Queue, Quota

NO_QUOTA = Quota()
CARD = 1000


def cards(milli: int) -> str:
    """Milli-cards as cards for people: at least two decimals, a third where it says something."""
    whole, rest = divmod(abs(milli), 1000)
    text = f"{whole}.{rest:03d}"
    return ("-" if milli < 0 else "") + (text.removesuffix("0"))


@dataclass(frozen=True, slots=True)
class Room:
    """What may still start under a limit, and whose limit it is."""

    free: int
    queue: Queue
    limit: int
    held: int


class Ledger:
    """Who holds how much. ``holding`` is without what is stopping; limits count that too; ``fixed`` is the part of
    ``holding`` that is not preemptible."""

    def __init__(
        self,
        queues: Iterable[Queue],
        held: Iterable[HeldTask],
        class_of: Mapping[str, str],
        fixed_tasks: Container[str] = frozenset(),
    ) -> None:
        self.queues = {queue.id: queue for queue in sorted(queues, key=lambda queue: queue.id)}
        self.children: dict[str | None, list[str]] = {}
        for queue in self.queues.values():
            self.children.setdefault(queue.parent, []).append(queue.id)
        self._paths = {queue_id: self._path_of(queue_id) for queue_id in self.queues}
        self._holding: dict[str, dict[str, int]] = {queue_id: {} for queue_id in self.queues}
        self._occupying: dict[str, dict[str, int]] = {queue_id: {} for queue_id in self.queues}
        self._fixed: dict[str, dict[str, int]] = {queue_id: {} for queue_id in self.queues}
        self._guaranteed: dict[tuple[str, str], int] = {}
        self._whole: set[tuple[str, str]] = set()
        self.reserves = Reserves(self.queues, self._paths)
        for task in held:
            for part in task.slices if task.queue in self.queues else ():
                charge = {class_of[part.device]: part.charge}
                if part.charge >= CARD:
                    self._whole.add((task.queue, class_of[part.device]))
                self.book(task.queue, charge, stopping=task.stopping, fixed=task.task in fixed_tasks)

    def _path_of(self, queue_id: str) -> tuple[str, ...]:
        path = []
        step: str | None = queue_id
        while step is not None:
            path.append(step)
            step = self.queues[step].parent
        return tuple(path)

    def path(self, queue_id: str) -> tuple[str, ...]:
        """The queue and its ancestors, leaf first."""
        return self._paths[queue_id]

    def is_leaf(self, queue_id: str) -> bool:
        return queue_id not in self.children

    def closed_by(self, queue_id: str) -> Queue | None:
        """The queue that closes this one: itself or an ancestor."""
        return next((self.queues[q] for q in self._paths[queue_id] if not self.queues[q].open), None)

    def quota(self, queue_id: str, device_class: str) -> Quota:
        return self.queues[queue_id].quotas.get(device_class, NO_QUOTA)

    def guaranteed(self, queue_id: str, device_class: str) -> int:
        """The queue's guarantee; where it has none of its own, the sum of its children's."""
        key = (queue_id, device_class)
        if key not in self._guaranteed:
            below = sum(self.guaranteed(child, device_class) for child in self.children.get(queue_id, ()))
            self._guaranteed[key] = self.quota(queue_id, device_class).guaranteed or below
        return self._guaranteed[key]

    def holding(self, queue_id: str, device_class: str) -> int:
        return self._holding[queue_id].get(device_class, 0)

    def room(self, queue_id: str, device_class: str) -> Room | None:
        """The tightest limit on the way up; None where nobody limits the class."""
        tightest: Room | None = None
        for step in self._paths[queue_id]:
            limit = self.quota(step, device_class).limit
            if limit is None:
                continue
            held = self._occupying[step].get(device_class, 0)
            if tightest is None or limit - held < tightest.free:
                tightest = Room(limit - held, self.queues[step], limit, held)
        return tightest

    def fixed(self, queue_id: str, device_class: str) -> int:
        """What the queue holds in jobs that are not preemptible."""
        return self._fixed[queue_id].get(device_class, 0)

    def holds_whole(self, queue_id: str, device_class: str) -> bool:
        """Whether the leaf had whole cards when the cycle began."""
        return (queue_id, device_class) in self._whole

    def fixed_room(self, queue_id: str, device_class: str, guarantee: Callable[[str, str], int]) -> Room:
        """What may still start that is not preemptible: all such work stays inside the guarantee, everywhere."""
        rooms = (
            Room(promised - held, self.queues[step], promised, held)
            for step in self._paths[queue_id]
            for promised, held in [(guarantee(step, device_class), self.fixed(step, device_class))]
        )
        return min(rooms, key=lambda room: room.free)

    def unreserved(self, queue_id: str, device_class: str, free: int) -> Room | None:
        """What may start without eating into what is never lent: what then stays of the ``free`` milli-cards, and
        under each ancestor's limit, must still cover the unused ``reserved`` of the siblings along the path. The queue
        of the answer is the one with most unused. None = nothing is kept from this queue."""
        path = self._paths[queue_id]
        if not any(self.reserves.beside(step, device_class) for step in path):
            return None
        owed, most = 0, free
        for step in path:
            owed += self.reserves.beside(step, device_class)
            parent = self.queues[step].parent
            limit = None if parent is None else self.quota(parent, device_class).limit
            if parent is not None and limit is not None:
                most = min(most, limit - self.occupying(parent, device_class) - owed)
        most = min(most, free - owed)
        return Room(most, self.reserves.largest_beside(path, device_class), owed, 0)

    def occupied(self, device_class: str) -> int:
        """What all queues together occupy."""
        return sum(self.occupying(root, device_class) for root in self.children.get(None, ()))

    def occupying(self, queue_id: str, device_class: str) -> int:
        """What counts against limits: held, and still stopping."""
        return self._occupying[queue_id].get(device_class, 0)

    def book(
        self,
        queue_id: str,
        charges: Mapping[str, int],
        sign: int = 1,
        *,
        stopping: bool = False,
        fixed: bool = False,
    ) -> None:
        """Charge the queue and its ancestors, or (-1) take the charge back."""
        path = self._paths[queue_id]
        for name, charge in charges.items():
            for step in path:
                _add(self._occupying[step], name, sign * charge)
                if not stopping:
                    _add(self._holding[step], name, sign * charge)
                    if fixed:
                        _add(self._fixed[step], name, sign * charge)
            if not stopping and name in self.reserves.classes:
                self.reserves.update(path, name, self._holding)


def _add(amounts: dict[str, int], name: str, amount: int) -> None:
    amounts[name] = amounts.get(name, 0) + amount


def not_preemptible(room: Room, device_class: str, asked: int) -> Reason:
    """The reason of a start that only preemptible work could make."""
    amounts = {"guaranteed": room.limit, "held": room.held, "asked": asked}
    return Reason(
        "NOT_PREEMPTIBLE_BEYOND_GUARANTEE",
        {
            "queue": room.queue.name,
            "device_class": device_class,
            **amounts,
            **{f"{name}_cards": cards(amount) for name, amount in amounts.items()},
        },
    )


def reserved_for_others(room: Room, device_class: str, asked: int) -> Reason:
    """The reason of a start that would take what is never lent."""
    params = {"cards": cards(room.limit), "asked_cards": cards(asked), "free_cards": cards(max(0, room.free))}
    return Reason("RESERVED_FOR_OTHERS", {"queue": room.queue.name, "device_class": device_class, **params})


def larger_than_limit(queue: Queue, device_class: str, limit: int, asked: int) -> Reason:
    """The reason of a job that could not start even if its queue held nothing."""
    params = {"limit": limit, "asked": asked, "limit_cards": cards(limit), "asked_cards": cards(asked)}
    return Reason("LARGER_THAN_LIMIT", {"queue": queue.name, "device_class": device_class, **params})


def exceeds(room: Room, device_class: str, asked: int) -> Reason:
    """The reason of a start that the limit refuses; milli-cards, and each also as cards."""
    amounts = {"limit": room.limit, "held": room.held, "asked": asked, "short": asked - room.free}
    return Reason(
        "EXCEEDS_LIMIT",
        {
            "queue": room.queue.name,
            "device_class": device_class,
            **amounts,
            **{f"{name}_cards": cards(amount) for name, amount in amounts.items()},
        },
    )
