"""A small language for worlds: ``World().node("a", cards=2).queue("q", limit=1).job("j", cores=50)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision, Evict, Grow, Keep, Reserve, Start, Wait
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import (
    Alternative,
    Device,
    HeldJob,
    HeldSlice,
    HeldTask,
    Hold,
    Node,
    PendingJob,
    Pool,
    Queue,
    Quota,
    Request,
    Reservation,
    Snapshot,
    TaskGroup,
)
from vast.vendors.base import SliceRule

NOW = 10_000
BUDGET = 10_000_000
CARD_MIB = 81_920
CARD_CLASS = "nvidia-80g"


def group(
    name: str = "main",
    tasks: int = 1,
    *,
    spread_nodes: bool = False,
    spread_devices: bool = False,
    **request: Any,
) -> tuple[str, int, bool, bool, Request]:
    """A task group of a job still without its name; other arguments are fields of the request."""
    return name, tasks, spread_nodes, spread_devices, Request(**request)


def milli(cards: float | None) -> int | None:
    return None if cards is None else round(cards * 1000)


@dataclass
class World:
    """Builds a snapshot step by step; every step returns the world itself."""

    nodes: list[Node] = field(default_factory=list)
    queues: list[Queue] = field(default_factory=list)
    held: list[HeldTask] = field(default_factory=list)
    pending: list[PendingJob] = field(default_factory=list)
    jobs: list[HeldJob] = field(default_factory=list)
    kept: list[Hold] = field(default_factory=list)
    reserved: list[Reservation] = field(default_factory=list)
    policies: list[Pool] = field(default_factory=list)

    def node(
        self,
        name: str,
        cards: int = 1,
        *,
        vendor: str = "nvidia",
        model: str = "A100",
        device_class: str = CARD_CLASS,
        memory_mib: int = CARD_MIB,
        max_slices: int = 100,
        rule: SliceRule | None = None,
        links: int = 1,
        unhealthy: int = 0,
        pool: str = "p",
        cpu_millis: int = 64_000,
        host_memory_mib: int = 524_288,
        task_slots: int = 1000,
        **more: Any,
    ) -> World:
        devices = tuple(
            Device(
                id=f"{name}-{i}",
                vendor=vendor,
                model=model,
                device_class=device_class,
                memory_mib=memory_mib,
                max_slices=max_slices,
                rule=rule or SliceRule(),
                healthy=i >= unhealthy,
                link_group=str(i * links // cards),
            )
            for i in range(cards)
        )
        self.nodes.append(Node(name, name, pool, cpu_millis, host_memory_mib, task_slots, devices, **more))
        return self

    def queue(
        self,
        name: str,
        *,
        parent: str | None = None,
        guaranteed: float = 0,
        limit: float | None = None,
        device_class: str = CARD_CLASS,
        pool: str = "p",
        quotas: Mapping[str, Quota] | None = None,
        **more: Any,
    ) -> World:
        given = Quota(guaranteed=milli(guaranteed) or 0, limit=milli(limit))
        self.queues.append(Queue(name, name, pool, parent, quotas=quotas or {device_class: given}, **more))
        return self

    def job(
        self,
        name: str,
        *groups: tuple[str, int, bool, bool, Request],
        queue: str = "q",
        priority: int = 0,
        tasks: int = 1,
        not_before: int = 0,
        avoid: tuple[str, ...] = (),
        minimum: int | None = None,
        job: Mapping[str, Any] | None = None,
        **request: Any,
    ) -> World:
        """``job`` = more fields of the pending job; other arguments are fields of the request."""
        shaped = groups or (group("main", tasks, **request),)
        self.pending.append(
            PendingJob(
                id=name,
                queue=queue,
                priority=priority,
                submitted_at=len(self.pending),
                not_before=not_before,
                avoid_nodes=frozenset(avoid),
                groups=tuple(
                    TaskGroup(
                        group_name,
                        tuple(f"{name}/{group_name}/{i}" for i in range(count)),
                        asked,
                        "spread" if spread_nodes else "pack",
                        "spread" if spread_devices else "pack",
                        minimum,
                    )
                    for group_name, count, spread_nodes, spread_devices, asked in shaped
                ),
                **(job or {}),
            )
        )
        return self

    def holds(
        self,
        device: str,
        *,
        queue: str = "q",
        cores: int = 100,
        memory_mib: int = CARD_MIB,
        exclusive: bool = False,
        stopping: bool = False,
    ) -> World:
        charge = 1000 if exclusive else max(1, cores * 10, memory_mib * 1000 // CARD_MIB)
        part = HeldSlice(device, cores, memory_mib, exclusive, charge)
        node = next(node.id for node in self.nodes for d in node.devices if d.id == device)
        task = f"held-{len(self.held)}"
        self.held.append(HeldTask(task, task, "main", queue, node, (part,), stopping=stopping))
        return self

    def running(
        self,
        name: str,
        *tasks: str | tuple[str, ...],
        queue: str = "q",
        priority: int = 0,
        cores: int | None = None,
        minimum: int | None = None,
        replicas: int | None = None,
        started: int | None = NOW - 1000,
        **more: Any,
    ) -> World:
        """A job that runs: each of ``tasks`` holds these devices, whole or ``cores`` percent of each. ``minimum`` and
        ``replicas`` of its one group, which are otherwise its tasks."""
        each = [(devices,) if isinstance(devices, str) else devices for devices in tasks]
        percent = cores or 100
        size = CARD_MIB * percent // 100
        request = Request(
            devices=len(each[0]), cores=cores, memory_mib=size if cores else None, exclusive=not cores
        )
        ids = tuple(f"{name}/{i}" for i in range(replicas or len(each)))
        for task, devices in zip(ids, each, strict=False):
            parts = tuple(HeldSlice(device, percent, size, not cores, percent * 10) for device in devices)
            node = next(node.id for node in self.nodes for d in node.devices if d.id == devices[0])
            self.held.append(HeldTask(task, name, "main", queue, node, parts))
        shape = TaskGroup("main", ids, request, min_replicas=minimum)
        self.jobs.append(HeldJob(name, queue, priority, len(self.jobs), (shape,), started_at=started, **more))
        return self

    def keeps_reserved(self, job: str, outcome: Outcome) -> World:
        """The reservation that the job got in an earlier cycle still stands."""
        made = outcome.reservation(job)
        queue = next(pending.queue for pending in self.pending if pending.id == job)
        self.reserved.append(Reservation(job, queue, made.seats, made.starts_at, NOW))
        return self

    def snapshot(self) -> Snapshot:
        queues = self.queues or World().queue("q").queues
        return Snapshot(
            tuple(self.nodes),
            tuple(queues),
            tuple(self.held),
            tuple(self.pending),
            jobs=tuple(self.jobs),
            holds=tuple(self.kept),
            reservations=tuple(self.reserved),
            pools=tuple(self.policies),
        )

    def decide(self, budget: int = BUDGET) -> Outcome:
        return Outcome(list(decide(self.snapshot(), NOW, budget)))


@dataclass
class Outcome:
    """The decisions, by what a story wants to know of them."""

    decisions: list[Decision]

    @property
    def started(self) -> list[str]:
        return [d.job for d in self.decisions if isinstance(d, Start)]

    @property
    def waiting(self) -> list[str]:
        return [d.job for d in self.decisions if isinstance(d, Wait)]

    @property
    def evicted(self) -> dict[str, str]:
        """The rule under which each job loses all or some of its tasks."""
        return {d.job: d.rule for d in self.decisions if isinstance(d, Evict)}

    @property
    def lost(self) -> dict[str, tuple[str, ...]]:
        """The tasks that each job loses."""
        return {d.job: d.tasks for d in self.decisions if isinstance(d, Evict)}

    def kept(self, job: str) -> list[list[str]]:
        """The devices that are held for each task of the job."""
        keep = next(d for d in self.decisions if isinstance(d, Keep) and d.job == job)
        return [[part.device for part in seat.slices] for seat in keep.seats]

    def reservation(self, job: str) -> Reserve:
        return next(d for d in self.decisions if isinstance(d, Reserve) and d.job == job)

    def grown(self, job: str) -> int:
        return sum(len(d.placements) for d in self.decisions if isinstance(d, Grow) and d.job == job)

    def wait(self, job: str) -> Wait:
        return next(d for d in self.decisions if isinstance(d, Wait) and d.job == job)

    def reason(self, job: str) -> Reason:
        return self.wait(job).reason

    def evidence(self, job: str) -> dict[str, Mapping[str, Any]]:
        return {item.code: item.params for item in self.reason(job).evidence}

    def nodes(self, job: str) -> list[str]:
        return [placement.node for placement in self.start(job).placements]

    def devices(self, job: str) -> list[list[str]]:
        return [[part.device for part in placement.slices] for placement in self.start(job).placements]

    def slices(self, job: str) -> list[HeldSlice]:
        return [part for placement in self.start(job).placements for part in placement.slices]

    def start(self, job: str) -> Start:
        return next(d for d in self.decisions if isinstance(d, Start) and d.job == job)


def only(**fields: Any) -> tuple[Alternative, ...]:
    """One alternative."""
    return (Alternative(**fields),)


def after(snapshot: Snapshot, decisions: list[Decision]) -> Snapshot:
    """The world once the starts have happened: placed tasks are held, started jobs are no longer pending."""
    jobs = {job.id: job for job in snapshot.pending}
    held = list(snapshot.held)
    started = set()
    for decision in decisions:
        if not isinstance(decision, Start):
            continue
        started.add(decision.job)
        job = jobs[decision.job]
        groups = {task: g.name for g in job.groups for task in g.task_ids}
        held += [
            HeldTask(
                p.task, job.id, groups[p.task], job.queue, p.node, p.slices, p.cpu_millis, p.host_memory_mib
            )
            for p in decision.placements
        ]
    pending = tuple(job for job in snapshot.pending if job.id not in started)
    return replace(snapshot, held=tuple(held), pending=pending)
