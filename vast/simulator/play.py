"""A world in which the engine's decisions come true at once: what starts runs, what is told to stop is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from vast.scheduling.decisions import Decision, Evict, Grow, Keep, Release, Reserve, Start, Wait
from vast.scheduling.snapshot import (
    HeldJob,
    HeldTask,
    Hold,
    Node,
    PendingJob,
    Placement,
    Pool,
    Queue,
    Reservation,
    Snapshot,
    TaskGroup,
)

HOUR = 3600


@dataclass
class Play:
    """The moving part of a world. Ids as in the snapshot; times in seconds.

    ``originals`` remembers what was submitted, so that an evicted job waits as it did before. ``stopping`` tasks stay
    until ``gone`` is called, when victims do not leave at once.
    """

    nodes: tuple[Node, ...]
    queues: tuple[Queue, ...]
    pools: tuple[Pool, ...] = ()
    pending: dict[str, PendingJob] = field(default_factory=dict)
    running: dict[str, HeldJob] = field(default_factory=dict)
    tasks: dict[str, dict[str, HeldTask]] = field(default_factory=dict)
    holds: dict[str, Hold] = field(default_factory=dict)
    reservations: dict[str, Reservation] = field(default_factory=dict)
    originals: dict[str, PendingJob] = field(default_factory=dict)
    losses: dict[str, tuple[int, ...]] = field(default_factory=dict)
    waits: dict[str, Wait] = field(default_factory=dict)
    leaves_at_once: bool = True

    @classmethod
    def of(cls, snapshot: Snapshot, *, leaves_at_once: bool = True) -> Play:
        """Continue from a snapshot."""
        play = cls(snapshot.nodes, snapshot.queues, snapshot.pools, leaves_at_once=leaves_at_once)
        for job in snapshot.pending:
            play.submit(job)
        play.running = {job.id: job for job in snapshot.jobs}
        for held in snapshot.jobs:
            play.originals[held.id] = _as_submitted(held)
            play.losses[held.id] = held.evicted_at
        for task in snapshot.held:
            play.tasks.setdefault(task.job, {})[task.task] = task
        play.holds = {hold.job: hold for hold in snapshot.holds}
        play.reservations = {reservation.job: reservation for reservation in snapshot.reservations}
        return play

    def submit(self, job: PendingJob) -> None:
        self.pending[job.id] = self.originals[job.id] = job

    def snapshot(self) -> Snapshot:
        return Snapshot(
            nodes=self.nodes,
            queues=self.queues,
            held=tuple(task for tasks in self.tasks.values() for task in tasks.values()),
            pending=tuple(self.pending.values()),
            jobs=tuple(self.running.values()),
            holds=tuple(self.holds.values()),
            reservations=tuple(self.reservations.values()),
            pools=self.pools,
        )

    def end(self, job: str) -> None:
        """The job has finished, or was cancelled."""
        for known in (self.running, self.tasks, self.pending, self.holds, self.reservations):
            known.pop(job, None)

    def gone(self) -> None:
        """Everything that was told to stop has stopped."""
        for job in list(self.tasks):
            self._drop(job, [task.task for task in self.tasks[job].values() if task.stopping])
            if job not in self.tasks and job not in self.pending and job not in self.running:
                self.pending[job] = self.originals[job]

    def lose_nodes(self, names: Iterable[str]) -> None:
        """The tasks on these nodes are gone; a job without its minimum waits again, whole."""
        lost = set(names)
        for job in list(self.tasks):
            dead = [task.task for task in self.tasks[job].values() if task.node in lost]
            if dead:
                self._drop(job, dead)
            if dead and job in self.running and job not in self.tasks:
                del self.running[job]
                self.pending[job] = self.originals[job]

    def apply(self, decisions: Iterable[Decision], now: int) -> None:
        """Let all decisions of one cycle come true."""
        self.waits = {}
        for decision in decisions:
            match decision:
                case Start():
                    self._start(decision, now)
                case Grow():
                    self._grow(decision)
                case Evict():
                    self._evict(decision, now)
                case Keep():
                    self._keep(decision, now)
                case Release():
                    self._release(decision, now)
                case Reserve():
                    job = self.originals[decision.job]
                    self.reservations[job.id] = Reservation(
                        job.id, job.queue, decision.seats, decision.starts_at, now
                    )
                case Wait():
                    self.waits[decision.job] = decision

    def _start(self, start: Start, now: int) -> None:
        job = self.pending.pop(start.job)
        self.holds.pop(job.id, None)
        self.reservations.pop(job.id, None)
        self.running[job.id] = _as_running(job, now, self.losses.get(job.id, ()))
        self._seat(job.queue, job.id, job.groups, start.placements)

    def _grow(self, grow: Grow) -> None:
        job = self.running[grow.job]
        self.holds.pop(job.id, None)
        self._seat(job.queue, job.id, job.groups, grow.placements)

    def _seat(
        self, queue: str, job: str, groups: Iterable[TaskGroup], placements: Iterable[Placement]
    ) -> None:
        group_of = _groups(groups)
        for p in placements:
            self.tasks.setdefault(job, {})[p.task] = HeldTask(
                p.task, job, group_of[p.task], queue, p.node, p.slices, p.cpu_millis, p.host_memory_mib
            )

    def _evict(self, evict: Evict, now: int) -> None:
        recent = tuple(at for at in self.losses.get(evict.job, ()) if now - at < HOUR)
        self.losses[evict.job] = (*recent, now)
        if evict.whole:
            self.running.pop(evict.job, None)
        else:
            self.running[evict.job] = replace(
                self.running[evict.job], shrunk_at=now, evicted_at=self.losses[evict.job]
            )
        if self.leaves_at_once:
            self._drop(evict.job, evict.tasks)
            if evict.whole:
                self.pending[evict.job] = self.originals[evict.job]
            return
        tasks = self.tasks[evict.job]
        for task in evict.tasks:
            tasks[task] = replace(tasks[task], stopping=True)

    def _drop(self, job: str, tasks: Iterable[str]) -> None:
        mine = self.tasks[job]
        for task in tasks:
            del mine[task]
        if not mine:
            del self.tasks[job]

    def _keep(self, keep: Keep, now: int) -> None:
        self.reservations.pop(keep.job, None)
        queue = self.originals[keep.job].queue
        self.holds[keep.job] = Hold(keep.job, queue, keep.seats, now, keep.victims, keep.rule)

    def _release(self, release: Release, now: int) -> None:
        self.holds.pop(release.job, None)
        self.reservations.pop(release.job, None)


def _groups(groups: Iterable[TaskGroup]) -> Mapping[str, str]:
    return {task: group.name for group in groups for task in group.task_ids}


def _as_running(job: PendingJob, now: int, losses: tuple[int, ...]) -> HeldJob:
    return HeldJob(
        id=job.id,
        queue=job.queue,
        priority=job.priority,
        submitted_at=job.submitted_at,
        groups=job.groups,
        preemptible=job.preemptible,
        movable=job.movable,
        checkpoints=job.checkpoints,
        started_at=now,
        max_runtime=job.max_runtime,
        evicted_at=losses,
        owner=job.owner,
        topology=job.topology,
    )


def _as_submitted(job: HeldJob) -> PendingJob:
    return PendingJob(
        id=job.id,
        queue=job.queue,
        priority=job.priority,
        submitted_at=job.submitted_at,
        groups=job.groups,
        preemptible=job.preemptible,
        movable=job.movable,
        checkpoints=job.checkpoints,
        max_runtime=job.max_runtime,
        owner=job.owner,
        topology=job.topology,
    )
