"""What was foretold is what then happens, in random worlds."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.scheduling.test_eviction_properties import contended
from tests.scheduling.world import BUDGET, NOW
from vast.scheduling.decisions import Evict, Keep, Start, Wait
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import Snapshot
from vast.simulator.play import Play
from vast.simulator.what_if import Change, what_if


@given(contended(), st.integers(0, 20))
def test_a_job_gets_what_was_foretold(world: Snapshot, which: int) -> None:
    assume(world.pending)
    job = world.pending[which % len(world.pending)]
    before = replace(world, pending=tuple(other for other in world.pending if other.id != job.id))
    told = what_if(before, Change(submit=job), NOW, BUDGET).after
    play = Play.of(before)
    play.submit(job)
    then = list(decide(play.snapshot(), NOW, BUDGET))
    assert {d.job: d for d in then if isinstance(d, Evict)} == told.evicted
    assert {d.job: d for d in then if isinstance(d, Start)} == told.started
    assert [d for d in then if isinstance(d, Wait | Keep) and d.job == job.id] == [
        d for d in (told.kept.get(job.id), told.waits.get(job.id)) if d is not None
    ]


@given(contended(), st.integers(0, 20), st.sampled_from((0, 1000, 4000)))
def test_a_changed_guarantee_does_what_was_foretold(world: Snapshot, which: int, guaranteed: int) -> None:
    queue = world.queues[which % len(world.queues)]
    change = Change(quotas={(queue.id, "big"): {"guaranteed": guaranteed}})
    answer = what_if(world, change, NOW, BUDGET)
    changed = tuple(
        replace(q, quotas={**q.quotas, "big": replace(q.quotas["big"], guaranteed=guaranteed)})
        if q is queue
        else q
        for q in world.queues
    )
    then = list(decide(replace(world, queues=changed), NOW, BUDGET))
    assert {d.job: d for d in then if isinstance(d, Evict)} == answer.after.evicted


@given(contended())
def test_nothing_changed_is_nothing_foretold(world: Snapshot) -> None:
    answer = what_if(world, Change(), NOW, BUDGET)
    assert not answer.newly_evicted
    assert not answer.newly_started
    assert not answer.no_longer_started
    assert not answer.spared
