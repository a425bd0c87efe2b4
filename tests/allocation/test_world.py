"""The engine's picture follows the database by what changed, and equals one that is read anew."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.domain import Lab
from vast.allocation.services import cancel
from vast.allocation.world import World
from vast.common import clock
from vast.inventory.models import Device, Node
from vast.inventory.services import (
    apply_inventory,
    change_node,
    cordon_device,
    mark_unreachable,
    report_health,
)
from vast.jobs.services import change_priority, hold, release
from vast.queues.services import change_queue, delete_queue, set_quotas
from vast.scheduling.snapshot import Snapshot

pytestmark = pytest.mark.django_db


def plain(snapshot: Snapshot) -> tuple[object, ...]:
    return (
        snapshot.nodes,
        snapshot.queues,
        sorted(snapshot.held, key=lambda held: held.task),
        sorted(snapshot.pending, key=lambda job: job.id),
    )


@pytest.fixture
def world(lab: Lab) -> World:
    warm = World()
    warm.snapshot()
    return warm


def same(world: World) -> Snapshot:
    """What the warm world shows, after checking that it is what a new one shows."""
    warm = world.snapshot()
    assert plain(warm) == plain(World().snapshot())
    return warm


def test_a_new_node_is_seen(lab: Lab, world: World) -> None:
    lab.node("a", devices=3)
    assert len(same(world).nodes[0].devices) == 3


def test_changes_of_nodes_and_devices_are_seen(lab: Lab, world: World) -> None:
    node = lab.node("a", devices=2)
    assert same(world).nodes[0].ready
    device = Device.objects.get(uuid="a-0")
    cordon_device(device=device, cordoned=True)
    assert same(world).nodes[0].devices[0].cordoned
    change_node(node=Node.objects.get(pk=node.pk), cordoned=True, labels={"tier": "gold"})
    assert (same(world).nodes[0].cordoned, same(world).nodes[0].labels) == (True, {"tier": "gold"})
    report_health(node_id=node.pk, health={"a-1": "unhealthy"})
    assert not same(world).nodes[0].devices[1].healthy


def test_a_node_that_falls_silent_is_seen(lab: Lab, world: World) -> None:
    lab.node("a")
    assert mark_unreachable(silent_for=timedelta(seconds=-1)) == 1
    assert not same(world).nodes[0].ready


def test_quotas_states_and_the_tree_are_seen(lab: Lab, world: World) -> None:
    extra = lab.queue("extra")
    assert [queue.name for queue in same(world).queues] == ["extra", "research"]
    set_quotas(queue=extra, quotas=[{"device_class": "nvidia-80g", "guaranteed": 0, "limit": 500}])
    assert same(world).queues[0].quotas["nvidia-80g"].limit == 500
    change_queue(queue=extra, state="closed")
    assert not same(world).queues[0].open
    delete_queue(queue=extra)
    assert [queue.name for queue in same(world).queues] == ["research"]


def test_jobs_that_come_change_and_go_are_seen(lab: Lab, world: World) -> None:
    first, second = lab.submit(devices=1), lab.submit(devices=2)
    assert len(same(world).pending) == 2
    change_priority(job_id=first.pk, priority=9, actor="mia")
    assert {job.priority for job in same(world).pending} == {0, 9}
    hold(job_id=second.pk, actor="mia")
    assert len(same(world).pending) == 1
    release(job_id=second.pk, actor="mia")
    cancel(job_id=first.pk, actor="mia")
    assert [job.id for job in same(world).pending] == [str(second.pk)]


def test_what_is_held_is_followed_to_its_end(lab: Lab, world: World) -> None:
    lab.node("a", devices=2)
    job = lab.submit(replicas=2, cores=40, memory_mib=1024)
    lab.schedule()
    assert [held.stopping for held in same(world).held] == [False, False]
    lab.started(job)
    assert len(same(world).held) == 2
    lab.exited(job, rank=0)
    assert len(same(world).held) == 1
    cancel(job_id=job.pk, actor="mia")
    assert [held.stopping for held in same(world).held] == [True]
    lab.exited(job, code=143, cause="stopped")
    assert same(world).held == ()


def test_an_allocation_that_came_and_went_between_two_looks_is_not_shown(lab: Lab, world: World) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    lab.exited(job)
    assert same(world).held == ()


def test_a_job_that_is_put_back_is_pending_again(lab: Lab, world: World) -> None:
    lab.node("a")
    job = lab.run(lab.submit(devices=1))
    same(world)
    lab.exited(job, cause="agent_shutdown")
    assert [pending.id for pending in same(world).pending] == [str(job.pk)]


def test_a_device_that_vanished_takes_nothing_more(lab: Lab, world: World) -> None:
    node = lab.node("a", devices=2)
    same(world)
    apply_inventory(node_id=node.pk, agent_version="t", inventory={"devices": []})
    warm = same(world)
    lab.submit(devices=1)
    assert lab.schedule() == 0
    assert all(not device.healthy or device.cordoned for device in warm.nodes[0].devices)


def test_an_unchanged_database_is_not_read_again(lab: Lab, world: World) -> None:
    from tests.api.clients import queries

    lab.node("a", devices=4)
    lab.submit(devices=8)
    world.snapshot()
    before = world.nodes()
    assert queries(world.snapshot) <= 9
    assert world.nodes() is before


def test_a_change_that_was_made_earlier_but_committed_later_is_seen(lab: Lab, world: World) -> None:
    node = lab.node("a")
    same(world)
    with clock.frozen(clock.now() - timedelta(seconds=3)):
        change_node(node=Node.objects.get(pk=node.pk), cordoned=True)
        cordon_device(device=Device.objects.get(), cordoned=True)
        change_queue(queue=lab.queues["research"], state="closed")
    warm = same(world)
    assert warm.nodes[0].cordoned
    assert warm.nodes[0].devices[0].cordoned
    assert not warm.queues[0].open
