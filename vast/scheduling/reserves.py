"""What is reserved in a queue tree and not in use: nobody else may take it, so starts must leave it free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vast.scheduling.snapshot import Queue


class Reserves:
    """Per (queue, class) the unused part of ``reserved``, of the queue itself or of those below it, whichever is
    more; kept up to date along one path at a time. Milli-cards."""

    def __init__(self, queues: Mapping[str, Queue], paths: Mapping[str, Sequence[str]]) -> None:
        self._queues = queues
        self._unused: dict[str, dict[str, int]] = {}
        self._below: dict[str, dict[str | None, int]] = {}
        for queue in queues.values():
            for name, quota in queue.quotas.items():
                if quota.reserved > 0:
                    self._unused.setdefault(name, {})
                    self._below.setdefault(name, {})
        for name in self._unused:
            for queue_id in queues:
                self.update(paths[queue_id], name, {})

    @property
    def classes(self) -> Iterable[str]:
        """The classes of which anybody has something reserved."""
        return self._unused.keys()

    def update(self, path: Sequence[str], device_class: str, used: Mapping[str, Mapping[str, int]]) -> None:
        """The queues of the path (leaf first) use something else than before: ``used[queue][class]``."""
        unused = self._unused.get(device_class)
        if unused is None:
            return
        below = self._below[device_class]
        for queue_id in path:
            queue = self._queues[queue_id]
            quota = queue.quotas.get(device_class)
            own = (quota.reserved if quota else 0) - used.get(queue_id, {}).get(device_class, 0)
            now = max(0, own, below.get(queue_id, 0))
            below[queue.parent] = below.get(queue.parent, 0) + now - unused.get(queue_id, 0)
            unused[queue_id] = now

    def beside(self, queue_id: str, device_class: str) -> int:
        """The unused part of the queue's siblings together."""
        unused = self._unused.get(device_class)
        if unused is None:
            return 0
        return self._below[device_class].get(self._queues[queue_id].parent, 0) - unused[queue_id]

    def largest_beside(self, path: Sequence[str], device_class: str) -> Queue:
        """Of the siblings along the path, the one with most unused (then the lowest id)."""
        unused = self._unused[device_class]
        parents = {self._queues[step].parent for step in path}
        beside = (q for q in self._queues.values() if q.parent in parents and q.id not in path)
        return min(beside, key=lambda queue: (-unused[queue.id], queue.id))
