"""Jobs that ask for the same thing share one shape: resolved once, searched once, explained once per
cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vast.scheduling.arrays import Bools, ints
from vast.scheduling.asks import Ask, asks_for
from vast.scheduling.snapshot import PendingJob, Request, TaskGroup, Topology
from vast.scheduling.state import PoolState


@dataclass(frozen=True, slots=True)
class GroupShape:
    """One task group without its names. ``matching`` = number of devices in the pool that could serve it."""

    name: str
    tasks: int
    asks: tuple[Ask, ...]
    spread_nodes: bool
    spread_devices: bool
    matching: int
    topology: Topology | None = None

    @property
    def request(self) -> Request:
        return self.asks[0].request

    @property
    def weight(self) -> tuple[bool, bool, int, int]:
        """How hard a task of the group is to place: whole cards before slices, what spreads over cards before
        what may share them, many before few, large before small."""
        needs = [need for ask in self.asks for need, fits in zip(ask.needs, ask.fits, strict=True) if fits]
        devices = self.request.devices
        whole = devices > 0 and any(need.whole for need in needs)
        return (
            whole,
            self.spread_devices,
            devices,
            max((need.charge for need in needs), default=0) * min(1, devices),
        )

    def placeable(self, state: PoolState) -> bool:
        """Whether some node that may be used has enough devices for one task, all of them empty."""
        for ask in self.asks:
            counts = np.add.reduceat(ask.fits[state.sku] & state.usable, state.bank_start, dtype=np.int64)
            if ((counts >= ask.devices) & ask.node_allowed[state.bank_node]).any():
                return True
        return False

    @property
    def wants_several_slices(self) -> bool:
        return self.request.devices > 1 and not all(ask.only_whole for ask in self.asks)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to go through a gang: the groups in this order, with or without the wishes."""

    order: tuple[int, ...]
    spread_nodes: bool = True
    roomiest: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class JobShape:
    """What the engine needs to know of a job, but for its names and its queue.

    ``demand`` (class -> milli-cards) is what the job counts for in the order: its first alternatives.
    ``least`` is what it takes at least of a class, where no alternative leads into another class.
    """

    groups: tuple[GroupShape, ...]
    avoid: Bools | None
    attempts: tuple[Attempt, ...]
    demand: dict[str, int] = field(default_factory=dict)
    least: dict[str, int] = field(default_factory=dict)
    topology: Topology | None = None

    @property
    def tasks(self) -> int:
        return sum(group.tasks for group in self.groups)

    @property
    def classes(self) -> tuple[str, ...]:
        """Every class in which some alternative of some group could be placed."""
        return tuple(
            sorted({name for group in self.groups for ask in group.asks for name in ask.least_charge})
        )

    @property
    def ruled(self) -> bool:
        """Seats must satisfy more than room: topology, links."""
        return (
            self.topology is not None
            or any(group.topology is not None for group in self.groups)
            or any(ask.must_link for group in self.groups for ask in group.asks)
        )

    def required_domains(self, state: PoolState) -> list[Bools] | None:
        """The domains (as masks over nodes) of which one must hold the whole gang; None = no such rule."""
        rule = self.topology or (self.groups[0].topology if len(self.groups) == 1 else None)
        if rule is None or not rule.required or rule.chunk:
            return None
        depth = state.tree.depth_of(rule.level)
        if depth is None:
            return []
        return [state.tree.mask(depth, domain) for domain in range(state.tree.count(depth))]

    def only(self, indices: Sequence[int]) -> JobShape:
        """The same job with these groups alone."""
        groups = tuple(self.groups[i] for i in indices)
        return JobShape(groups, self.avoid, _attempts(groups), topology=self.topology)

    @property
    def unmatched(self) -> GroupShape | None:
        """A group for which the pool has no device of a wanted model at all."""
        return next(
            (g for g in self.groups if g.request.devices and not any(ask.matches.any() for ask in g.asks)),
            None,
        )


class Shapes:
    """Finds the shape of a job; equal jobs get the same object."""

    def __init__(self, state: PoolState) -> None:
        self._state = state
        self._shapes: dict[tuple[object, ...], JobShape] = {}
        self._asks: dict[tuple[object, ...], tuple[Ask, ...]] = {}
        self._devices_of_sku = np.bincount(state.sku, minlength=len(state.skus))

    def of(self, job: PendingJob) -> JobShape:
        avoid = tuple(sorted(job.avoid_nodes & self._state.node_index.keys())) if job.avoid_nodes else ()
        groups = job.groups
        key = (avoid, job.topology, *(_group_key(group) for group in groups))
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = self._resolve(groups, avoid, job.topology)
        return shape

    def _resolve(
        self, groups: tuple[TaskGroup, ...], avoid: tuple[str, ...], topology: Topology | None
    ) -> JobShape:
        resolved = tuple(self._resolve_group(group) for group in groups)
        mask = None
        if avoid:
            mask = np.zeros(len(self._state.nodes), dtype=np.bool_)
            mask[ints(self._state.node_index[node] for node in avoid)] = True
        demand: dict[str, int] = {}
        least: dict[str, int] = {}
        for group in resolved:
            first = next((ask.order_charge for ask in group.asks if ask.order_charge), None)
            if first is not None:
                demand[first[0]] = demand.get(first[0], 0) + first[1] * group.tasks
            classes = {name for ask in group.asks for name in ask.least_charge}
            if len(classes) == 1:
                (name,) = classes
                charge = min(ask.least_charge[name] for ask in group.asks if ask.least_charge)
                least[name] = least.get(name, 0) + charge * group.tasks
        return JobShape(resolved, mask, _attempts(resolved), demand, least, topology)

    def _resolve_group(self, group: TaskGroup) -> GroupShape:
        key = _request_key(group.request)
        asks = self._asks.get(key)
        if asks is None:
            asks = self._asks[key] = tuple(asks_for(self._state, group.request))
        fits = np.logical_or.reduce([ask.fits for ask in asks])
        return GroupShape(
            name=group.name,
            tasks=group.minimum,
            asks=asks,
            spread_nodes=group.node_strategy == "spread",
            spread_devices=group.device_strategy == "spread",
            matching=int(self._devices_of_sku[fits].sum()),
            topology=group.topology,
        )


def _attempts(groups: tuple[GroupShape, ...]) -> tuple[Attempt, ...]:
    """Hardest group first; if that fails, the scarcest devices first; last, wishes given up for room."""
    indices = range(len(groups))
    hardest = tuple(sorted(indices, key=lambda i: (*(-int(part) for part in groups[i].weight), i)))
    scarcest = tuple(sorted(indices, key=lambda i: (groups[i].matching, hardest.index(i))))
    gives_up_spread = len(groups) > 1 and any(group.spread_nodes for group in groups)
    gives_up_packing = any(group.wants_several_slices for group in groups)
    tries = [Attempt(hardest), Attempt(scarcest)]
    if sum(group.tasks for group in groups) > 1:
        tries.append(Attempt(scarcest, spread_nodes=not gives_up_spread, roomiest=gives_up_packing))
    return tuple(dict.fromkeys(tries))


def _group_key(group: TaskGroup) -> tuple[object, ...]:
    return (
        group.name,
        group.minimum,
        group.node_strategy,
        group.device_strategy,
        group.topology,
        _request_key(group.request),
    )


def _request_key(request: Request) -> tuple[object, ...]:
    return (
        request.devices,
        request.cores,
        request.memory_mib,
        request.memory_percent,
        request.exclusive,
        request.cpu_millis,
        request.host_memory_mib,
        request.needs_simulated,
        request.isolation,
        request.sharing,
        request.partition,
        request.link,
        request.link_required,
        *(
            (a.vendor, a.model, a.device_class, a.memory_mib, *sorted(a.labels.items()))
            for a in request.alternatives
        ),
    )
