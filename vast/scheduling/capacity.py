"""How many milli-cards of each class a pool has to divide, and how many are free.

A card counts when something could be scheduled on it or when it carries our work; less what somebody outside
uses. Over-subscription makes more to divide, by the larger of its two ratios.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vast.scheduling.snapshot import Device, HeldSlice, HeldTask, Hold, Node

CARD = 1000
RATIO_OFF = 1000


class Capacity:
    """The cards of one pool at the start of a cycle."""

    def __init__(self, nodes: Iterable[Node], held: Iterable[HeldTask], holds: Iterable[Hold] = ()) -> None:
        self._nodes = tuple(nodes)
        self._staying: dict[str, int] = {}
        self._leaving: dict[str, int] = {}
        self._kept: dict[str, int] = {}
        self._exclusive: set[str] = set()
        for task in held:
            self._add(self._leaving if task.stopping else self._staying, task.slices)
        for hold in holds:
            for seat in hold.seats:
                self._add(self._kept, seat.slices)
        self._divided: dict[str, int] | None = None

    def _add(self, charges: dict[str, int], slices: Iterable[HeldSlice]) -> None:
        for part in slices:
            charges[part.device] = charges.get(part.device, 0) + part.charge
            if part.exclusive:
                self._exclusive.add(part.device)

    def divided(self, device_class: str) -> int:
        """Milli-cards of the class that fair shares divide."""
        if self._divided is None:
            thousandths: dict[str, int] = {}
            for node in self._nodes:
                for device in node.devices:
                    if _schedulable(node, device) or self._carries(device):
                        size = _size(device)
                        thousandths[device.device_class] = thousandths.get(device.device_class, 0) + size
            self._divided = {name: size // RATIO_OFF for name, size in thousandths.items()}
        return self._divided.get(device_class, 0)

    def free(self, device_class: str) -> int:
        """Milli-cards of the class on which something could be scheduled now. A seat that is kept counts once,
        whether its holders have left or not."""
        return sum(max(0, room) for room in self._rooms(device_class))

    def _rooms(self, device_class: str) -> Iterator[int]:
        for node in self._nodes:
            for device in node.devices:
                if device.device_class != device_class or device.id in self._exclusive:
                    continue
                if _schedulable(node, device):
                    awaited = max(self._leaving.get(device.id, 0), self._kept.get(device.id, 0))
                    used = self._staying.get(device.id, 0) + awaited
                    yield _size(device) // RATIO_OFF - used

    def _carries(self, device: Device) -> bool:
        return device.id in self._staying or device.id in self._leaving


def _schedulable(node: Node, device: Device) -> bool:
    return (
        node.ready and not node.cordoned and device.healthy and not device.cordoned and device.external == 0
    )


def _size(device: Device) -> int:
    """Thousandths of milli-cards: exact sums first, rounding once."""
    return max(0, CARD - device.external) * max(RATIO_OFF, device.cores_ratio, device.memory_ratio)
