"""Running a case: let each step come to rest, note what happened, compare with what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision, Evict, Grow, Reserve, Start
from vast.scheduling.engine import PoolCycle, decide
from vast.simulator.cases import form
from vast.simulator.cases.build import NOW, POOL, Built, CaseError, add_pending, build, milli, queues

BUDGET = 10_000_000


@dataclass
class Happened:
    """What happened in one step."""

    evicted: dict[str, str] = field(default_factory=dict)
    shrunk: Counter[str] = field(default_factory=Counter)
    moved: list[str] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    rules: dict[str, str] = field(default_factory=dict)
    reserved: dict[str, int | None] = field(default_factory=dict)
    came_to_rest: bool = True

    def note(self, decision: Decision, now: int) -> None:
        if isinstance(decision, Start):
            self.started.append(decision.job)
        elif isinstance(decision, Reserve):
            starts = decision.starts_at
            self.reserved[decision.job] = None if starts is None else starts - now
        elif isinstance(decision, Evict):
            self.rules.setdefault(decision.job, decision.rule)
            if decision.rule == "move":
                self.moved.append(decision.job)
            elif decision.whole:
                self.evicted[decision.job] = decision.rule
            else:
                self.shrunk[decision.job] += len(decision.tasks)


def run(case: form.Case) -> list[str]:
    """What is not as expected, a line each; empty = the case passes. Raises CaseError."""
    built = build(case)
    wrong = [f"before anything: {line}" for line in _shares(built, case.expect)]
    now = NOW
    steps = [form.Step(after=0, expect=case.expect), *case.steps]
    for number, step in enumerate(steps):
        now += step.after
        _prepare(built, step, now, number)
        if number and step.expect.share:
            wrong += [f"step {number}: {line}" for line in _shares(built, step.expect)]
        happened = _settle(built, now, case.cycles)
        where = f"step {number}: " if number else ""
        wrong += [where + line for line in _compare(built, happened, step.expect)]
        now += case.cycles
    return wrong


def _prepare(built: Built, step: form.Step, now: int, number: int) -> None:
    play = built.play
    if number:
        play.gone()
    for name in [*step.end, *step.cancel]:
        if name not in built.jobs:
            raise CaseError(f"step {number}: no job {name}; there are {', '.join(built.jobs)}")
        play.end(name)
    for name in [*step.fail_nodes, *step.cordon]:
        if name not in [node.name for node in play.nodes]:
            raise CaseError(f"step {number}: no node {name}")
    play.nodes = tuple(
        replace(
            node,
            ready=node.ready and node.name not in step.fail_nodes,
            cordoned=node.cordoned or node.name in step.cordon,
        )
        for node in play.nodes
    )
    play.lose_nodes(step.fail_nodes)
    if step.quota:
        changed = {queue.id: queue for queue in queues(step.quota)}
        play.queues = tuple(changed.get(queue.id, queue) for queue in play.queues)
    for offset, job in enumerate(step.submit):
        add_pending(built, job, now, 1000 + offset)


def _settle(built: Built, now: int, cycles: int) -> Happened:
    happened = Happened()
    for cycle in range(cycles):
        decisions = list(decide(built.play.snapshot(), now + cycle, BUDGET))
        for decision in decisions:
            happened.note(decision, now + cycle)
        built.play.apply(decisions, now + cycle)
        if not any(isinstance(decision, Start | Grow | Evict) for decision in decisions):
            break
    else:
        happened.came_to_rest = cycles == 1
    return happened


def _shares(built: Built, expect: form.Expect) -> Iterator[str]:
    if not expect.share and expect.unassigned is None:
        return
    snapshot = built.play.snapshot()
    classes = {device.id: device.device_class for node in snapshot.nodes for device in node.devices}
    scene = PoolCycle(snapshot, POOL, snapshot.queues, classes, NOW, BUDGET).scene
    names = sorted(set(classes.values()))
    for queue, cards in expect.share.items():
        path, _, name = queue.partition(":")
        if path not in scene.ledger.queues:
            raise CaseError(f"share: no queue {path}; there are {', '.join(scene.ledger.queues)}")
        got = scene.shares.fair(path, name or names[0])
        if got != milli(cards):
            yield f"share of {queue}: expected {cards:g}, got {got / 1000:g}"
    if expect.unassigned is not None:
        roots = scene.ledger.children.get(None, [])
        left = scene.capacity.divided(names[0]) - sum(scene.shares.fair(root, names[0]) for root in roots)
        if left != milli(expect.unassigned):
            yield f"unassigned: expected {expect.unassigned:g}, got {left / 1000:g}"


def _compare(built: Built, happened: Happened, expect: form.Expect) -> Iterator[str]:
    if not happened.came_to_rest:
        yield "the pool did not come to rest (raise `cycles`, or it evicts to and fro)"
    if expect.nothing:
        for what in ("evicted", "shrunk", "moved", "started"):
            found = getattr(happened, what)
            if found:
                yield f"nothing was to happen, but {what}: {', '.join(found)}"
    yield from _same("evicted", expect.evicted, list(happened.evicted))
    if expect.evicted_one_of is not None:
        got = set(happened.evicted)
        if got not in [set(choice) for choice in expect.evicted_one_of]:
            yield f"evicted: expected one of {expect.evicted_one_of}, got {sorted(got)}"
    for what, wanted, count in (
        ("evictions", expect.evictions, len(happened.evicted)),
        ("moves", expect.moves, len(happened.moved)),
    ):
        if wanted is not None and wanted != count:
            yield f"{what}: expected {wanted}, got {count}"
    if expect.shrunk is not None and expect.shrunk != dict(happened.shrunk):
        yield f"shrunk: expected {expect.shrunk}, got {dict(happened.shrunk)}"
    yield from _same("moved", expect.moved, happened.moved)
    resumed = set(happened.evicted) | set(happened.moved)
    yield from _same("started", expect.started, [job for job in happened.started if job not in resumed])
    if expect.order is not None:
        got_order = [job for job in happened.started if job in expect.order]
        if got_order != expect.order:
            yield f"order: expected {expect.order}, got {got_order}"
    for job, rule in expect.rules.items():
        if happened.rules.get(job) != rule:
            yield f"rule for {job}: expected {rule}, got {happened.rules.get(job, 'no loss')}"
    for job, when in expect.reserved.items():
        if job not in happened.reserved or happened.reserved[job] != when:
            yield f"reservation of {job}: expected in {when} s, got {happened.reserved.get(job, 'none')}"
    yield from _compare_end(built, expect)


def _same(what: str, expected: list[str] | None, got: list[str]) -> Iterator[str]:
    if expected is not None and sorted(expected) != sorted(got):
        yield f"{what}: expected {sorted(expected) or 'nobody'}, got {sorted(got) or 'nobody'}"


def _compare_end(built: Built, expect: form.Expect) -> Iterator[str]:
    play = built.play
    for job in expect.running or ():
        if job not in play.running:
            yield f"{job} was to run at the end, but {_state(built, job)}"
    for name, count in expect.tasks.items():
        job, _, group = name.partition("/")
        mine = [task for task in play.tasks.get(job, {}).values() if not task.stopping]
        got = sum(1 for task in mine if group in ("", task.group))
        if got != count:
            yield f"tasks of {name}: expected {count}, got {got}"
    for queue, count in expect.counts.items():
        got = sum(1 for job in play.running if built.queue_of[job] == queue)
        if got != count:
            yield f"running jobs of {queue}: expected {count}, got {got}"
    for job, waiting in expect.waiting.items():
        yield from _compare_wait(built, job, waiting)
    for job, position in expect.positions.items():
        wait = play.waits.get(job)
        if wait is None or wait.position != position:
            yield f"position of {job}: expected {position}, got {wait.position if wait else 'none'}"
    for job, place in expect.places.items():
        yield from _compare_place(built, job, place)


def _state(built: Built, job: str) -> str:
    wait = built.play.waits.get(job)
    if wait is not None:
        return f"it waits: {wait.reason.code} {dict(wait.reason.params)}"
    if job not in built.jobs:
        raise CaseError(f"no job {job}; there are {', '.join(built.jobs)}")
    return "it does not"


def _compare_wait(built: Built, job: str, waiting: form.Waiting | None) -> Iterator[str]:
    if job not in built.jobs:
        raise CaseError(f"no job {job}; there are {', '.join(built.jobs)}")
    wait = built.play.waits.get(job)
    if wait is None:
        yield f"{job} was to wait, but it does not"
        return
    if waiting is None:
        return
    reasons = list(_all(wait.reason))
    matching = [reason for reason in reasons if reason.code == waiting.code]
    if not matching:
        yield f"{job} was to wait for {waiting.code}, got {', '.join(reason.code for reason in reasons)}"
    elif not any(waiting.params.items() <= dict(reason.params).items() for reason in matching):
        yield f"{job}: {waiting.code} was to have {waiting.params}, got {dict(matching[0].params)}"


def _all(reason: Reason) -> Iterator[Reason]:
    yield reason
    for part in reason.evidence:
        yield from _all(part)


def _compare_place(built: Built, job: str, place: form.Place) -> Iterator[str]:
    tasks = sorted(built.play.tasks.get(job, {}).values(), key=lambda task: task.task)
    if not tasks:
        yield f"{job} was to have a place, but {_state(built, job)}"
        return
    node_of = {node.name: node for node in built.play.nodes}
    cards = [part.device for task in tasks for part in task.slices]
    if place.nodes is not None and {task.node for task in tasks} != set(place.nodes):
        yield f"{job}: expected on {sorted(place.nodes)}, got {sorted({task.node for task in tasks})}"
    if place.cards is not None and set(cards) != set(place.cards):
        yield f"{job}: expected on cards {sorted(place.cards)}, got {sorted(set(cards))}"
    if place.apart and len(set(cards)) < len(cards):
        yield f"{job}: tasks share a card: {cards}"
    for level, counts in (place.domains or {}).items():
        got = Counter(_domain(node_of[task.node].domains, level, task.node) for task in tasks)
        if dict(got) != counts:
            yield f"{job}: expected {counts} by {level}, got {dict(got)}"
    if place.one is not None:
        found = {_domain(node_of[task.node].domains, place.one, task.node) for task in tasks}
        if len(found) > 1:
            yield f"{job}: expected in one {place.one}, got {sorted(found)}"


def _domain(domains: object, level: str, node: str) -> str:
    return node if level == "node" else str(dict(domains).get(level, ""))  # type: ignore[call-overload]
