"""Running gangs: lost members are seated again first of all, extras are given last of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from vast.scheduling.arrays import Bools, ints
from vast.scheduling.budget import BudgetExhausted
from vast.scheduling.decisions import Decision, Evict, Grow, Keep, Start
from vast.scheduling.order import Line, Turns
from vast.scheduling.placement import Seated, Unseated
from vast.scheduling.scene import Scene
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import HeldJob, PendingJob, TaskGroup, Topology
from vast.scheduling.taking import Taking, Wish

Running = HeldJob | PendingJob


class Growth:
    """What running jobs, and those that start in this cycle, may still get."""

    def __init__(self, scene: Scene, taking: Taking) -> None:
        self._scene = scene
        self._taking = taking
        self._seated = scene.seated
        self._growing: dict[str, Running] = {
            job.id: job
            for job in scene.running.values()
            if scene.now - job.shrunk_at >= scene.policy.grow_after and job.id not in scene.holds
        }

    def seated(self, start: Start | Grow) -> None:
        """The job may get (more) extras in the same cycle."""
        self._seated.setdefault(start.job, set()).update(placement.task for placement in start.placements)
        job = self._scene.pending.get(start.job)
        if job is not None:
            self._growing[start.job] = job
        self._taking.world_changed()

    def lost(self, evict: Evict) -> None:
        """Who loses something gets nothing in the same cycle."""
        self._growing.pop(evict.job, None)

    def make_whole(self) -> Iterator[Decision]:
        """Seats again what running gangs lost of their minimum."""
        for job in sorted(self._scene.running.values(), key=lambda job: (job.submitted_at, job.id)):
            if job.id in self._scene.holds or not self._seated.get(job.id):
                continue
            for group in job.groups:
                lost = self._missing(job, group)[: max(0, group.minimum - self._have(job, group))]
                if lost:
                    yield from self._grow(job, replace(group, task_ids=lost, min_replicas=len(lost)))

    def extras(self) -> Iterator[Decision]:
        """One extra after the other in the order of the queues; inside a job, the group that is filled least."""
        scene = self._scene
        lines: dict[str, Line] = {}
        waiting: dict[str, list[PendingJob]] = {}
        for job in self._growing.values():
            ask = self._next_extra(job)
            if ask is not None:
                waiting.setdefault(job.queue, []).append(ask)
        for queue_id in sorted(waiting):
            if scene.ledger.closed_by(queue_id) is None:
                lines[queue_id] = Line(waiting[queue_id])
        turns = Turns(scene.ledger, scene.shares)
        for queue_id, line in lines.items():
            self._offer(turns, queue_id, line)
        while (leaf := turns.next_leaf()) is not None and not scene.budget.exhausted:
            line = lines[leaf]
            ask = line.head
            if ask is None:
                raise RuntimeError(f"queue {leaf} offered an extra that it does not have")
            granted = list(self._grow(ask, ask.groups[0], extra=True)) if ask.id in self._growing else []
            yield from granted
            grown = self._growing.get(ask.id)
            again = self._next_extra(grown) if granted and grown is not None else None
            if again is None:
                line.advance(started=True)
            else:
                line.replace_head(again)
            self._offer(turns, leaf, line)

    def _offer(self, turns: Turns, leaf: str, line: Line) -> None:
        demand = self._scene.shapes.of(line.head).demand if line.head is not None else None
        turns.offer(leaf, demand, held_changed=True)

    def _next_extra(self, job: Running) -> PendingJob | None:
        """The next extra as a job of one task."""
        open_groups = [group for group in job.groups if self._missing(job, group)]
        if not open_groups:
            return None
        group = min(
            open_groups,
            key=lambda g: (self._have(job, g) * 1_000_000 // len(g.task_ids), job.groups.index(g)),
        )
        task = self._missing(job, group)[:1]
        one = replace(group, task_ids=task, min_replicas=1)
        return PendingJob(
            job.id, job.queue, job.priority, job.submitted_at, (one,), topology=job.topology, owner=job.owner
        )

    def _have(self, job: Running, group: TaskGroup) -> int:
        seated = self._seated.get(job.id, set())
        return sum(task in seated for task in group.task_ids)

    def _missing(self, job: Running, group: TaskGroup) -> tuple[str, ...]:
        seated = self._seated.get(job.id, set())
        return tuple(task for task in group.task_ids if task not in seated)

    def _grow(self, job: Running, group: TaskGroup, *, extra: bool = False) -> Iterator[Decision]:
        scene = self._scene
        ask = PendingJob(
            job.id,
            job.queue,
            job.priority,
            job.submitted_at,
            (group,),
            topology=job.topology,
            owner=job.owner,
        )
        shape = scene.shapes.of(ask)
        rooms = scene.rooms(job.queue)
        if any(asked > rooms.get(name, asked) for name, asked in shape.least.items()):
            return
        try:
            outcome = self._seat_near(job, group, shape, rooms)
            if isinstance(outcome, Seated):
                scene.ledger.book(job.queue, outcome.charges, 1, fixed=not job.preemptible)
                self._seated.setdefault(job.id, set()).update(group.task_ids)
                yield Grow(job.id, scene.placements((group,), outcome))
            else:
                yield from self._take(ask, group, extra=extra)
        except BudgetExhausted:
            return

    def _seat_near(
        self, job: Running, group: TaskGroup, shape: JobShape, rooms: Mapping[str, int]
    ) -> Seated | Unseated:
        """In the domain of its siblings; elsewhere only where that is a wish."""
        rule = group.topology or job.topology
        near = self._domain_of_siblings(job, rule) if rule is not None else None
        outcome = self._scene.search.seat(shape, rooms, nodes=near)
        if isinstance(outcome, Unseated) and near is not None and rule is not None and not rule.required:
            outcome = self._scene.search.seat(shape, rooms)
        return outcome

    def _domain_of_siblings(self, job: Running, rule: Topology) -> Bools | None:
        tree, state = self._scene.state.tree, self._scene.state
        depth = tree.depth_of(rule.level)
        seats = [
            self._scene.held_tasks[task]
            for task in self._seated.get(job.id, ())
            if task in self._scene.held_tasks
        ]
        if depth is None or not seats or rule.chunk:
            return None
        nodes = ints(sorted(state.node_index[seat.node] for seat in seats))
        counts = np.bincount(tree.domains_of(nodes, depth))
        return tree.mask(depth, int(counts.argmax()))

    def _take(self, ask: PendingJob, group: TaskGroup, *, extra: bool) -> Iterator[Decision]:
        wish = Wish(ask.id, ask.queue, ask.priority, True, self._scene.shapes.of(ask), extra=extra)
        for decision in self._taking.decisions(wish, (group,)):
            if isinstance(decision, Start):
                yield Grow(decision.job, decision.placements)
            else:
                yield decision
            if isinstance(decision, Evict):
                self.lost(decision)
            if isinstance(decision, Start | Keep):
                self._seated.setdefault(ask.id, set()).update(group.task_ids)
