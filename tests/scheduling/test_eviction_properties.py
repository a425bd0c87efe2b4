"""What holds for every eviction, in random worlds with running work; and that repeated cycles come to rest."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.scheduling.world import BUDGET, NOW
from vast.scheduling.decisions import Decision, Evict, Keep, Release, Start, Wait
from vast.scheduling.engine import PoolCycle, decide
from vast.scheduling.snapshot import (
    Device,
    HeldSlice,
    Node,
    PendingJob,
    Pool,
    Queue,
    Quota,
    Request,
    Snapshot,
    TaskGroup,
)
from vast.simulator.play import Play
from vast.vendors.base import SliceRule

CLASSES = ("big", "small")


def _devices(chance: Random, node: int) -> tuple[Device, ...]:
    name = chance.choice(CLASSES)
    return tuple(
        Device(f"d{node}-{i}", "v", name, name, 1000, 10, SliceRule()) for i in range(chance.randint(1, 4))
    )


def _queues(chance: Random) -> tuple[Queue, ...]:
    """Roots, some with two children; guarantees mostly inside what there is."""

    def quota() -> dict[str, Quota]:
        given = chance.choice((0, 0, 1000, 2000, 3000))
        limit = chance.choice((None, None, None, given + 2000))
        return {name: Quota(given, limit, chance.choice((0, 1, 1, 2))) for name in CLASSES}

    queues: list[Queue] = []
    for root in range(chance.randint(1, 3)):
        parent = f"q{root}"
        queues.append(
            Queue(parent, parent, "p", None, chance.choice((0, 0, 1)), quotas=quota(), created_at=root)
        )
        for leaf in range(chance.choice((0, 2))):
            mine = {name: Quota(q.guaranteed // 2, None, 1) for name, q in queues[-1 - leaf].quotas.items()}
            queues.append(Queue(f"{parent}-{leaf}", f"{parent}/{leaf}", "p", parent, quotas=mine))
    return tuple(queues)


def _job(chance: Random, number: int, leaves: list[str]) -> PendingJob:
    sliced = chance.random() < 0.3
    request = Request(
        devices=1 if sliced else chance.choice((1, 1, 1, 2)),
        cores=chance.choice((20, 50)) if sliced else None,
        memory_mib=chance.choice((200, 500)) if sliced else None,
        exclusive=not sliced,
    )
    replicas = chance.choice((1, 1, 1, 2, 3))
    shape = TaskGroup(
        "main",
        tuple(f"j{number}/{i}" for i in range(replicas)),
        request,
        min_replicas=chance.choice((None, 1)),
    )
    return PendingJob(
        f"j{number}",
        chance.choice(leaves),
        chance.choice((0, 0, 0, 1, 2)),
        number,
        (shape,),
        preemptible=chance.random() < 0.9,
        movable=chance.random() < 0.2,
    )


@st.composite
def contended(draw: st.DrawFn) -> Snapshot:
    """A pool that first filled up with some jobs, then got more jobs, and perhaps other quotas."""
    chance = Random(draw(st.integers(0, 2**32)))
    nodes = tuple(
        Node(f"n{i}", f"n{i}", "p", 10_000, 10_000, 10, _devices(chance, i))
        for i in range(draw(st.integers(1, 5)))
    )
    queues = _queues(chance)
    parents = {queue.parent for queue in queues}
    leaves = [queue.id for queue in queues if queue.id not in parents]
    jobs = [_job(chance, i, leaves) for i in range(draw(st.integers(2, 16)))]
    pools = (Pool("p", max_reservations=0, grow_after=0),)
    first = chance.randint(1, len(jobs))
    open_to_all = tuple(replace(queue, quotas={}) for queue in queues) if chance.random() < 0.7 else queues
    play = Play(nodes, open_to_all, pools)
    for job in jobs[:first]:
        play.submit(job)
    play.apply(decide(play.snapshot(), NOW - 5000, BUDGET), NOW - 5000)
    play.queues = queues
    for job in jobs[first:]:
        play.submit(job)
    return play.snapshot()


def run(world: Snapshot) -> list[Decision]:
    return list(decide(world, NOW, BUDGET))


def fits(world: Snapshot) -> bool:
    """No device holds more than it has."""
    for device in (device for node in world.nodes for device in node.devices):
        parts = [part for task in world.held for part in task.slices if part.device == device.id]
        if sum(p.cores for p in parts) > 100 or sum(p.memory_mib for p in parts) > device.memory_mib:
            return False
        if len(parts) > 1 and any(p.exclusive for p in parts):
            return False
    return True


@given(contended())
def test_who_must_not_be_evicted_is_not(world: Snapshot) -> None:
    jobs = {job.id: job for job in world.jobs}
    for decision in run(world):
        if isinstance(decision, Evict) and decision.whole:
            assert jobs[decision.job].preemptible


@given(contended())
def test_nobody_is_evicted_without_a_seat_that_needs_it(world: Snapshot) -> None:
    """Every eviction is followed by a hold of its asker; with the victims gone the asker's seats are free, and with
    any one of them back they are not, unless a limit needs it gone."""
    decisions = run(world)
    keeps = {d.job: d for d in decisions if isinstance(d, Keep) and d.victims}
    for decision in decisions:
        if isinstance(decision, Evict):
            assert decision.by in keeps
            assert set(decision.tasks) <= set(keeps[decision.by].victims)


@given(contended())
def test_every_asker_gets_exactly_the_seats_that_were_kept_for_it(world: Snapshot) -> None:
    decisions = run(world)
    play = Play.of(world)
    play.apply(decisions, NOW)
    kept = {}
    for decision in decisions:
        if isinstance(decision, Keep):
            kept[decision.job] = decision.seats
        if isinstance(decision, Release):
            kept.pop(decision.job, None)  # taken over by another asker
    later = list(decide(play.snapshot(), NOW + 1, BUDGET))
    started = {d.job: d.placements for d in later if isinstance(d, Start)}
    for job, seats in kept.items():
        if job in play.pending:
            assert started[job] == seats
    play.apply(later, NOW + 1)
    assert fits(play.snapshot())


@given(contended())
def test_every_pending_job_has_one_answer(world: Snapshot) -> None:
    answers = Counter(d.job for d in run(world) if isinstance(d, Start | Wait))
    assert answers == Counter(job.id for job in world.pending)


@given(contended())
def test_no_limit_is_passed_once_victims_are_gone(world: Snapshot) -> None:
    play = Play.of(world)
    for second in range(3):
        play.apply(decide(play.snapshot(), NOW + second, BUDGET), NOW + second)
    parents = {queue.id: queue.parent for queue in world.queues}
    classes = {device.id: device.device_class for node in world.nodes for device in node.devices}
    held: Counter[tuple[str, str]] = Counter()
    for task in play.snapshot().held:
        step: str | None = task.queue
        while step is not None:
            for part in task.slices:
                held[step, classes[part.device]] += part.charge
            step = parents[step]
    was: Counter[tuple[str, str]] = Counter()
    for task in world.held:
        step = task.queue
        while step is not None:
            for part in task.slices:
                was[step, classes[part.device]] += part.charge
            step = parents[step]
    for queue in world.queues:
        for name, quota in queue.quotas.items():
            if quota.limit is not None:
                assert held[queue.id, name] <= max(quota.limit, was[queue.id, name])


@given(contended())
def test_with_nothing_new_the_pool_comes_to_rest(world: Snapshot) -> None:
    """No ping-pong: without arrivals, repeated cycles stop evicting."""
    play = Play.of(world)
    for second in range(60):
        decisions = list(decide(play.snapshot(), NOW + second, BUDGET))
        if not any(isinstance(d, Evict | Start | Keep) for d in decisions):
            return
        play.apply(decisions, NOW + second)
    raise AssertionError("still evicting after 60 cycles")


@given(contended())
def test_the_same_world_is_decided_the_same_way_in_any_order(world: Snapshot) -> None:
    turned = Snapshot(
        world.nodes[::-1],
        world.queues[::-1],
        world.held[::-1],
        world.pending[::-1],
        world.jobs[::-1],
        world.holds[::-1],
        world.reservations[::-1],
        world.pools,
    )
    assert run(turned) == run(world)


def _cycle(world: Snapshot) -> PoolCycle:
    classes = {device.id: device.device_class for node in world.nodes for device in node.devices}
    return PoolCycle(world, "p", world.queues, classes, NOW, BUDGET)


class Account:
    """What every queue holds while the decisions of one cycle come, as the rules count it."""

    def __init__(self, world: Snapshot, cycle: PoolCycle) -> None:
        self._ledger = cycle.scene.ledger
        self._classes = {device.id: device.device_class for node in world.nodes for device in node.devices}
        self._queue_of = {job.id: job.queue for job in (*world.jobs, *world.pending)}
        self._tasks = {task.task: task.slices for task in world.held}
        self.held = {
            (queue.id, name): self._ledger.holding(queue.id, name)
            for queue in world.queues
            for name in CLASSES
        }

    def note(self, decision: Decision) -> None:
        if isinstance(decision, Evict):
            for task in decision.tasks:
                self._book(decision.job, self._tasks[task], -1)
        for seat in getattr(decision, "placements", ()) or getattr(decision, "seats", ()):
            self._book(decision.job, seat.slices, 1)

    def _book(self, job: str, slices: tuple[HeldSlice, ...], sign: int) -> None:
        for queue in self._ledger.path(self._queue_of[job]):
            for part in slices:
                self.held[queue, self._classes[part.device]] += sign * part.charge


@given(contended())
def test_reclaim_leaves_shares_and_guarantees_of_the_losers_alone(world: Snapshot) -> None:
    """A share reclaim (R1) never takes a queue below its fair share; a guarantee reclaim (R2) touches only queues above
    their guarantee. Looked at where the lost job sits in one class; hold takeovers end the look."""
    cycle = _cycle(world)
    shares, queue_of = cycle.scene.shares, {job.id: job.queue for job in (*world.jobs, *world.pending)}
    classes = {device.id: device.device_class for node in world.nodes for device in node.devices}
    account = Account(world, cycle)
    for decision in list(cycle.decisions()):
        if isinstance(decision, Release):
            return
        if isinstance(decision, Evict) and decision.rule in ("share", "guarantee"):
            victim = queue_of[decision.job]
            assert victim != queue_of[decision.by]
            parts = [part for task in world.held if task.task in decision.tasks for part in task.slices]
            names = {classes[part.device] for part in parts}
            if len(names) == 1:
                (name,) = names
                before, lost = account.held[victim, name], sum(part.charge for part in parts)
                if decision.rule == "share":
                    assert before - lost >= shares.fair(victim, name)
                else:
                    assert before > shares.guarantee(victim, name)
        account.note(decision)
