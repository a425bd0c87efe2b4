"""What would follow from a change: the engine's own decision on a copy of the world, beside what follows without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision, Evict, Keep, Reserve, Start, Wait
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import PendingJob, Queue, Quota, Snapshot


@dataclass(frozen=True, slots=True)
class Change:
    """What is asked about; everything may be combined. ``quotas`` by queue and class: fields of ``Quota`` to replace;
    ``queues`` by queue: fields of ``Queue``; ``cordon`` and ``uncordon`` are node ids."""

    submit: PendingJob | None = None
    quotas: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    queues: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    cordon: frozenset[str] = frozenset()
    uncordon: frozenset[str] = frozenset()


@dataclass(slots=True)
class Outcome:
    """What one cycle does. ``evicted``: job -> (for whom, rule, reason)."""

    started: dict[str, Start] = field(default_factory=dict)
    kept: dict[str, Keep] = field(default_factory=dict)
    reserved: dict[str, Reserve] = field(default_factory=dict)
    waits: dict[str, Wait] = field(default_factory=dict)
    evicted: dict[str, Evict] = field(default_factory=dict)

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> Outcome:
        found = cls()
        for decision in decisions:
            match decision:
                case Start():
                    found.started[decision.job] = decision
                case Keep():
                    found.kept[decision.job] = decision
                case Reserve():
                    found.reserved[decision.job] = decision
                case Wait():
                    found.waits[decision.job] = decision
                case Evict():
                    found.evicted[decision.job] = decision
        return found


@dataclass(frozen=True, slots=True)
class Answer:
    """The cycle with the change, and the same cycle without it."""

    before: Outcome
    after: Outcome

    @property
    def newly_evicted(self) -> dict[str, Evict]:
        return {job: evict for job, evict in self.after.evicted.items() if job not in self.before.evicted}

    @property
    def newly_started(self) -> list[str]:
        return [job for job in self.after.started if job not in self.before.started]

    @property
    def no_longer_started(self) -> list[str]:
        return [job for job in self.before.started if job not in self.after.started]

    @property
    def spared(self) -> list[str]:
        return [job for job in self.before.evicted if job not in self.after.evicted]

    def reason_of(self, job: str) -> Reason | None:
        wait = self.after.waits.get(job)
        return wait.reason if wait else None


def changed(snapshot: Snapshot, change: Change) -> Snapshot:
    """The world as it would be. Raises KeyError for a queue or node that is not in it."""
    known = {queue.id for queue in snapshot.queues}
    nodes = {node.id for node in snapshot.nodes}
    for queue in [*(queue for queue, _ in change.quotas), *change.queues]:
        if queue not in known:
            raise KeyError(queue)
    for node in change.cordon | change.uncordon:
        if node not in nodes:
            raise KeyError(node)
    pending = snapshot.pending if change.submit is None else (*snapshot.pending, change.submit)
    return replace(
        snapshot,
        nodes=tuple(
            replace(
                node, cordoned=(node.cordoned or node.id in change.cordon) and node.id not in change.uncordon
            )
            for node in snapshot.nodes
        ),
        queues=tuple(_changed_queue(queue, change) for queue in snapshot.queues),
        pending=pending,
    )


def _changed_queue(queue: Queue, change: Change) -> Queue:
    quotas = dict(queue.quotas)
    for (of, name), fields in change.quotas.items():
        if of == queue.id:
            quotas[name] = replace(quotas.get(name, Quota()), **fields)
    return replace(queue, quotas=quotas, **change.queues.get(queue.id, {}))


def what_if(snapshot: Snapshot, change: Change, now: int, budget: int) -> Answer:
    """One cycle with the change and one without, both on copies; nothing is written anywhere."""
    before = Outcome.of(list(decide(snapshot, now, budget)))
    after = Outcome.of(list(decide(changed(snapshot, change), now, budget)))
    return Answer(before, after)
