"""The domains of a pool (zone, rack, ..., node) as a tree over the nodes, and how a number of equal things is laid
out over it: inside the smallest domain that holds them all, else in as few as possible.

A *depth* counts from 0, the whole pool, over the pool's levels, widest first, to the single nodes. Nodes are
numbered anew by their *place*: those of one domain lie side by side, at every depth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vast.scheduling.arrays import Bools, Ints, ints
from vast.scheduling.snapshot import Node

NODE = "node"

Path = tuple[tuple[int, str], ...]


class Tree:
    """``levels`` are the pool's, widest first, with "node" at the end; ``node_at`` gives the node of each place."""

    def __init__(self, nodes: Sequence[Node], levels: Sequence[str]) -> None:
        self.levels = (*(level for level in levels if level != NODE), NODE)
        self.deepest = len(self.levels)
        paths = [_path(node, self.levels) for node in nodes]
        ordered = sorted(range(len(nodes)), key=lambda n: (paths[n], n))
        self.node_at = ints(ordered)
        self.place_of = np.empty(len(nodes), dtype=np.int64)
        self.place_of[self.node_at] = np.arange(len(nodes), dtype=np.int64)
        placed = [paths[n] for n in ordered]
        self.starts = [_starts(placed, depth) for depth in range(self.deepest)]
        self.starts.append(np.arange(len(nodes), dtype=np.int64))
        self._names = [[placed[s][:depth] for s in self.starts[depth]] for depth in range(self.deepest)]
        self._node_names = [nodes[n].name for n in ordered]

    def depth_of(self, level: str) -> int | None:
        """The depth of a level by its name; None = the pool does not have it."""
        return self.levels.index(level) + 1 if level in self.levels else None

    def count(self, depth: int) -> int:
        """How many domains there are at the depth."""
        return len(self.starts[depth])

    def sums(self, per_node: Ints, depth: int) -> Ints:
        """The sum over the nodes of each domain, domains by place."""
        placed = per_node[self.node_at]
        if depth == self.deepest or not len(placed):
            return placed
        return np.add.reduceat(placed, self.starts[depth])

    def domains_of(self, nodes: Ints, depth: int) -> Ints:
        """The domain of each node at the depth."""
        found: Ints = np.searchsorted(self.starts[depth], self.place_of[nodes], side="right") - 1
        return found

    def mask(self, depth: int, domain: int) -> Bools:
        """The nodes of one domain."""
        chosen = np.zeros(len(self.node_at), dtype=np.bool_)
        chosen[self.nodes(depth, domain)] = True
        return chosen

    def nodes(self, depth: int, domain: int) -> Ints:
        """The nodes of one domain, by place."""
        starts = self.starts[depth]
        end = int(starts[domain + 1]) if domain + 1 < len(starts) else len(self.node_at)
        return self.node_at[int(starts[domain]) : end]

    def children(self, depth: int, domain: int) -> range:
        """The domains one depth further down that make up this one."""
        starts, below = self.starts[depth], self.starts[depth + 1]
        end = int(starts[domain + 1]) if domain + 1 < len(starts) else len(self.node_at)
        first = int(np.searchsorted(below, starts[domain]))
        return range(first, int(np.searchsorted(below, end)))

    def above(self, depth: int, domain: int, wider: int) -> int:
        """The domain at the wider depth that this one is part of."""
        return int(np.searchsorted(self.starts[wider], self.starts[depth][domain], side="right")) - 1

    def name(self, depth: int, domain: int) -> str:
        """For people: ``b1/r2``; nodes by their own name."""
        if depth == self.deepest:
            return self._node_names[domain]
        return "/".join(name for known, name in self._names[depth][domain] if not known) or "*"


def _path(node: Node, levels: Sequence[str]) -> Path:
    """The node's domains, widest first. Where one is not told, nodes that share the next one below share this one
    too; a node of which nothing is told below is a domain by itself."""
    path: list[tuple[int, str]] = []
    below = f"{NODE}:{node.id}"
    for level in reversed(levels[:-1]):
        domain = node.domains.get(level, "")
        path.append((0, domain) if domain else (1, below))
        below = f"{level}:{domain}" if domain else below
    return tuple(reversed(path))


def _starts(placed: Sequence[Path], depth: int) -> Ints:
    return ints(i for i in range(len(placed)) if i == 0 or placed[i][:depth] != placed[i - 1][:depth])


class Layout:
    """Room for equal things, counted in the domains of depth ``leaf`` (by place), and where a number of them goes."""

    def __init__(self, tree: Tree, leaf: int, room: Ints) -> None:
        self._tree = tree
        self._leaf = leaf
        self._rooms = {leaf: room}
        for depth in range(leaf):
            at = np.searchsorted(tree.starts[leaf], tree.starts[depth])
            self._rooms[depth] = np.add.reduceat(room, at) if len(room) else room

    def room(self, depth: int) -> Ints:
        """How many the domains of a depth hold."""
        return self._rooms[depth]

    def choose(self, count: int, widest: int, *, asked: int, extras: int = 0) -> list[tuple[int, int]] | None:
        """(leaf domain, how many) by place: inside the smallest domain that holds all, deepest first, up to depth
        ``widest``. Among several the tightest, then one in whose surroundings at depth ``asked`` the extras could
        follow. None = no domain of ``widest`` holds them all."""
        for depth in range(self._leaf, widest - 1, -1):
            rooms = self._rooms[depth]
            holding = np.flatnonzero(rooms >= count)
            if len(holding):
                tightest = holding[rooms[holding] == rooms[holding].min()].tolist()
                domain = next(
                    (d for d in tightest if self._around(depth, d, asked) >= count + extras), tightest[0]
                )
                counts: list[tuple[int, int]] = []
                self._descend(depth, domain, count, counts)
                return sorted(counts)
        return None

    def _around(self, depth: int, domain: int, asked: int) -> int:
        wider = min(depth, asked)
        return int(self._rooms[wider][self._tree.above(depth, domain, wider)])

    def _descend(self, depth: int, domain: int, count: int, counts: list[tuple[int, int]]) -> None:
        if depth == self._leaf:
            counts.append((domain, count))
            return
        below = self._tree.children(depth, domain)
        rooms = self._rooms[depth + 1][below.start : below.stop]
        for child, share in portions(rooms, count):
            self._descend(depth + 1, below.start + child, share, counts)


def portions(rooms: Ints, count: int) -> list[tuple[int, int]]:
    """(index, how many) so that few rooms are used: the largest are filled first, the last one is the smallest
    that holds the rest. The rooms must hold the count together."""
    order = np.argsort(-rooms, kind="stable")
    falling = rooms[order]
    chosen: list[tuple[int, int]] = []
    for i in range(len(order)):
        if falling[i] >= count:
            tight = int(np.searchsorted(-falling, -count, side="right")) - 1
            first = int(np.searchsorted(-falling, -falling[tight], side="left"))
            return [*chosen, (int(order[max(i, first)]), count)]
        chosen.append((int(order[i]), int(falling[i])))
        count -= int(falling[i])
    raise ValueError(f"{count} more than the rooms hold")
