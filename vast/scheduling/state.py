"""The devices and nodes of one pool as arrays, with a journal: placements are tried on them and undone.

Order is fixed here once: nodes by name and id, the devices of a node by vendor, model and id. A *bank* is the
run of devices of one model on one node; a task takes its devices from one bank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from vast.scheduling.arrays import Ints, bools, ints
from vast.scheduling.snapshot import Device, HeldSlice, HeldTask, Node, Placement, Pool
from vast.scheduling.topology import Tree
from vast.vendors.base import PartitionTemplate, SliceRule

# What an exclusive slice takes of a device's slice slots: more than any device has.
ALL_SLOTS = 1 << 20


@dataclass(frozen=True, slots=True)
class Sku:
    """Devices that answer every request alike when empty. Memory in MiB."""

    vendor: str
    model: str
    device_class: str
    memory_mib: int
    rule: SliceRule
    templates: tuple[PartitionTemplate, ...] = ()
    partition_slots: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in the journal to come back to."""

    devices: int
    nodes: int


class PoolState:
    """What is free where. All arrays are indexed by device, bank or node as their names say.

    ``pristine`` makes the pool as it would be with every node ready and every device healthy: for the
    question whether a job could ever run. A device is empty, shared, partitioned or exclusive; where memory may
    be promised beyond the physical size, what goes beyond is taken from the node's free RAM as long as it is used.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        held: Iterable[HeldTask],
        *,
        pristine: bool = False,
        policy: Pool | None = None,
    ) -> None:
        self.policy = policy or Pool("")
        self.nodes = sorted(nodes, key=lambda node: (node.name, node.id))
        self.node_index = {node.id: i for i, node in enumerate(self.nodes)}
        self._lay_out_devices()
        self._read_nodes(pristine)
        self._read_devices(pristine)
        self.changed_nodes: list[int] = []
        self._device_log: list[tuple[int, int, int, int, bool, int]] = []
        self._node_log: list[tuple[int, int, int, int]] = []
        self._fill(held)

    def _lay_out_devices(self) -> None:
        self.devices: list[Device] = []
        bank_start: list[int] = []
        bank_node: list[int] = []
        bank_class: list[str] = []
        node_bank_start = [0]
        node_device_start = [0]
        for n, node in enumerate(self.nodes):
            ordered = sorted(node.devices, key=lambda device: (device.vendor, device.model, device.id))
            for _, run in groupby(ordered, key=lambda device: (device.vendor, device.model)):
                bank = list(run)
                bank_start.append(len(self.devices))
                bank_node.append(n)
                bank_class.append(bank[0].device_class)
                self.devices.extend(bank)
            node_bank_start.append(len(bank_start))
            node_device_start.append(len(self.devices))
        self.device_index = {device.id: i for i, device in enumerate(self.devices)}
        self.bank_start = np.array(bank_start, dtype=np.int64)
        self.bank_bounds = [*bank_start, len(self.devices)]
        self.bank_size = np.diff(ints(self.bank_bounds))
        self.bank_node = np.array(bank_node, dtype=np.int64)
        self.classes = sorted(set(bank_class))
        class_index = {name: i for i, name in enumerate(self.classes)}
        self.bank_class = np.array([class_index[name] for name in bank_class], dtype=np.int64)
        self.bank_class_name = bank_class
        self.node_bank_start = node_bank_start
        self.node_device_start = node_device_start
        self.device_node = np.repeat(np.arange(len(self.nodes)), np.diff(node_device_start)).astype(np.int64)

    def _read_nodes(self, pristine: bool) -> None:
        self.ready = bools(pristine or node.ready for node in self.nodes)
        self.node_cordoned = bools(node.cordoned and not pristine for node in self.nodes)
        self.simulated = bools(node.simulated for node in self.nodes)
        self.free_cpu = ints(node.cpu_millis for node in self.nodes)
        self.free_ram = ints(node.memory_mib for node in self.nodes)
        self.free_task_slots = ints(node.task_slots for node in self.nodes)

    def _read_devices(self, pristine: bool) -> None:
        self.sku, self.skus = _kinds(self.devices)
        self.healthy = bools(pristine or d.healthy for d in self.devices)
        self.cordoned = bools(d.cordoned and not pristine for d in self.devices)
        self.external = ints(0 if pristine else d.external for d in self.devices)
        self.usable = self.healthy & ~self.cordoned & (self.external <= 0)
        self.memory = np.maximum(1, ints(d.memory_mib for d in self.devices))
        self.max_slices = ints(d.max_slices for d in self.devices)
        self.limit_cores = ints(100 * d.cores_ratio // 1000 for d in self.devices)
        self.limit_memory = ints(d.memory_mib * d.memory_ratio // 1000 for d in self.devices)
        self.beyond_cores = self.limit_cores - 100
        self.beyond_memory = self.limit_memory - ints(d.memory_mib for d in self.devices)
        self.oversubscribed = bool((self.beyond_cores != 0).any() or (self.beyond_memory != 0).any())
        self.free_cores = self.limit_cores.copy()
        self.free_memory = self.limit_memory.copy()
        self.free_slots = self.max_slices.copy()
        self.used_slots = np.zeros(len(self.devices), dtype=np.int64)
        self.exclusive = np.zeros(len(self.devices), dtype=np.bool_)
        self.partitioned = np.zeros(len(self.devices), dtype=np.bool_)
        self.free_partition_slots = ints(d.partition_slots for d in self.devices)
        self.free_partitions = self.max_slices.copy()
        self._owners = [0] * len(self.devices)

    def _fill(self, held: Iterable[HeldTask]) -> None:
        for task in held:
            node = self.node_index.get(task.node)
            if node is None:
                continue  # of another pool
            self.put(task)
        self._device_log.clear()
        self._node_log.clear()
        self.changed_nodes.clear()

    @cached_property
    def link_of(self) -> Ints:
        """Devices with equal numbers are directly linked to each other; -1 = with nobody."""
        return self._together(lambda device: device.link_group or None)

    @cached_property
    def numa_of(self) -> Ints:
        """Devices with equal numbers sit at one NUMA node; -1 = unknown."""
        return self._together(lambda device: device.numa if device.numa >= 0 else None)

    def _together(self, key: Callable[[Device], object]) -> Ints:
        numbers: dict[tuple[int, object], int] = {}
        together = []
        for bank in range(len(self.bank_node)):
            for device in self.devices[self.bank_devices(bank)]:
                group = key(device)
                together.append(-1 if group is None else numbers.setdefault((bank, group), len(numbers)))
        return ints(together)

    def bank_devices(self, bank: int) -> slice:
        return slice(self.bank_bounds[bank], self.bank_bounds[bank + 1])

    def mark(self) -> Mark:
        return Mark(len(self._device_log), len(self._node_log))

    def put(self, task: HeldTask | Placement) -> None:
        """What the task holds fills its devices and its node, whether it fits or not."""
        for part in task.slices:
            self._change_part(part, 1)
        self.take_node(self.node_index[task.node], task.cpu_millis, task.host_memory_mib)

    def lift(self, task: HeldTask | Placement) -> None:
        """The opposite of ``put``."""
        for part in task.slices:
            self._change_part(part, -1)
        node = self.node_index[task.node]
        self.change_node(node, -task.cpu_millis, -task.host_memory_mib, -1)

    def _change_part(self, part: HeldSlice, slices: int) -> None:
        device = self.device_index[part.device]
        blocked = self.blocked_by(device, part.partition) if part.partition else 0
        self.change_device(
            device, slices * part.cores, slices * part.memory_mib, slices, part.exclusive, slices * blocked
        )

    def room_for(self, task: HeldTask | Placement) -> bool:
        """Whether the task would fit where it says, now."""
        node = self.node_index[task.node]
        parts = [(self.device_index[part.device], part) for part in task.slices]
        swapped = sum(self.host_memory_for(device, part.memory_mib) for device, part in parts)
        return (
            bool(self.free_cpu[node] >= task.cpu_millis)
            and bool(self.free_ram[node] >= task.host_memory_mib + swapped)
            and bool(self.free_task_slots[node] > 0)
            and all(self.room_on(device, part) for device, part in parts)
        )

    def room_for_all(self, tasks: Sequence[HeldTask | Placement]) -> bool:
        """Whether all of them would fit together; the state is left as it was."""
        if len(tasks) == 1:
            return self.room_for(tasks[0])
        mark = self.mark()
        fit = True
        for task in tasks:
            fit = fit and self.room_for(task)
            self.put(task)
        self.undo(mark)
        return fit

    def room_on(self, device: int, part: HeldSlice) -> bool:
        """Whether the device has room for the slice, whatever its node says."""
        if part.exclusive:
            return bool(self.used_slots[device] == 0)
        if part.partition:
            return bool(
                (self.used_slots[device] == 0 or self.partitioned[device])
                and self.free_partitions[device] > 0
                and self.free_partition_slots[device] >= self.blocked_by(device, part.partition)
                and self.free_cores[device] - self.beyond_cores[device] >= part.cores
                and self.free_memory[device] - self.beyond_memory[device] >= part.memory_mib
            )
        return bool(
            self.free_slots[device] > 0
            and self.free_cores[device] >= part.cores
            and self.free_memory[device] >= part.memory_mib
        )

    def blocked_by(self, device: int, partition: str) -> int:
        """Placement slots that a hard partition blocks; one that the table no longer knows blocks them all."""
        kind = self.skus[self.sku[device]]
        for template in kind.templates:
            if template.name == partition:
                return int(template.slots)
        return max(1, int(kind.partition_slots))

    def host_memory_for(self, device: int, memory_mib: int) -> int:
        """MiB of the node's RAM that one more slice of this size takes: what it has beyond the physical size."""
        beyond = int(self.beyond_memory[device])
        if beyond <= 0:
            return 0
        return max(0, memory_mib - max(0, int(self.free_memory[device]) - beyond))

    def take_device(
        self, device: int, cores: int, memory_mib: int, exclusive: bool, partition_slots: int = 0
    ) -> None:
        """Put a slice on the device. ``cores`` in percent; an exclusive one leaves no room for anybody, a hard
        partition (``partition_slots`` > 0) room for other partitions only."""
        self.change_device(device, cores, memory_mib, 1, exclusive, partition_slots)

    def give_device(
        self, device: int, cores: int, memory_mib: int, exclusive: bool, partition_slots: int = 0
    ) -> None:
        """Take a slice off the device."""
        self.change_device(device, -cores, -memory_mib, -1, exclusive, -partition_slots)

    def change_device(
        self, device: int, cores: int, memory_mib: int, slices: int, exclusive: bool, blocked: int
    ) -> None:
        """Add to what is used of the device; negative figures take away. ``blocked`` = placement slots of a hard
        partition."""
        self._device_log.append((device, cores, memory_mib, slices, exclusive, blocked))
        self._apply(device, cores, memory_mib, slices, exclusive, blocked)

    def _apply(
        self, device: int, cores: int, memory_mib: int, slices: int, exclusive: bool, blocked: int
    ) -> None:
        if self.oversubscribed:
            self._book_host_memory(device, memory_mib)
        self.free_cores[device] -= cores
        self.free_memory[device] -= memory_mib
        self.used_slots[device] += slices
        if exclusive:
            self._owners[device] += slices
            self.exclusive[device] = self._owners[device] > 0
            self.free_slots[device] -= slices * ALL_SLOTS
        elif blocked:
            self.free_partition_slots[device] -= blocked
            self.free_partitions[device] -= slices
            self.partitioned[device] = self.free_partitions[device] < self.max_slices[device]
            self.free_slots[device] -= slices * ALL_SLOTS
        else:
            self.free_slots[device] -= slices

    def _book_host_memory(self, device: int, memory_mib: int) -> None:
        beyond = int(self.beyond_memory[device])
        if beyond > 0:
            free = int(self.free_memory[device])
            swapped = max(0, beyond - free + memory_mib) - max(0, beyond - free)
            self.free_ram[self.device_node[device]] -= swapped

    def take_node(self, node: int, cpu_millis: int, memory_mib: int) -> None:
        """Put one task's host share on the node."""
        self.change_node(node, cpu_millis, memory_mib, 1)

    def change_node(self, node: int, cpu_millis: int, memory_mib: int, tasks: int) -> None:
        """Add to what is used of the node's host; negative figures take away."""
        self._node_log.append((node, cpu_millis, memory_mib, tasks))
        self.free_cpu[node] -= cpu_millis
        self.free_ram[node] -= memory_mib
        self.free_task_slots[node] -= tasks
        self.changed_nodes.append(node)

    def undo(self, mark: Mark) -> None:
        """Take back everything since the mark."""
        while len(self._device_log) > mark.devices:
            device, cores, memory_mib, slices, exclusive, blocked = self._device_log.pop()
            self._apply(device, -cores, -memory_mib, -slices, exclusive, -blocked)
        while len(self._node_log) > mark.nodes:
            node, cpu_millis, memory_mib, tasks = self._node_log.pop()
            self.free_cpu[node] += cpu_millis
            self.free_ram[node] += memory_mib
            self.free_task_slots[node] += tasks
            self.changed_nodes.append(node)

    @cached_property
    def tree(self) -> Tree:
        """The topology of the pool's nodes."""
        return Tree(self.nodes, self.policy.levels)

    def capacity(self, device_class: str) -> int:
        """Milli-cards of the class that can be scheduled or carry our work, less what others use of them."""
        counted = self.usable & self.ready[self.device_node] & ~self.node_cordoned[self.device_node]
        counted |= self.used_slots > 0
        of_class = bools(sku.device_class == device_class for sku in self.skus)[self.sku]
        return int(np.maximum(0, 1000 - self.external[counted & of_class]).sum())


def _kinds(devices: Sequence[Device]) -> tuple[Ints, list[Sku]]:
    """The kind of each device, and the kinds. Tables are told apart by identity first: they are shared."""
    kinds: dict[Sku, int] = {}
    seen: dict[tuple[str, str, str, int, int, int, int], int] = {}
    chosen = []
    for d in devices:
        key = (
            d.vendor,
            d.model,
            d.device_class,
            d.memory_mib,
            id(d.rule),
            id(d.templates),
            d.partition_slots,
        )
        kind = seen.get(key)
        if kind is None:
            sku = Sku(*key[:4], d.rule, d.templates, d.partition_slots)
            kind = seen[key] = kinds.setdefault(sku, len(kinds))
        chosen.append(kind)
    return ints(chosen), list(kinds)
