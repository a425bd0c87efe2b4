"""Random worlds for the property tests. Hypothesis draws the sizes (and shrinks them); a seed does the rest,
since drawing every field by itself costs more than the engine."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from tests.scheduling.world import BUDGET, NOW, after
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import (
    Alternative,
    Device,
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
    ("nvidia", "A100-40G", "nvidia-80g", 40_960, SliceRule()),
    ("nvidia", "A10", "nvidia-24g", 24_576, SliceRule()),
    ("ascend", "910B", "ascend-64g", 65_536, SliceRule(sizes=((8_192, 12), (16_384, 25), (32_768, 50)))),
    ("hygon", "K100", "hygon-64g", 65_536, SliceRule(core_step=5, memory_step_mib=1_024)),
    ("amd", "MI300", "amd-192g", 196_608, SliceRule(shareable=False)),
)
CLASSES = tuple(dict.fromkeys(kind[2] for kind in KINDS))


def _rarely(chance: Random) -> bool:
    return chance.random() < 0.06


def random_node(chance: Random, number: int, pool: str) -> Node:
    devices: list[Device] = []
    for run, (vendor, model, device_class, memory, rule) in enumerate(
        chance.sample(KINDS, chance.choice((0, 1, 1, 2)))
    ):
        devices += [
            Device(
                id=f"d{number}-{run}-{i}",
                vendor=vendor,
                model=model,
                device_class=device_class,
                memory_mib=memory,
                max_slices=chance.choice((1, 3, 100)),
                rule=rule,
                healthy=not _rarely(chance),
                cordoned=_rarely(chance),
                link_group=str(i // 2),
            )
            for i in range(chance.randint(1, 4))
        ]
    return Node(
        id=f"n{number}",
        name=chance.choice("abc"),
        pool=pool,
        cpu_millis=chance.choice((2_000, 64_000)),
        memory_mib=chance.choice((4_096, 524_288)),
        task_slots=chance.choice((1, 4, 1_000)),
        devices=tuple(devices),
        ready=not _rarely(chance),
        cordoned=_rarely(chance),
        simulated=chance.random() < 0.7,
        labels={"tier": "gold"} if chance.random() < 0.5 else {},
    )


def random_tree(chance: Random, pool: str) -> list[Queue]:
    """A root, one or two branches, and up to two leaves below each."""
    names: list[tuple[str, str | None]] = [(pool, None)]
    for branch in range(chance.randint(1, 2)):
        names.append((f"{pool}/{branch}", pool))
        names += [(f"{pool}/{branch}/{leaf}", f"{pool}/{branch}") for leaf in range(chance.randint(0, 2))]
    return [
        Queue(
            id=name,
            name=name,
            pool=pool,
            parent=parent,
            priority=chance.randint(0, 1),
            open=not _rarely(chance),
            created_at=chance.randint(0, 1),
            quotas={
                device_class: Quota(
                    guaranteed=chance.choice((0, 500, 2_000)),
                    limit=chance.choice((None, None, 700, 3_000)),
                    weight=chance.choice((0, 1, 100)),
                )
                for device_class in CLASSES
                if chance.random() < 0.6
            },
        )
        for name, parent in names
    ]


def random_request(chance: Random) -> Request:
    memory = chance.choice(("none", "mib", "percent"))
    return Request(
        devices=chance.choice((0, 1, 1, 1, 1, 2, 3)),
        cores=chance.choice((None, 1, 10, 33, 50, 100)),
        memory_mib=chance.choice((512, 10_000, 40_000)) if memory == "mib" else None,
        memory_percent=chance.choice((1, 30, 100)) if memory == "percent" else None,
        exclusive=chance.random() < 0.2,
        alternatives=tuple(random_alternative(chance) for _ in range(chance.randint(1, 3))),
        cpu_millis=chance.choice((0, 0, 1_000)),
        host_memory_mib=chance.choice((0, 0, 2_048)),
        needs_simulated=chance.random() < 0.2,
    )


def random_alternative(chance: Random) -> Alternative:
    vendor, model, device_class = chance.choice(KINDS)[:3]
    wanted = chance.choice(({}, {}, {"vendor": vendor}, {"model": model}, {"device_class": device_class}))
    return Alternative(
        **wanted,
        labels={"tier": "gold"} if chance.random() < 0.2 else {},
        memory_mib=chance.choice((None, None, None, 10_000)),
    )


def random_job(
    chance: Random, number: int, queues: list[Queue], node_ids: list[str], usual: Request
) -> PendingJob:
    parents = {queue.parent for queue in queues}
    leaves = [queue for queue in queues if queue.id not in parents]
    groups = tuple(
        TaskGroup(
            f"g{g}",
            tuple(f"j{number}/{g}/{i}" for i in range(chance.choice((1, 1, 2, 4)))),
            random_request(chance) if g else usual,
            chance.choice(("pack", "spread")),
            chance.choice(("pack", "spread")),
        )
        for g in range(chance.choice((1, 1, 1, 2)))
    )
    return PendingJob(
        id=f"j{number}",
        queue=chance.choice(queues if _rarely(chance) else leaves).id,
        priority=chance.randint(0, 2),
        submitted_at=chance.randint(0, 3),
        groups=groups,
        not_before=NOW + 5 if _rarely(chance) else 0,
        avoid_nodes=frozenset(chance.sample(node_ids, 1) if node_ids and chance.random() < 0.3 else ()),
    )


def random_world(node_count: int, job_count: int, running: int, seed: int) -> Snapshot:
    """Two pools; the first ``running`` jobs came a cycle earlier, and some tasks of theirs are stopping by
    now."""
    chance = Random(seed)
    nodes = tuple(random_node(chance, i, chance.choice(("east", "east", "west"))) for i in range(node_count))
    queues = [*random_tree(chance, "east"), *random_tree(chance, "west")]
    usual = [random_request(chance) for _ in range(4)]
    ids = [node.id for node in nodes]
    jobs = [random_job(chance, i, queues, ids, chance.choice(usual)) for i in range(job_count)]
    earlier = Snapshot(nodes, tuple(queues), (), tuple(jobs[:running]))
    held = after(earlier, list(decide(earlier, NOW, BUDGET))).held
    held = tuple(replace(task, stopping=chance.random() < 0.3) for task in held)
    return Snapshot(nodes, tuple(queues), held, tuple(jobs[running:]))


def worlds() -> st.SearchStrategy[Snapshot]:
    return st.builds(
        random_world,
        node_count=st.integers(0, 8),
        job_count=st.integers(1, 24),
        running=st.integers(0, 8),
        seed=st.integers(0, 2**32),
    )
