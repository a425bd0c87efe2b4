"""What holds in every world: random pools, queues and jobs."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scheduling.world import BUDGET, NOW, after
from vast.scheduling.decisions import Decision, Start, Wait
from vast.scheduling.engine import decide
from vast.scheduling.possible import impossible
from vast.scheduling.snapshot import (
    Alternative,
    Device,
    HeldTask,
    Node,
    PendingJob,
    Queue,
    Quota,
    Request,
    Snapshot,
    TaskGroup,
)
from vast.vendors.base import SliceRule

KINDS = (
    ("nvidia", "A100", "nvidia-80g", 81_920, SliceRule()),
    ("nvidia", "A10", "nvidia-24g", 24_576, SliceRule()),
    ("ascend", "910B", "ascend-64g", 65_536, SliceRule(sizes=((8_192, 12), (16_384, 25), (32_768, 50)))),
    ("hygon", "K100", "hygon-64g", 65_536, SliceRule(core_step=5, memory_step_mib=1_024)),
    ("amd", "MI300", "amd-192g", 196_608, SliceRule(shareable=False)),
)
CLASSES = tuple(kind[2] for kind in KINDS)
POOLS = ("east", "west")


@st.composite
def nodes(draw: st.DrawFn, number: int) -> Node:
    devices = []
    for run, kind in enumerate(draw(st.lists(st.sampled_from(KINDS), max_size=2, unique=True))):
        vendor, model, device_class, memory, rule = kind
        devices += [
            Device(
                id=f"d{number}-{run}-{i}",
                vendor=vendor,
                model=model,
                device_class=device_class,
                memory_mib=memory,
                max_slices=draw(st.sampled_from((1, 3, 100))),
                rule=rule,
                healthy=draw(st.integers(0, 9)) > 0,
                cordoned=draw(st.integers(0, 9)) == 0,
                link_group=str(i // 2),
            )
            for i in range(draw(st.integers(1, 4)))
        ]
    return Node(
        id=f"n{number}",
        name=draw(st.sampled_from(("a", "b", "c"))),
        pool=draw(st.sampled_from(("east", "east", "west"))),
        cpu_millis=draw(st.sampled_from((2_000, 64_000))),
        memory_mib=draw(st.sampled_from((4_096, 524_288))),
        task_slots=draw(st.sampled_from((1, 4, 1_000))),
        devices=tuple(devices),
        ready=draw(st.integers(0, 9)) > 0,
        cordoned=draw(st.integers(0, 9)) == 0,
        simulated=draw(st.booleans()),
        labels=draw(st.sampled_from(({}, {"tier": "gold"}))),
    )


@st.composite
def trees(draw: st.DrawFn, pool: str) -> list[Queue]:
    """A root, one or two branches, and one or two leaves below each."""
    names = [(f"{pool}", None)]
    for branch in range(draw(st.integers(1, 2))):
        names.append((f"{pool}/{branch}", pool))
        names += [(f"{pool}/{branch}/{leaf}", f"{pool}/{branch}") for leaf in range(draw(st.integers(0, 2)))]
    quota = st.builds(
        Quota,
        guaranteed=st.sampled_from((0, 500, 2_000)),
        limit=st.sampled_from((None, None, 700, 3_000)),
        weight=st.sampled_from((0, 1, 100)),
    )
    return [
        Queue(
            id=name,
            name=name,
            pool=pool,
            parent=parent,
            priority=draw(st.integers(0, 1)),
            open=draw(st.integers(0, 11)) > 0,
            quotas=draw(st.dictionaries(st.sampled_from(CLASSES), quota, max_size=3)),
        )
        for name, parent in names
    ]


alternatives = st.builds(
    Alternative,
    vendor=st.sampled_from(("", "", "nvidia", "ascend", "nowhere")),
    model=st.sampled_from(("", "", "", "A10", "K100")),
    labels=st.sampled_from(({}, {}, {"tier": "gold"})),
    memory_mib=st.sampled_from((None, None, 10_000)),
)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    memory = draw(st.sampled_from(("none", "mib", "percent")))
    return Request(
        devices=draw(st.sampled_from((0, 1, 1, 1, 2, 3))),
        cores=draw(st.sampled_from((None, 1, 10, 33, 50, 100))),
        memory_mib=draw(st.sampled_from((512, 20_000, 40_000))) if memory == "mib" else None,
        memory_percent=draw(st.sampled_from((1, 30, 100))) if memory == "percent" else None,
        exclusive=draw(st.integers(0, 4)) == 0,
        alternatives=tuple(draw(st.lists(alternatives, min_size=1, max_size=3))),
        cpu_millis=draw(st.sampled_from((0, 0, 1_000))),
        host_memory_mib=draw(st.sampled_from((0, 0, 2_048))),
        needs_simulated=draw(st.integers(0, 5)) == 0,
    )


@st.composite
def jobs(
    draw: st.DrawFn, queues: list[Queue], node_ids: list[str], number: int, shape: Request
) -> PendingJob:
    groups = []
    for g in range(draw(st.sampled_from((1, 1, 1, 2)))):
        groups.append(
            TaskGroup(
                f"g{g}",
                tuple(f"j{number}/{g}/{i}" for i in range(draw(st.sampled_from((1, 1, 2, 4))))),
                shape if g == 0 else draw(requests()),
                draw(st.sampled_from(("pack", "spread"))),
                draw(st.sampled_from(("pack", "spread"))),
            )
        )
    return PendingJob(
        id=f"j{number}",
        queue=draw(st.sampled_from(queues)).id,
        priority=draw(st.integers(0, 2)),
        submitted_at=draw(st.integers(0, 3)),
        groups=tuple(groups),
        not_before=draw(st.sampled_from((0, 0, 0, NOW + 5))),
        avoid_nodes=frozenset(draw(st.lists(st.sampled_from(node_ids), max_size=1)) if node_ids else ()),
    )


@st.composite
def worlds(draw: st.DrawFn) -> Snapshot:
    """A world part of whose work already runs: what a first cycle started, some of it stopping by now."""
    pool_nodes = [draw(nodes(i)) for i in range(draw(st.integers(0, 5)))]
    queues = [queue for pool in POOLS for queue in draw(trees(pool))]
    shapes = [draw(requests()) for _ in range(draw(st.integers(1, 3)))]
    ids = [node.id for node in pool_nodes]
    pending = [
        draw(jobs(queues, ids, i, draw(st.sampled_from(shapes)))) for i in range(draw(st.integers(0, 10)))
    ]
    earlier = draw(st.integers(0, len(pending)))
    world = Snapshot(tuple(pool_nodes), tuple(queues), (), tuple(pending[:earlier]))
    running = after(world, list(decide(world, NOW, BUDGET))).held
    held = tuple(_maybe_stopping(task, draw(st.booleans())) for task in running)
    return Snapshot(tuple(pool_nodes), tuple(queues), held, tuple(pending[earlier:]))


def _maybe_stopping(task: HeldTask, stopping: bool) -> HeldTask:
    return HeldTask(
        task.task, task.job, task.group, task.queue, task.node, task.slices,
        task.cpu_millis, task.host_memory_mib, stopping,
    )  # fmt: skip


def run(world: Snapshot, budget: int = BUDGET) -> list[Decision]:
    return list(decide(world, NOW, budget))


@given(worlds())
def test_every_pending_job_has_exactly_one_decision(world: Snapshot) -> None:
    assert Counter(d.job for d in run(world)) == Counter(job.id for job in world.pending)


@given(worlds())
def test_no_device_and_no_node_is_filled_over_its_size(world: Snapshot) -> None:
    held = after(world, run(world)).held
    for node in world.nodes:
        here = [task for task in held if task.node == node.id]
        assert len(here) <= node.task_slots
        assert sum(task.cpu_millis for task in here) <= node.cpu_millis
        assert sum(task.host_memory_mib for task in here) <= node.memory_mib
        for device in node.devices:
            parts = [part for task in here for part in task.slices if part.device == device.id]
            assert sum(part.cores for part in parts) <= 100
            assert sum(part.memory_mib for part in parts) <= device.memory_mib
            assert len(parts) <= device.max_slices
            assert len(parts) <= 1 or not any(part.exclusive for part in parts)


@given(worlds())
def test_a_job_gets_all_its_tasks_as_it_asked_for_them(world: Snapshot) -> None:
    jobs_by_id = {job.id: job for job in world.pending}
    node_by_id = {node.id: node for node in world.nodes}
    pool_of = {queue.id: queue.pool for queue in world.queues}
    for decision in run(world):
        if isinstance(decision, Wait):
            continue
        job = jobs_by_id[decision.job]
        wanted = [(task, group.request) for group in job.groups for task in group.task_ids]
        assert [p.task for p in decision.placements] == [task for task, _ in wanted]
        for placement, (_, request) in zip(decision.placements, wanted, strict=True):
            node = node_by_id[placement.node]
            assert node.ready
            assert not node.cordoned
            assert node.pool == pool_of[job.queue]
            assert node.simulated or not request.needs_simulated
            devices = {device.id: device for device in node.devices}
            got = [devices[part.device] for part in placement.slices]
            assert len({device.id for device in got}) == len(got) == request.devices
            assert len({(device.vendor, device.model) for device in got}) <= 1
            assert all(device.healthy and not device.cordoned for device in got)
            assert any(_serves(alternative, node, got) for alternative in request.alternatives)


def _serves(alternative: Alternative, node: Node, devices: list[Device]) -> bool:
    if any(node.labels.get(key) != value for key, value in alternative.labels.items()):
        return False
    return all(
        alternative.vendor in ("", device.vendor) and alternative.model in ("", device.model)
        for device in devices
    )


@given(worlds())
def test_tasks_of_a_group_that_spreads_over_devices_never_share_one(world: Snapshot) -> None:
    spreading = {
        task: (job.id, group.name)
        for job in world.pending
        for group in job.groups
        if group.device_strategy == "spread"
        for task in group.task_ids
    }
    used = Counter(
        (spreading[placement.task], part.device)
        for decision in run(world)
        if isinstance(decision, Start)
        for placement in decision.placements
        if placement.task in spreading
        for part in placement.slices
    )
    assert all(count == 1 for count in used.values())


@given(worlds())
def test_no_start_pushes_any_ancestor_over_its_limit(world: Snapshot) -> None:
    queues = {queue.id: queue for queue in world.queues}
    class_of = {device.id: device.device_class for node in world.nodes for device in node.devices}

    def occupied(snapshot: Snapshot) -> Counter[tuple[str, str]]:
        total: Counter[tuple[str, str]] = Counter()
        for task in snapshot.held:
            queue: str | None = task.queue
            while queue is not None:
                for part in task.slices:
                    total[queue, class_of[part.device]] += part.charge
                queue = queues[queue].parent
        return total

    before = occupied(world)
    for (queue, device_class), amount in occupied(after(world, run(world))).items():
        limit = queues[queue].quotas.get(device_class, Quota()).limit
        assert limit is None or amount <= limit or amount == before[queue, device_class]


@given(worlds())
def test_the_same_world_is_decided_the_same_way(world: Snapshot) -> None:
    assert run(world) == run(world)


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(world: Snapshot, chance: random.Random) -> None:
    def shuffled(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(chance.sample(items, len(items)))

    mixed = Snapshot(
        shuffled(world.nodes), shuffled(world.queues), shuffled(world.held), shuffled(world.pending)
    )
    assert run(mixed) == run(world)


@given(worlds())
def test_nothing_that_could_start_is_left_waiting(world: Snapshot) -> None:
    """A second cycle on the result starts nothing. Gangs are left out: to seat them is a search by rules of
    thumb, and one may succeed in a smaller room by luck."""
    result = after(world, run(world))
    single = tuple(job for job in result.pending if len(job.groups) == 1 and len(job.groups[0].task_ids) == 1)
    rest = Snapshot(result.nodes, result.queues, result.held, single)
    assert [d for d in run(rest) if isinstance(d, Start)] == []


@given(worlds(), st.integers(0, 30))
def test_a_small_budget_changes_no_start_into_a_wrong_one(world: Snapshot, budget: int) -> None:
    cut = run(world, budget)
    assert Counter(d.job for d in cut) == Counter(job.id for job in world.pending)
    for decision in cut:
        if isinstance(decision, Start):
            group_sizes = {job.id: sum(len(g.task_ids) for g in job.groups) for job in world.pending}
            assert len(decision.placements) == group_sizes[decision.job]


@given(worlds())
def test_what_starts_was_not_impossible(world: Snapshot) -> None:
    jobs_by_id = {job.id: job for job in world.pending}
    for decision in run(world):
        job = jobs_by_id[decision.job]
        if isinstance(decision, Start) and len(job.groups) == 1 and len(job.groups[0].task_ids) == 1:
            assert impossible(world, job) is None


@given(worlds())
def test_positions_in_a_line_count_up_from_one(world: Snapshot) -> None:
    queue_of = {job.id: job.queue for job in world.pending}
    positions: dict[str, list[int]] = {}
    for decision in run(world):
        if isinstance(decision, Wait):
            positions.setdefault(queue_of[decision.job], []).append(decision.position)
    for line in positions.values():
        assert line == list(range(1, len(line) + 1))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_three_thirds_fit_one_card_of_quota(size: int) -> None:
    third = Request(cores=33, memory_mib=27_306)
    node = Node("n", "n", "p", 1000, 1000, 10, (Device("d", "v", "m", "c", 81_920, 10, SliceRule()),))
    queue = Queue("q", "q", "p", quotas={"c": Quota(limit=1000)})
    pending = tuple(PendingJob(f"j{i}", "q", 0, i, (TaskGroup("g", (f"t{i}",), third),)) for i in range(size))
    assert all(isinstance(d, Start) for d in run(Snapshot((node,), (queue,), (), pending)))
