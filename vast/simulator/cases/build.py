"""From a case to the world that the engine sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from vast.scheduling import snapshot as s
from vast.simulator.cases import form
from vast.simulator.play import Play
from vast.vendors.base import PartitionTemplate, SliceRule

POOL = "pool"
NOW = 1_000_000
CARD = "card"
MILLI = 1000


class CaseError(Exception):
    """The case does not describe a possible world; the message says what is wrong and what is allowed."""


def milli(cards: float) -> int:
    return round(cards * MILLI)


@dataclass
class Built:
    """The world of a case at its beginning, and the names of what is in it."""

    play: Play
    jobs: dict[str, form.Job] = field(default_factory=dict)
    queue_of: dict[str, str] = field(default_factory=dict)


def build(case: form.Case) -> Built:
    """The world at the start. Raises CaseError."""
    nodes = tuple(_node(node, case.pool) for node in case.pool.nodes)
    listed = case.queues or [form.Queue(name="q")]
    policy = _policy(case.pool)
    built = Built(Play(nodes, queues(listed), (policy,), leaves_at_once=not case.victims_stay))
    seats = _Seats(nodes)
    for number, job in enumerate(case.running):
        add_running(built, job, number, seats)
    for number, job in enumerate([*_demanded(listed), *case.pending]):
        add_pending(built, job, NOW, number)
    return built


def _policy(pool: form.Pool) -> s.Pool:
    given = pool.policy
    return s.Pool(
        id=POOL,
        levels=tuple(pool.levels),
        min_slice_charge=given.min_slice_charge,
        oversell=milli(given.oversell),
        decay=milli(given.decay),
        hold_timeout=given.hold_timeout,
        reserve_after=given.reserve_after,
        max_reservations=given.max_reservations,
        grow_after=given.grow_after,
        moves_per_hour=given.moves_per_hour,
    )


def _node(node: form.Node, pool: form.Pool) -> s.Node:
    kinds = [node.model] * node.cards
    for further, count in node.more.items():
        kinds += [further] * count
    devices = []
    for i, name in enumerate(kinds):
        model = pool.models.get(name)
        if model is None and name != CARD:
            raise CaseError(f"node {node.name}: no model {name}; there are {', '.join([CARD, *pool.models])}")
        devices.append(_device(node, i, name, model or form.Model(), len(kinds)))
    return s.Node(
        id=node.name,
        name=node.name,
        pool=POOL,
        cpu_millis=milli(node.cpu),
        memory_mib=round(node.memory_gib * 1024),
        task_slots=node.slots,
        devices=tuple(devices),
        ready=node.ready,
        cordoned=node.cordoned,
        labels=node.labels,
        domains=node.domains,
    )


def _device(node: form.Node, i: int, name: str, model: form.Model, count: int) -> s.Device:
    return s.Device(
        id=f"{node.name}/{i}",
        vendor="",
        model=name,
        device_class=model.device_class,
        memory_mib=model.memory_mib,
        max_slices=model.max_slices,
        rule=SliceRule(),
        healthy=i not in node.unhealthy,
        link_group=str(i * node.links // count),
        numa=i * node.links // count,
        cores_ratio=milli(model.cores_ratio),
        memory_ratio=milli(model.memory_ratio),
        templates=tuple(PartitionTemplate(t.name, t.memory_mib, t.cores, t.slots) for t in model.templates),
        partition_slots=model.partition_slots,
        external=MILLI if i in node.external else 0,
    )


def queues(listed: Iterable[form.Queue]) -> tuple[s.Queue, ...]:
    """The tree; parents that nobody listed have no quota of their own."""
    made: dict[str, s.Queue] = {}
    for number, queue in enumerate(listed):
        parts = queue.name.split("/")
        for depth in range(1, len(parts)):
            path = "/".join(parts[:depth])
            made.setdefault(path, s.Queue(path, path, POOL, "/".join(parts[: depth - 1]) or None))
        made[queue.name] = _queue(queue, "/".join(parts[:-1]) or None, number)
    return tuple(made.values())


def _queue(queue: form.Queue, parent: str | None, number: int) -> s.Queue:
    amounts = [_by_class(v) for v in (queue.guaranteed, queue.reserved, queue.limit, queue.weight)]
    names = {name for amount in amounts for name in amount} | {CARD}
    guaranteed, reserved, limit, weight = amounts
    quotas = {
        name: s.Quota(
            guaranteed=milli(guaranteed.get(name, 0)),
            limit=milli(limit[name]) if name in limit else None,
            weight=int(weight.get(name, weight.get(CARD, 1))),
            reserved=milli(reserved.get(name, 0)),
        )
        for name in sorted(names)
    }
    return s.Queue(
        id=queue.name,
        name=queue.name,
        pool=POOL,
        parent=parent,
        priority=queue.priority,
        open=not queue.closed,
        created_at=number if queue.created is None else queue.created,
        quotas=quotas,
        strict=queue.strict,
        min_runtime=queue.min_runtime,
        evictions_per_hour=queue.evictions_per_hour,
        usage=queue.usage,
    )


def _by_class(value: Mapping[str, float] | float | None) -> dict[str, float]:
    if value is None:
        return {}
    return dict(value) if isinstance(value, Mapping) else {CARD: value}


def _demanded(listed: Iterable[form.Queue]) -> list[form.Job]:
    jobs = []
    for queue in listed:
        whole, part = divmod(milli(queue.demand or 0), MILLI)
        jobs += [form.Job(queue=queue.name, size=1) for _ in range(whole)]
        jobs += [form.Job(queue=queue.name, size=part / MILLI)] if part else []
    return jobs


def name_of(built: Built, job: form.Job, kind: str) -> str:
    """The job's name, or one after its queue: q0-r1 runs, q0-p1 waits."""
    queue = queue_of(built, job)
    name = job.name
    number = 1
    while not name or (not job.name and name in built.jobs):
        name = f"{queue}-{kind}{number}"
        number += 1
    if name in built.jobs:
        raise CaseError(f"two jobs are called {name}")
    built.jobs[name] = job
    built.queue_of[name] = queue
    return name


def queue_of(built: Built, job: form.Job) -> str:
    known = [queue.id for queue in built.play.queues]
    if not job.queue and len(known) == 1:
        return known[0]
    full = [name for name in known if name == job.queue or name.endswith(f"/{job.queue}")]
    if len(full) != 1:
        raise CaseError(f"job {job.name or job.size}: no queue {job.queue!r}; there are {', '.join(known)}")
    return full[0]


def _groups(job: form.Job, name: str) -> tuple[s.TaskGroup, ...]:
    shapes = job.groups or [
        form.Group(
            **{key: getattr(job, key) for key in form.Shape.model_fields},
            name="main",
            tasks=job.tasks,
            min=job.min,
        )
    ]
    return tuple(
        s.TaskGroup(
            name=shape.name,
            task_ids=tuple(f"{name}/{shape.name}/{i}" for i in range(shape.tasks)),
            request=_request(shape),
            node_strategy="spread" if shape.spread_nodes else "pack",
            device_strategy="spread" if shape.spread_cards else "pack",
            min_replicas=shape.min,
            topology=_topology(shape.topology),
        )
        for shape in shapes
    )


def _topology(rule: form.Topology | None) -> s.Topology | None:
    return s.Topology(rule.level, rule.required, rule.chunk) if rule else None


def _request(shape: form.Shape) -> s.Request:
    hard = shape.isolation == "hard"
    part = shape.cores is not None or shape.memory_mib is not None or bool(shape.partition)
    fraction = 0 < shape.size < 1 and not part
    if shape.size > 1 and shape.size != int(shape.size):
        raise CaseError(f"size {shape.size}: whole cards, or part of one card")
    percent = round(shape.size * 100) if fraction else None
    return s.Request(
        devices=max(1, int(shape.size)) if part or fraction else int(shape.size),
        cores=shape.cores if part else percent,
        memory_mib=shape.memory_mib,
        memory_percent=percent,
        exclusive=not (part or fraction or hard) and shape.size >= 1,
        alternatives=tuple(
            s.Alternative(
                model=a.model, device_class=a.device_class, labels=a.labels, memory_mib=a.memory_mib
            )
            for a in shape.any_of
        )
        or (s.Alternative(),),
        cpu_millis=milli(shape.cpu),
        host_memory_mib=round(shape.host_memory_gib * 1024),
        isolation=shape.isolation,
        partition=shape.partition,
        link=shape.link.kind if shape.link else "",
        link_required=bool(shape.link and shape.link.required),
    )


def add_pending(built: Built, job: form.Job, now: int, number: int) -> None:
    name = name_of(built, job, "p")
    built.play.submit(
        s.PendingJob(
            id=name,
            queue=built.queue_of[name],
            priority=job.priority,
            submitted_at=now - job.submitted if job.submitted is not None else now - 1000 + number,
            groups=_groups(job, name),
            preemptible=job.preemptible,
            may_evict=job.may_evict,
            movable=job.movable,
            checkpoints=job.checkpoints,
            max_runtime=job.max_runtime,
            topology=_topology(job.topology),
        )
    )


def add_running(built: Built, job: form.Job, number: int, seats: _Seats) -> None:
    name = name_of(built, job, "r")
    groups = _groups(job, name)
    queue = built.queue_of[name]
    started = None if job.age is None else NOW - job.age
    held = s.HeldJob(
        id=name,
        queue=queue,
        priority=job.priority,
        submitted_at=NOW - 10_000 + number if job.submitted is None else NOW - job.submitted,
        groups=groups,
        preemptible=job.preemptible,
        movable=job.movable,
        checkpoints=job.checkpoints,
        started_at=started,
        saved_at=None if job.saved is None else NOW - job.saved,
        max_runtime=job.max_runtime,
        evicted_at=tuple(NOW - ago for ago in job.evicted),
        topology=_topology(job.topology),
    )
    play = built.play
    if not job.stopping:
        play.running[name] = held
    play.originals[name] = _as_submitted(held)
    play.losses[name] = held.evicted_at
    tasks = [(group, task) for group in groups for task in group.task_ids]
    places = list(job.at)
    for group, task in tasks[: job.running]:
        wanted = [places.pop(0) for _ in range(max(1, group.request.devices)) if places]
        node, slices = seats.take(group.request, wanted, name)
        play.tasks.setdefault(name, {})[task] = s.HeldTask(
            task,
            name,
            group.name,
            queue,
            node,
            slices,
            group.request.cpu_millis,
            group.request.host_memory_mib,
            stopping=job.stopping,
        )


def _as_submitted(held: s.HeldJob) -> s.PendingJob:
    return s.PendingJob(
        held.id,
        held.queue,
        held.priority,
        held.submitted_at,
        held.groups,
        preemptible=held.preemptible,
        movable=held.movable,
        checkpoints=held.checkpoints,
        max_runtime=held.max_runtime,
        topology=held.topology,
    )


class _Seats:
    """First fit for running jobs whose place is not given: the first node, the first cards; a part of a card goes to
    the first card in use that has room, else to the first empty one."""

    def __init__(self, nodes: Iterable[s.Node]) -> None:
        self._nodes = list(nodes)
        self._used: dict[str, int] = {}

    def take(self, request: s.Request, wanted: list[str], job: str) -> tuple[str, tuple[s.HeldSlice, ...]]:
        node, devices = self._find(request, wanted, job)
        slices = []
        for device in devices:
            percent = 100 if request.exclusive else request.cores or request.memory_percent or 100
            memory = request.memory_mib or device.memory_mib * percent // 100
            charge = max(1, percent * 10, memory * MILLI // device.memory_mib)
            self._used[device.id] = self._used.get(device.id, 0) + (MILLI if request.exclusive else charge)
            slices.append(s.HeldSlice(device.id, percent, memory, request.exclusive, charge))
        return node.id, tuple(slices)

    def _find(self, request: s.Request, wanted: list[str], job: str) -> tuple[s.Node, list[s.Device]]:
        cards = {device.id: (node, device) for node in self._nodes for device in node.devices}
        if wanted and "/" in wanted[0]:
            unknown = [name for name in wanted if name not in cards]
            if unknown:
                raise CaseError(f"job {job}: no card {unknown[0]}; there are {', '.join(cards)}")
            return cards[wanted[0]][0], [cards[name][1] for name in wanted]
        names = [node.name for node in self._nodes]
        if wanted and wanted[0] not in names:
            raise CaseError(f"job {job}: no node {wanted[0]}; there are {', '.join(names)}")
        for node in self._nodes:
            if wanted and node.name != wanted[0]:
                continue
            fitting = [device for device in node.devices if self._fits(request, device)]
            in_use_first = sorted(fitting, key=lambda d: -min(1, self._used.get(d.id, 0)))
            if len(fitting) >= request.devices:
                return node, in_use_first[: request.devices]
        raise CaseError(f"job {job}: there is no room left for it to run in; say where with `at`")

    def _fits(self, request: s.Request, device: s.Device) -> bool:
        chosen = request.alternatives[0]
        if chosen.model not in ("", device.model) or chosen.device_class not in ("", device.device_class):
            return False
        used = self._used.get(device.id, 0)
        if request.exclusive:
            return used == 0
        share = request.cores or request.memory_percent or 100
        return used + share * 10 <= MILLI
