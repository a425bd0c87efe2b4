"""How fast the engine decides. ``python -m bench.engine`` prints the rows; ``run()`` gives them to ``make
bench``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypedDict

from vast.scheduling.decisions import Start
from vast.scheduling.engine import decide
from vast.scheduling.possible import EmptyPool
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

NOW = 1_000_000
BUDGET = 100_000_000
MEMORY_MIB = 81_920
MODELS = (("nvidia", "A100-80G"), ("ascend", "910B3"), ("hygon", "K100"), ("cambricon", "MLU590"))


class Row(TypedDict):
    name: str
    value: float
    unit: str


def pool(devices: int, *, per_node: int = 8, models: int = 1) -> tuple[Node, ...]:
    """Full nodes of one model each, in turn."""
    return tuple(
        Node(
            id=f"n{n:05d}",
            name=f"n{n:05d}",
            pool="default",
            cpu_millis=128_000,
            memory_mib=1_048_576,
            task_slots=1000,
            devices=tuple(device(n, i, *MODELS[n % models]) for i in range(per_node)),
        )
        for n in range(devices // per_node)
    )


def device(node: int, index: int, vendor: str, model: str) -> Device:
    return Device(
        id=f"d{node:05d}-{index:02d}",
        vendor=vendor,
        model=model,
        device_class=f"{vendor}-80g",
        memory_mib=MEMORY_MIB,
        max_slices=100,
        rule=SliceRule(),
        link_group=str(index // 4),
        numa=index // 4,
    )


def queues(leaves: int) -> tuple[Queue, ...]:
    quotas = {f"{vendor}-80g": Quota(guaranteed=10_000, limit=50_000_000) for vendor, _ in MODELS}
    root = Queue("root", "root", "default", quotas={})
    return (root, *(Queue(f"q{i:03d}", f"q{i:03d}", "default", "root", quotas=quotas) for i in range(leaves)))


def job(number: int, queue: str, request: Request, tasks: int = 1) -> PendingJob:
    name = f"j{number:06d}"
    group = TaskGroup("main", tuple(f"{name}-{i}" for i in range(tasks)), request)
    return PendingJob(name, queue, number % 3, number, (group,))


def one_card(_number: int) -> tuple[Request, int]:
    return Request(exclusive=True), 1


def mixed(number: int) -> tuple[Request, int]:
    """About a hundred shapes: slices of many sizes, some with alternatives, whole cards, and small gangs."""
    kind = number % 10
    vendor, model = MODELS[number % 4]
    if kind < 6:
        cores = 5 * (1 + number % 7)
        wanted: tuple[Alternative, ...] = (Alternative(vendor=vendor), Alternative())
        return Request(
            cores=cores, memory_mib=4096 * (1 + number % 3), alternatives=wanted[: 1 + number % 2]
        ), 1
    if kind < 8:
        return Request(devices=1 + number % 4, exclusive=True, alternatives=(Alternative(model=model),)), 1
    if kind == 8:
        return Request(devices=2, exclusive=True, cpu_millis=8000), 2 + number % 7
    return Request(cores=50, memory_percent=50, cpu_millis=2000), 4


def pending(count: int, leaves: int, shape: Callable[[int], tuple[Request, int]]) -> tuple[PendingJob, ...]:
    return tuple(job(i, f"q{i % leaves:03d}", *shape(i)) for i in range(count))


class Timing(TypedDict):
    first: float
    total: float
    starts: int
    decisions: int


def timed(nodes: Iterable[Node], jobs: Iterable[PendingJob], leaves: int) -> Timing:
    snapshot = Snapshot(tuple(nodes), queues(leaves), (), tuple(jobs))
    begin = time.perf_counter()
    first = 0.0
    starts = decisions = 0
    for decision in decide(snapshot, NOW, BUDGET):
        decisions += 1
        starts += isinstance(decision, Start)
        first = first or time.perf_counter() - begin
    return {"first": first, "total": time.perf_counter() - begin, "starts": starts, "decisions": decisions}


def rows(name: str, timing: Timing) -> list[Row]:
    return [
        {"name": f"{name}: all decisions", "value": round(timing["total"], 3), "unit": "s"},
        {"name": f"{name}: first decision", "value": round(1000 * timing["first"], 1), "unit": "ms"},
        {"name": f"{name}: started", "value": timing["starts"], "unit": "jobs"},
    ]


def run() -> list[Row]:
    """The engine's rows: seconds of whole cycles on a warm snapshot, with a budget that is never reached."""
    out: list[Row] = []
    for devices, count in ((1_000, 1_000), (2_000, 2_000), (4_000, 4_000), (8_000, 8_000)):
        timing = timed(pool(devices), pending(count, 4, one_card), 4)
        out += rows(f"fill {devices} devices with {count} one-card jobs", timing)
    out += rows(
        "1,000 devices, 2,000 mixed jobs", timed(pool(1_000, models=4), pending(2_000, 10, mixed), 10)
    )
    out += rows(
        "10,000 devices, 10,000 mixed jobs", timed(pool(10_000, models=4), pending(10_000, 30, mixed), 30)
    )
    out += rows(
        "64 devices, 20,000 mixed jobs waiting", timed(pool(64, models=4), pending(20_000, 30, mixed), 30)
    )
    gang = job(0, "q000", Request(devices=8, exclusive=True), tasks=512)
    out += rows("gang of 512 tasks on 512 nodes", timed(pool(4_096), (gang,), 1))
    out.append(impossible_row())
    return out


def impossible_row() -> Row:
    snapshot = Snapshot(pool(4_000), queues(1))
    begin = time.perf_counter()
    reason = EmptyPool(snapshot, "default").impossible(job(0, "q000", Request(exclusive=True), tasks=4_001))
    took = time.perf_counter() - begin
    if reason is None:
        raise RuntimeError("a gang larger than the pool was thought possible")
    return {"name": "say that a gang of 4,001 exceeds 4,000 devices", "value": round(took, 3), "unit": "s"}


def main() -> None:
    for row in run():
        print(f"{row['name']:<60} {row['value']:>10} {row['unit']}")


if __name__ == "__main__":
    main()
