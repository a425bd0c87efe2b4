"""Evictions on the real database: whole or not at all, and everything afterwards finds its way back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.domain import Lab
from vast.allocation.models import Hold
from vast.allocation.services import cancel
from vast.common import clock
from vast.common.models import OutboxMessage
from vast.jobs.choices import JobState, TaskState
from vast.jobs.models import Job, JobEvent

pytestmark = pytest.mark.django_db
HIGH = {"priority": 10}


def test_an_urgent_job_in_a_full_queue_starts_and_its_victim_resumes(lab: Lab) -> None:
    lab.node("a")
    victim = lab.run(lab.submit(name="victim", devices=1))
    urgent = lab.submit(name="urgent", devices=1, top=HIGH)
    lab.schedule()
    stopping = lab.fresh(victim)
    assert (stopping.state, stopping.reason["code"]) == (JobState.STOPPING, "EVICTED_FOR_PRIORITY")
    assert stopping.reason["params"]["job"] == "urgent"
    assert OutboxMessage.objects.filter(kind="stop").count() == 1
    assert Hold.objects.get().job_id == urgent.pk
    assert lab.fresh(urgent).reason["code"] == "WAITING_FOR_ROOM"

    lab.exited(victim, cause="stopped", code=143)
    assert lab.fresh(victim).state == JobState.PENDING
    lab.schedule()
    assert lab.fresh(urgent).state == JobState.STARTING
    assert not Hold.objects.exists()

    lab.started(urgent)
    lab.exited(urgent)
    assert lab.run(victim).state == JobState.RUNNING
    assert lab.fresh(victim).attempt == 2


def test_nobody_is_told_twice_to_stop(lab: Lab) -> None:
    lab.node("a")
    lab.run(lab.submit(devices=1))
    lab.submit(name="urgent", devices=1, top=HIGH)
    for _ in range(3):
        lab.schedule()
    assert OutboxMessage.objects.filter(kind="stop").count() == 1


def test_a_guarantee_is_taken_back_from_a_borrower(lab: Lab) -> None:
    lab.node("a", devices=2)
    quota = {"device_class": "nvidia-80g", "guaranteed": 1000}
    lab.queue("lender", quotas=[quota])
    lab.queue("borrower", quotas=[{"device_class": "nvidia-80g", "guaranteed": 1000}])
    borrowed = [lab.submit(name=f"b{i}", queue="borrower", devices=1) for i in range(2)]
    for job in borrowed:
        lab.run(job)
    back = lab.submit(name="back", queue="lender", devices=1)
    lab.schedule()
    gone = [job for job in borrowed if lab.fresh(job).state == JobState.STOPPING]
    assert len(gone) == 1
    assert lab.fresh(gone[0]).reason["code"] in {"EVICTED_FOR_SHARE", "EVICTED_FOR_GUARANTEE"}
    lab.exited(gone[0], cause="stopped", code=143)
    assert lab.run(back).state == JobState.RUNNING
    lab.schedule()
    assert lab.fresh(gone[0]).state == JobState.PENDING


def test_a_victim_that_ended_meanwhile_changes_nothing_of_the_others(lab: Lab) -> None:
    """The whole deal is dropped, and decided again on the new state."""
    lab.node("a", devices=2)
    jobs = [lab.run(lab.submit(name=f"v{i}", devices=1)) for i in range(2)]
    urgent = lab.submit(name="urgent", devices=2, top=HIGH)
    snapshot = lab.cycle.world.snapshot
    lab.cycle.world.snapshot = lambda: _then(snapshot, lambda: lab.exited(jobs[0]))  # type: ignore[method-assign]
    lab.schedule()
    assert lab.fresh(jobs[1]).state == JobState.RUNNING
    assert not Hold.objects.exists()
    lab.cycle.world.snapshot = snapshot  # type: ignore[method-assign]
    lab.schedule()
    assert lab.fresh(jobs[1]).state == JobState.STOPPING
    assert Hold.objects.get().job_id == urgent.pk


def _then(snapshot, meanwhile):  # type: ignore[no-untyped-def]
    taken = snapshot()
    meanwhile()
    return taken


def test_cancelling_the_asker_ends_its_hold(lab: Lab) -> None:
    lab.node("a")
    victim = lab.run(lab.submit(devices=1))
    urgent = lab.submit(name="urgent", devices=1, top=HIGH)
    lab.schedule()
    cancel(job_id=urgent.pk, actor="mia")
    lab.exited(victim, cause="stopped", code=143)
    lab.schedule()
    assert not Hold.objects.exists()
    assert lab.fresh(victim).state == JobState.STARTING


def test_a_hold_that_timed_out_ends_and_its_job_evicts_nobody_for_a_while(lab: Lab) -> None:
    lab.node("a")
    lab.run(lab.submit(devices=1))
    urgent = lab.submit(name="urgent", devices=1, top=HIGH)
    lab.schedule()
    with clock.frozen(clock.now() + timedelta(seconds=700)):
        lab.schedule()
        assert not Hold.objects.filter(kind="hold").exists()
        assert lab.fresh(urgent).evict_not_before > clock.now()


def elastic(lab: Lab, *, replicas: int, minimum: int) -> Job:
    job = lab.submit(name="elastic", replicas=replicas, devices=1)
    document = job.document
    document["groups"][0]["min_replicas"] = minimum
    Job.objects.filter(pk=job.pk).update(document=document)
    return job


def test_an_elastic_job_starts_with_what_there_is_and_grows(lab: Lab) -> None:
    lab.node("a", devices=2)
    other = lab.run(lab.submit(name="other", devices=1))
    job = lab.run(elastic(lab, replicas=2, minimum=1))
    assert job.state == JobState.RUNNING
    assert len(lab.live(job)) == 1
    lab.exited(other)
    lab.schedule()
    assert len(lab.live(job)) == 2
    assert lab.live(job)[1].order["env"]["WORLD_SIZE"] == "2"
    lab.started(job)
    lab.exited(job)
    assert lab.fresh(job).state == JobState.SUCCEEDED


def test_an_extra_is_taken_back_and_its_job_runs_on(lab: Lab) -> None:
    lab.node("a", devices=2)
    job = lab.run(elastic(lab, replicas=2, minimum=1))
    lab.schedule()
    lab.started(job)
    assert len(lab.live(job)) == 2
    peer = lab.submit(name="peer", devices=1)
    lab.schedule()
    assert lab.fresh(job).state == JobState.RUNNING
    lab.exited(job, rank=1, cause="stopped", code=143)
    assert lab.fresh(job).state == JobState.RUNNING
    assert job.tasks.get(rank=1).state == TaskState.PENDING
    assert lab.run(peer).state == JobState.RUNNING
    assert JobEvent.objects.filter(job=job, kind="shrunk").exists()


def test_an_elastic_job_that_never_got_its_extras_succeeds_without_them(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(elastic(lab, replicas=3, minimum=1))
    lab.exited(job)
    assert lab.fresh(job).state == JobState.SUCCEEDED
    assert set(job.tasks.values_list("state", flat=True)) == {TaskState.SUCCEEDED, TaskState.CANCELLED}


def test_a_job_that_waited_long_gets_a_reservation(lab: Lab) -> None:
    lab.node("a", devices=2)
    lab.run(lab.submit(name="long", devices=1, top={"max_runtime": "1h", "preemptible": True}))
    wide = lab.submit(name="wide", devices=2)
    with clock.frozen(clock.now() + timedelta(seconds=700)):
        lab.schedule()
    row = Hold.objects.get()
    assert (row.job_id, row.kind) == (wide.pk, "reservation")
    assert row.starts_at is not None
    assert lab.fresh(wide).reason["code"] == "RESERVED"


def test_a_gang_stays_under_one_leaf_switch_though_tighter_places_are_scattered(lab: Lab) -> None:
    """Two leaves: one has a node half in use, which packing alone would fill first."""
    for leaf in ("l1", "l2"):
        for i in range(2):
            lab.node(f"{leaf}-{i}", devices=8, location={"leaf": leaf}, levels=["leaf"])
    lab.run(lab.submit(name="small", devices=4))
    used = lab.live(lab.fresh(Job.objects.get(name="small")))[0].node.location["leaf"]
    gang = lab.submit(
        name="gang", replicas=16, devices=1, top={"topology": {"level": "leaf", "required": True}}
    )
    lab.run(gang)
    leaves = {row.node.location["leaf"] for row in lab.live(gang)}
    assert len(lab.live(gang)) == 16
    assert leaves == {"l1", "l2"} - {used}


def test_a_topology_level_that_the_pool_has_not_is_refused_at_submission(lab: Lab) -> None:
    from vast.allocation.admission import check
    from vast.common.errors import Invalid
    from vast.jobs.document import parse

    lab.node("a", devices=2)
    group = {"replicas": 2, "command": ["true"], "request": {"devices": 1}}
    rule = {"level": "spine", "required": True}
    document = parse({"name": "j", "queue": "research", "groups": [group], "topology": rule})
    with pytest.raises(Invalid) as refused:
        check(document, lab.queues["research"])
    assert refused.value.errors[0].field == "topology"
