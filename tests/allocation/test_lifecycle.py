"""The road of a job from submission to its end, and every way off it."""

from __future__ import annotations

import pytest

from tests.domain import Lab
from vast.allocation.services import MOST_LOSSES, cancel, declare_node_lost, lose_allocations
from vast.common.errors import Conflict
from vast.common.models import OutboxMessage
from vast.inventory.models import Node
from vast.jobs.models import JobEvent

pytestmark = pytest.mark.django_db


def states(job: object) -> list[str]:
    return list(
        JobEvent.objects.filter(job=job, kind="state").order_by("id").values_list("to_state", flat=True)
    )


def test_a_job_goes_from_pending_to_succeeded(lab: Lab) -> None:
    lab.node("a")
    job = lab.submit(cores=10, memory_mib=4096)
    lab.schedule()
    lab.started(job)
    lab.exited(job)
    assert states(job) == ["pending", "starting", "running", "succeeded"]
    assert lab.fresh(job).exit_code == 0
    assert lab.slices_held() == 0


def test_the_order_to_launch_is_written_with_the_decision(lab: Lab) -> None:
    node = lab.node("a")
    job = lab.submit(cores=10, memory_mib=4096)
    lab.schedule()
    message = OutboxMessage.objects.get(kind="launch")
    assert message.node == node.pk
    order = lab.live(job)[0].order
    assert order["env"]["RANK"] == "0"
    assert order["env"]["VAST_DEVICE_MEMORY_MIB"] == "4096"
    assert "a-0" in order["env"]["CUDA_VISIBLE_DEVICES"]


def test_a_failing_task_fails_the_job_and_stops_the_rest_of_its_gang(lab: Lab) -> None:
    lab.node("a", devices=2)
    job = lab.run(lab.submit(replicas=2, devices=1))
    lab.exited(job, rank=1, code=3)
    stopping = lab.fresh(job)
    assert (stopping.state, stopping.reason["code"]) == ("stopping", "TASK_FAILED")
    assert OutboxMessage.objects.filter(kind="stop").count() == 1
    lab.exited(job, rank=0, code=143, cause="stopped")
    ended = lab.fresh(job)
    assert (ended.state, ended.exit_code) == ("failed", 3)
    assert sorted(ended.tasks.values_list("state", flat=True)) == ["cancelled", "failed"]
    assert lab.slices_held() == 0


def test_cancelling_a_pending_job_ends_it_at_once(lab: Lab) -> None:
    job = lab.submit(devices=1)
    cancel(job_id=job.pk, actor="mia")
    assert lab.fresh(job).state == "cancelled"


def test_cancelling_a_running_job_frees_its_slices_when_the_node_confirms(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    cancel(job_id=job.pk, actor="mia")
    assert lab.fresh(job).state == "stopping"
    assert lab.slices_held() == 1
    lab.exited(job, code=143, cause="stopped")
    assert lab.fresh(job).state == "cancelled"
    assert lab.slices_held() == 0


def test_a_job_that_has_ended_cannot_be_cancelled(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    lab.exited(job)
    with pytest.raises(Conflict):
        cancel(job_id=job.pk, actor="mia")


def test_a_job_whose_agent_is_stopped_runs_again(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    lab.exited(job, code=143, cause="agent_shutdown")
    assert lab.fresh(job).state == "pending"
    again = lab.run(job)
    assert (again.state, again.attempt) == ("running", 2)


def test_a_cancel_wins_over_a_requeue(lab: Lab) -> None:
    lab.node("a", devices=2)
    job = lab.run(lab.submit(replicas=2, devices=1))
    lab.exited(job, rank=0, cause="agent_shutdown")
    cancel(job_id=job.pk, actor="mia")
    lab.exited(job, rank=1, cause="stopped")
    assert lab.fresh(job).state == "cancelled"


def test_a_launch_that_keeps_failing_fails_the_job(lab: Lab, settings: object) -> None:
    for name in ("a", "b", "c"):
        lab.node(name)
    job = lab.submit(devices=1)
    for times in (1, 2, 3):
        type(job).objects.filter(pk=job.pk).update(not_before=None)
        lab.cycle.world.forget()
        assert lab.schedule() == 1
        lab.exited(job, code=None, cause="launch_failed", message="no such program")
        assert lab.fresh(job).launch_failures == times
    assert lab.fresh(job).state == "failed"
    assert "no such program" in lab.fresh(job).reason["params"]["message"]


def test_a_repeated_report_changes_nothing(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    before = lab.live(job)
    lab.exited(job)
    events = JobEvent.objects.count()
    from vast.allocation.services import Report, report

    report([Report(allocation=before[0].pk, event="exited", exit_code=1, cause="exit")])
    report([Report(allocation=before[0].pk, event="started")])
    assert lab.fresh(job).state == "succeeded"
    assert JobEvent.objects.count() == events


def test_reports_of_start_and_end_in_one_batch_are_taken_in_order(lab: Lab) -> None:
    lab.node("a")
    job = lab.submit(devices=1)
    lab.schedule()
    from vast.allocation.services import Report, report

    allocation = lab.live(job)[0].pk
    report(
        [
            Report(allocation=allocation, event="started"),
            Report(allocation=allocation, event="exited", exit_code=0, cause="exit"),
        ]
    )
    assert lab.fresh(job).state == "succeeded"


def test_a_gang_task_that_ends_before_the_others_started_does_not_stall_the_job(lab: Lab) -> None:
    lab.node("a", devices=2)
    job = lab.submit(replicas=2, devices=1)
    lab.schedule()
    lab.exited(job, rank=0)
    lab.started(job)
    assert lab.fresh(job).state == "running"
    lab.exited(job, rank=1)
    assert lab.fresh(job).state == "succeeded"


def test_a_task_that_its_node_no_longer_knows_runs_again(lab: Lab) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    lose_allocations([lab.live(job)[0].pk])
    assert lab.fresh(job).state == "pending"
    assert lab.fresh(job).reason["code"] == "TASK_LOST"


def test_a_task_that_is_lost_again_and_again_fails_its_job(lab: Lab) -> None:
    node = lab.node("a")
    job = lab.submit(devices=1)
    for _ in range(MOST_LOSSES):
        assert lab.fresh(job).state == "pending"
        type(job).objects.filter(pk=job.pk).update(not_before=None)
        lab.cycle.world.forget()
        lab.run(job)
        lab.exited(job, code=None, cause="lost", node=node.pk)
    done = lab.fresh(job)
    assert (done.state, done.reason["code"]) == ("failed", "TASK_LOST_TOO_OFTEN")
    assert lab.slices_held() == 0


def test_a_lost_task_runs_again_only_after_a_pause(lab: Lab) -> None:
    node = lab.node("a")
    job = lab.run(lab.submit(devices=1))
    lab.exited(job, code=None, cause="lost", node=node.pk)
    waiting = lab.fresh(job)
    assert waiting.state == "pending"
    assert waiting.not_before > waiting.reason_at


def test_only_an_unreachable_node_can_be_declared_lost(lab: Lab) -> None:
    node = lab.node("a")
    job = lab.run(lab.submit(devices=1))
    with pytest.raises(Conflict):
        declare_node_lost(node=node)
    Node.objects.filter(pk=node.pk).update(state="unreachable")
    node.refresh_from_db()
    assert declare_node_lost(node=node) == 1
    assert lab.fresh(job).state == "pending"
    assert lab.slices_held() == 0


def test_a_node_declared_lost_has_to_enrol_anew(lab: Lab) -> None:
    from vast.inventory.services import create_enrolment_token, enrol, node_by_key, seen

    _, secret = create_enrolment_token(name="t", pool=lab.pool)
    key = enrol(token=secret, nodes=[{"name": "a"}])[0]["key"]
    node = node_by_key(key)
    assert node is not None
    declare_node_lost(node=node)
    assert node_by_key(key) is None
    # Its socket may be open still: what comes over it does not bring the node back.
    assert seen([node.pk]) == [node.pk]
    node.refresh_from_db()
    assert node.state == "unreachable"
    assert node.cordoned


def test_a_job_whose_launch_failed_on_the_only_node_is_tried_there_again(lab: Lab) -> None:
    lab.node("a")
    job = lab.submit(devices=1)
    lab.schedule()
    lab.exited(job, code=None, cause="launch_failed", message="no such program")
    type(job).objects.filter(pk=job.pk).update(not_before=None)
    lab.cycle.world.forget()
    assert lab.schedule() == 1
