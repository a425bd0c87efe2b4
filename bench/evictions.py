"""How fast the engine takes from others: ``python -m bench evictions``. Full pools of 4,000 cards, budget never reached."""

from __future__ import annotations

import time
from dataclasses import replace

from bench.engine import BUDGET, MODELS, NOW, Row, job, pool
from vast.scheduling.decisions import Evict, Keep, Start
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import (
    HeldJob,
    HeldSlice,
    HeldTask,
    Node,
    PendingJob,
    Pool,
    Queue,
    Quota,
    Request,
    Snapshot,
    TaskGroup,
)

CLASS = f"{MODELS[0][0]}-80g"
WHOLE = Request(exclusive=True)


def two_queues(guaranteed: int) -> tuple[Queue, ...]:
    """A lender with this guarantee (cards), and a borrower without any."""
    lender = Queue("lender", "lender", "default", quotas={CLASS: Quota(guaranteed=guaranteed * 1000)})
    return lender, Queue("borrower", "borrower", "default", quotas={CLASS: Quota()})


def full(nodes: tuple[Node, ...], cards: int) -> tuple[tuple[HeldJob, ...], tuple[HeldTask, ...]]:
    """One-card jobs of the borrower on the first ``cards`` cards of every node; all may move."""
    jobs, held = [], []
    for node in nodes:
        for device in node.devices[:cards]:
            name = f"r{len(jobs):05d}"
            group = TaskGroup("main", (name,), WHOLE)
            jobs.append(HeldJob(name, "borrower", 0, 0, (group,), started_at=NOW - 5000 + len(jobs) % 997))
            part = HeldSlice(device.id, 100, device.memory_mib, True, 1000)
            held.append(HeldTask(name, name, "main", "borrower", node.id, (part,)))
    return tuple(jobs), tuple(held)


def timed(snapshot: Snapshot) -> tuple[float, float, int, int]:
    """Seconds to the first decision and to the last, evictions, and jobs that are seated or have a hold."""
    begin, first = time.perf_counter(), 0.0
    evictions = seated = 0
    for decision in decide(snapshot, NOW, BUDGET):
        first = first or time.perf_counter() - begin
        evictions += isinstance(decision, Evict)
        seated += isinstance(decision, Keep | Start) and decision.job.startswith("j")
    return first, time.perf_counter() - begin, evictions, seated


def lender_jobs(count: int, tasks: int, request: Request = WHOLE) -> tuple[PendingJob, ...]:
    return tuple(replace(job(i, "lender", request, tasks), priority=0) for i in range(count))


def row(name: str, snapshot: Snapshot, expected: int) -> list[Row]:
    _, total, evictions, seated = timed(snapshot)
    if seated != expected:
        raise RuntimeError(f"{name}: {seated} of {expected} jobs were seated")
    return [
        {"name": f"{name}: all decisions", "value": round(total, 3), "unit": "s"},
        {"name": f"{name}: evictions and moves", "value": evictions, "unit": "jobs"},
    ]


def run() -> list[Row]:
    nodes = pool(4_000)
    jobs, held = full(nodes, 8)
    out: list[Row] = []
    for name, count, tasks in (
        ("one-card reclaim on a full pool of 4,000", 1, 1),
        ("gang reclaim of 4,000 cards", 1, 4_000),
        ("reclaim by 4,000 jobs of one card", 4_000, 1),
    ):
        world = Snapshot(nodes, two_queues(4_000), held, lender_jobs(count, tasks), jobs)
        out += row(name, world, count)
    out += consolidation()
    return out


def consolidation() -> list[Row]:
    """41 gangs of 10 whole nodes on a pool of which every node is half full with jobs that may move."""
    nodes = pool(6_560)
    jobs, held = full(nodes, 4)
    movable = tuple(replace(one, movable=True, preemptible=True) for one in jobs)
    gangs = lender_jobs(41, 10, Request(devices=8, exclusive=True))
    policy = (Pool("default", moves_per_hour=1_000_000),)
    queues = (Queue("lender", "lender", "default"), Queue("borrower", "borrower", "default"))
    world = Snapshot(nodes, queues, held, gangs, movable, pools=policy)
    return row("seat 41 gangs (410 tasks) by moving others", world, 41)
