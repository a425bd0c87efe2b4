"""The queue tree of one pool and what each queue holds, in milli-cards per device class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vast.common.reasons import Reason
from vast.scheduling.snapshot import HeldTask, Queue, Quota

NO_QUOTA = Quota()


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
    """Who holds how much. ``holding`` is without what is stopping; limits count that too."""

    def __init__(
        self, queues: Iterable[Queue], held: Iterable[HeldTask], class_of: Mapping[str, str]
    ) -> None:
        self.queues = {queue.id: queue for queue in sorted(queues, key=lambda queue: queue.id)}
        self.children: dict[str | None, list[str]] = {}
        for queue in self.queues.values():
            self.children.setdefault(queue.parent, []).append(queue.id)
        self._paths = {queue_id: self._path_of(queue_id) for queue_id in self.queues}
        self._holding: dict[str, dict[str, int]] = {queue_id: {} for queue_id in self.queues}
        self._occupying: dict[str, dict[str, int]] = {queue_id: {} for queue_id in self.queues}
        self._guaranteed: dict[tuple[str, str], int] = {}
        for task in held:
            for part in task.slices if task.queue in self.queues else ():
                self._book(task.queue, class_of[part.device], part.charge, stopping=task.stopping)

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
        for name, charge in charges.items():
            self._book(queue_id, name, sign * charge, stopping=stopping)

    def _book(self, queue_id: str, device_class: str, charge: int, *, stopping: bool) -> None:
        for step in self._paths[queue_id]:
            occupying = self._occupying[step]
            occupying[device_class] = occupying.get(device_class, 0) + charge
            if not stopping:
                holding = self._holding[step]
                holding[device_class] = holding.get(device_class, 0) + charge


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
