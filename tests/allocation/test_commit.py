"""Committing believes nothing that the engine saw: what changed meanwhile is refused, and never half."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from tests.domain import Lab
from vast.allocation.commit import Committed
from vast.allocation.commit import commit as commit_decisions
from vast.allocation.models import Allocation, Slice
from vast.allocation.world import World
from vast.common.models import OutboxMessage
from vast.inventory.models import Device
from vast.jobs.models import Job, JobEvent
from vast.jobs.services import change_priority, hold
from vast.scheduling.decisions import Start
from vast.scheduling.engine import decide

Decisions = list[tuple[Start, int]]


def decisions() -> Decisions:
    """What a scheduler decides on the present database, not committed."""
    world = World()
    made = decide(world.snapshot(), 2_000_000_000, 1_000_000)
    versions = dict(Job.objects.values_list("pk", "version"))
    return [(item, versions[Job.objects.get(pk=item.job).pk]) for item in made if isinstance(item, Start)]


def commit(made: Decisions) -> Committed:
    versions = {UUID(start.job): version for start, version in made}
    return commit_decisions([start for start, _ in made], versions.__getitem__)


def nothing_was_written() -> bool:
    return not (Allocation.objects.exists() or Slice.objects.exists() or OutboxMessage.objects.exists())


@pytest.mark.django_db
class TestStaleDecisions:
    def test_a_decision_on_the_present_state_is_taken(self, lab: Lab) -> None:
        lab.node("a")
        job = lab.submit(devices=1)
        assert commit(decisions()) == Committed(started=[job.pk], refused=[], orders=True)

    @pytest.mark.parametrize(
        "meanwhile",
        [
            lambda job: change_priority(job_id=job.pk, priority=1, actor="mia"),
            lambda job: hold(job_id=job.pk, actor="mia"),
        ],
        ids=["changed", "held"],
    )
    def test_a_job_that_changed_meanwhile_is_refused(self, lab: Lab, meanwhile: Callable[[Job], Any]) -> None:
        lab.node("a")
        job = lab.submit(devices=1)
        stale = decisions()
        meanwhile(job)
        assert commit(stale) == Committed(started=[], refused=[job.pk])
        assert nothing_was_written()

    def test_a_decision_is_carried_out_once(self, lab: Lab) -> None:
        lab.node("a", devices=2)
        job = lab.submit(devices=1)
        made = decisions()
        commit(made)
        assert commit(made).refused == [job.pk]
        assert Allocation.objects.count() == 1

    def test_a_device_that_filled_up_meanwhile_is_refused(self, lab: Lab) -> None:
        lab.node("a")
        first = lab.submit(cores=60, memory_mib=1024)
        on_first = decisions()
        hold(job_id=first.pk, actor="mia")
        second = lab.submit(cores=60, memory_mib=1024)
        assert commit(decisions()).started == [second.pk]
        Job.objects.filter(pk=first.pk).update(state="pending", version=on_first[0][1])
        assert commit(on_first).refused == [first.pk]
        assert lab.slices_held() == 1

    def test_a_device_that_vanished_meanwhile_is_refused(self, lab: Lab) -> None:
        lab.node("a")
        lab.submit(devices=1)
        stale = decisions()
        Device.objects.update(present=False)
        assert commit(stale).started == []
        assert nothing_was_written()

    def test_a_gang_of_which_one_part_does_not_fit_leaves_nothing(self, lab: Lab) -> None:
        lab.node("a", devices=2)
        gang = lab.submit(name="gang", replicas=2, cores=60, memory_mib=1024)
        stale = decisions()
        taken = stale[0][0].placements[1].slices[0].device
        Job.objects.filter(pk=gang.pk).update(state="held")
        other = lab.submit(name="other", cores=60, memory_mib=1024)
        for start, version in decisions():
            one = start.placements[0]
            moved = type(one.slices[0])(taken, 60, 1024, False, one.slices[0].charge)
            place = type(one)(one.task, one.node, (moved,), one.cpu_millis, one.host_memory_mib)
            commit([(Start(start.job, (place,)), version)])
        Job.objects.filter(pk=gang.pk).update(state="pending")
        follower = lab.submit(name="follower", cores=40, memory_mib=1024)
        rest = [(s, v) for s, v in decisions() if s.job == str(follower.pk)]
        result = commit([*stale, *rest])
        assert result.refused == [gang.pk]
        assert result.started == [follower.pk]
        assert set(Allocation.objects.values_list("job_id", flat=True)) == {other.pk, follower.pk}
        assert lab.fresh(gang).state == "pending"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("asked", "fit"),
    [({"cores": 60, "memory_mib": 64}, 1), ({"devices": 1}, 1), ({"cores": 50, "memory_mib": 64}, 2)],
)
def test_two_schedulers_at_once_never_overfill_a_device(lab: Lab, asked: dict[str, int], fit: int) -> None:
    """Should never be, since one is active; when it is, each job starts at most once and nothing is overfilled."""
    lab.node("a")
    for name in ("one", "two"):
        lab.submit(name=name, **asked)
    both = []
    for job in Job.objects.order_by("name"):
        Job.objects.exclude(pk=job.pk).update(state="held")
        both.append(decisions())
        Job.objects.update(state="pending")
    results: list[Committed] = []
    gate = threading.Barrier(2)

    def go(made: Decisions) -> None:
        try:
            gate.wait(10)
            results.append(commit(made))
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=[made]) for made in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(results) == 2
    assert sum(len(result.started) for result in results) == fit
    assert Slice.objects.count() == fit
    assert JobEvent.objects.filter(to_state="starting").count() == fit
