"""Where in the network the tasks of a gang go: plans over domains, the smallest first, to be tried with real seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vast.common.reasons import Reason
from vast.scheduling.arrays import Bools, Ints
from vast.scheduling.asks import Ask
from vast.scheduling.counts import tasks_per_node
from vast.scheduling.shapes import GroupShape, JobShape
from vast.scheduling.snapshot import Topology
from vast.scheduling.state import PoolState
from vast.scheduling.topology import Layout

# Domains of one level that a gang of several groups is tried in, the tightest first.
MOST_TRIES = 16
MOST_REASONS = 8
# More tasks than any node takes; the room itself is wanted, to find the tightest domain.
NO_BOUND = 1 << 20


@dataclass(frozen=True, slots=True)
class Portion:
    """So many consecutive ranks on the nodes that are not ``outside`` (None = anywhere)."""

    tasks: int
    outside: Bools | None


# By group: its portions in rank order; None = anywhere.
Plan = Mapping[int, Sequence[Portion] | None]


class Layouts:
    """Plans for one gang on the pool as it is now."""

    def __init__(self, state: PoolState, shape: JobShape) -> None:
        self._state = state
        self._tree = state.tree
        self._shape = shape

    def plans(self, avoid: Bools | None) -> Iterator[Plan]:
        """In the order in which they should be tried; each holds the gang as far as counting can tell."""
        shape = self._shape
        if shape.topology is not None and len(shape.groups) > 1:
            yield from self._together(shape.topology, avoid)
            return
        plan: dict[int, Sequence[Portion] | None] = {}
        for index, group in enumerate(shape.groups):
            rule = group.topology or shape.topology
            if rule is None:
                plan[index] = None
                continue
            portions = self._portions(group, rule, avoid)
            if portions is None:
                return
            plan[index] = portions
        yield plan

    def shortage(self, avoid: Bools | None) -> tuple[int, tuple[Reason, ...]]:
        """How many tasks the best domain of a required level holds, and a reason for each of the best domains."""
        shape = self._shape
        group = next((g for g in shape.groups if (g.topology or shape.topology) is not None), shape.groups[0])
        rule = group.topology or shape.topology
        depth = None if rule is None else self._tree.depth_of(rule.level)
        if rule is None or depth is None:
            level = rule.level if rule else ""
            known = ", ".join(self._tree.levels)
            return 0, (Reason("NO_SUCH_LEVEL", {"level": level, "levels": known}),)
        wanted = rule.chunk or (group.tasks if len(shape.groups) == 1 else shape.tasks)
        rooms = self._tree.sums(self._rooms(group, group.asks, avoid), depth)
        order = np.argsort(-rooms, kind="stable")[:MOST_REASONS].tolist()
        reasons = tuple(
            Reason(
                "TOPOLOGY_TOO_SMALL",
                {
                    "level": rule.level,
                    "domain": self._tree.name(depth, domain),
                    "room": int(rooms[domain]),
                    "wanted": wanted,
                },
            )
            for domain in order
        )
        best = int(rooms.max(initial=0))
        placed = int((rooms // rule.chunk).sum()) * rule.chunk if rule.chunk else best
        return min(placed, shape.tasks - 1), reasons

    def _rooms(self, group: GroupShape, asks: Sequence[Ask], avoid: Bools | None) -> Ints:
        rooms = tasks_per_node(self._state, asks, NO_BOUND, apart=group.spread_devices)
        return rooms if avoid is None else np.where(avoid, 0, rooms)

    def _portions(self, group: GroupShape, rule: Topology, avoid: Bools | None) -> list[Portion] | None:
        """For tasks that are all alike: counted over the domains, exact alternatives first."""
        depth = self._tree.depth_of(rule.level)
        if depth is None:
            return None
        choices = [[ask] for ask in group.asks]
        for asks in choices if len(choices) == 1 else [*choices, list(group.asks)]:
            rooms = self._rooms(group, asks, avoid)
            found = (
                self._by_chunks(rooms, group.tasks, rule, depth)
                if rule.chunk
                else self._by_domains(rooms, group.tasks, rule, depth)
            )
            if found is not None:
                return found
        return None

    def _by_domains(self, rooms: Ints, tasks: int, rule: Topology, depth: int) -> list[Portion] | None:
        tree = self._tree
        layout = Layout(tree, tree.deepest, tree.sums(rooms, tree.deepest))
        widest = depth if rule.required else 0
        chosen = layout.choose(tasks, widest, asked=depth)
        if chosen is None:
            return None
        return [Portion(count, ~tree.mask(tree.deepest, place)) for place, count in chosen]

    def _by_chunks(self, rooms: Ints, tasks: int, rule: Topology, depth: int) -> list[Portion] | None:
        """Whole chunks per domain of the level; those of one domain side by side."""
        tree = self._tree
        per_domain = tree.sums(rooms, depth)
        chunks, rest = divmod(tasks, rule.chunk)
        layout = Layout(tree, depth, per_domain // rule.chunk)
        chosen = layout.choose(chunks, 0, asked=0) if chunks else []
        if chosen is None:
            return None
        counts = {domain: count * rule.chunk for domain, count in chosen}
        if rest:
            room = per_domain.copy()
            for domain, count in counts.items():
                room[domain] -= count
            fitting = np.flatnonzero(room >= rest)
            if not len(fitting):
                return None
            last = int(fitting[room[fitting].argmin()])
            counts[last] = counts.get(last, 0) + rest
        portions: list[Portion] = []
        for domain, count in counts.items():
            inside = np.where(tree.mask(depth, domain), rooms, 0)
            layout = Layout(tree, tree.deepest, tree.sums(inside, tree.deepest))
            placed = layout.choose(count, depth, asked=depth)
            if placed is None:
                return None
            portions += [Portion(number, ~tree.mask(tree.deepest, place)) for place, number in placed]
        return portions

    def _together(self, rule: Topology, avoid: Bools | None) -> Iterator[Plan]:
        """For a gang of different roles: single domains that could hold it, the deepest and tightest first."""
        tree, shape = self._tree, self._shape
        depth = tree.depth_of(rule.level)
        if depth is None:
            return
        rooms = [self._rooms(group, group.asks, avoid) for group in shape.groups]
        for level in range(tree.deepest, (depth if rule.required else 1) - 1, -1):
            sums = [tree.sums(room, level) for room in rooms]
            holds = np.logical_and.reduce(
                [total >= group.tasks for total, group in zip(sums, shape.groups, strict=True)]
            )
            spare = np.add.reduce(sums)
            candidates = np.flatnonzero(holds)
            for domain in candidates[np.argsort(spare[candidates], kind="stable")][:MOST_TRIES].tolist():
                outside = ~tree.mask(level, domain)
                yield {index: [Portion(group.tasks, outside)] for index, group in enumerate(shape.groups)}
