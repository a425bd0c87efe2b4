"""The queue tree and its quotas: the rules that span rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domain import Lab
from vast.common.errors import Conflict, Invalid
from vast.inventory.models import Pool
from vast.queues.models import Queue
from vast.queues.selectors import is_leaf, visible_queues
from vast.queues.services import change_queue, create_queue, delete_queue, set_quotas
from vast.queues.usage import usage_by_queue

pytestmark = pytest.mark.django_db
CARD = "nvidia-80g"


def quota(**about: Any) -> list[dict[str, Any]]:
    return [{"device_class": CARD, **about}]


def codes(error: Any) -> dict[str, str]:
    return {item.field: item.code for item in error.value.errors}


def test_a_path_is_the_names_from_the_root(lab: Lab) -> None:
    lab.queue("a")
    below = lab.queue("b", parent="a")
    assert (below.path, below.depth, below.tenant) == ("a/b", 1, lab.tenant)
    assert not is_leaf(lab.queues["a"])
    assert is_leaf(below)


def test_a_path_is_taken_once(lab: Lab) -> None:
    with pytest.raises(Invalid) as caught:
        lab.queue("research")
    assert codes(caught) == {"name": "taken"}


def test_a_parent_in_another_pool_is_refused(lab: Lab) -> None:
    with pytest.raises(Invalid) as caught:
        create_queue(pool=Pool.objects.create(name="p2"), name="x", parent=lab.queues["research"])
    assert codes(caught) == {"parent": "other_pool"}


def test_a_queue_with_jobs_stays_a_leaf(lab: Lab) -> None:
    lab.submit(devices=1)
    with pytest.raises(Conflict):
        lab.queue("x", parent="research")


def test_a_queue_with_children_or_history_is_not_deleted(lab: Lab) -> None:
    lab.queue("a")
    lab.queue("b", parent="a")
    with pytest.raises(Conflict):
        delete_queue(queue=lab.queues["a"])
    delete_queue(queue=lab.queues["a/b"])
    delete_queue(queue=lab.queues["a"])
    lab.submit(devices=1)
    with pytest.raises(Conflict):
        delete_queue(queue=lab.queues["research"])


@pytest.mark.parametrize(
    ("quotas", "wrong"),
    [
        (quota(guaranteed=2000, limit=1000), {"quotas[0].limit": "below_guaranteed"}),
        (quota(guaranteed=1000, reserved=2000), {"quotas[0].reserved": "above_guaranteed"}),
        ([{"device_class": "nope"}], {"quotas[0].device_class": "unknown"}),
        (quota() + quota(), {"quotas[1].device_class": "twice"}),
    ],
)
def test_quotas_that_contradict_themselves_are_refused(
    lab: Lab, quotas: list[dict[str, Any]], wrong: dict[str, str]
) -> None:
    with pytest.raises(Invalid) as caught:
        set_quotas(queue=lab.queues["research"], quotas=quotas)
    assert codes(caught) == wrong
    with pytest.raises(Invalid):
        lab.queue("new", quotas=quotas)
    assert not Queue.objects.filter(name="new").exists()


def test_children_are_guaranteed_at_most_what_their_parent_is(lab: Lab) -> None:
    lab.queue("a", quotas=quota(guaranteed=4000))
    lab.queue("b", parent="a", quotas=quota(guaranteed=3000))
    with pytest.raises(Invalid):
        lab.queue("c", parent="a", quotas=quota(guaranteed=1001))
    lab.queue("c", parent="a", quotas=quota(guaranteed=1000))
    with pytest.raises(Invalid):
        set_quotas(queue=lab.queues["a"], quotas=quota(guaranteed=3999))
    assert lab.queues["a"].quotas.get().guaranteed == 4000


def test_a_refused_change_of_quotas_leaves_the_old_ones(lab: Lab) -> None:
    queue = set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=1000, limit=2000))
    with pytest.raises(Invalid):
        set_quotas(queue=queue, quotas=quota(guaranteed=3, limit=1))
    kept = queue.quotas.get()
    assert (kept.guaranteed, kept.limit, kept.weight) == (1000, 2000, 100)


def test_a_closed_queue_takes_jobs_and_starts_none(lab: Lab) -> None:
    lab.node("a")
    change_queue(queue=lab.queues["research"], state="closed")
    job = lab.submit(devices=1)
    assert lab.schedule() == 0
    assert lab.fresh(job).reason["code"] == "QUEUE_CLOSED"
    change_queue(queue=lab.queues["research"], state="open")
    assert lab.schedule() == 1


def test_a_limit_holds_jobs_back_and_says_so(lab: Lab) -> None:
    lab.node("a", devices=4)
    set_quotas(queue=lab.queues["research"], quotas=quota(limit=2000))
    jobs = [lab.submit(name=f"j{i}", devices=1) for i in range(3)]
    assert lab.schedule() == 2
    waiting = lab.fresh(jobs[2])
    assert (waiting.state, waiting.reason["code"]) == ("pending", "EXCEEDS_LIMIT")
    lab.exited(jobs[0])
    assert lab.schedule() == 1


def test_use_is_added_up_along_the_tree(lab: Lab) -> None:
    lab.node("a", devices=2)
    lab.queue("a")
    leaf, other = lab.queue("b", parent="a"), lab.queue("c", parent="a")
    lab.run(
        lab.submit(
            queue="a/b", cores=25, memory_mib=1024, selector=[{"vendor": "nvidia", "model": "A100-SXM4-80GB"}]
        )
    )
    lab.submit(queue="a/c", devices=8, selector=[{"model": "A100-SXM4-80GB"}])
    lab.schedule()
    usage = usage_by_queue()
    assert usage[leaf.pk].held == {CARD: 250}
    assert usage[other.pk].waiting == {CARD: 8000}
    above = usage[lab.queues["a"].pk]
    assert (above.held, above.waiting, above.pending_jobs, above.running_jobs) == (
        {CARD: 250},
        {CARD: 8000},
        1,
        1,
    )
    assert usage[lab.queues["research"].pk].held == {}


def test_members_see_the_queues_of_their_tenants(lab: Lab) -> None:
    create_queue(pool=lab.pool, name="platform")
    assert [queue.path for queue in visible_queues(lab.member)] == ["research"]
    assert [queue.path for queue in visible_queues(lab.admin)] == ["platform", "research"]


class TestOverselling:
    """The roots' guarantees against what the pool has."""

    def test_more_than_there_is_is_refused_and_changes_nothing(self, lab: Lab) -> None:
        lab.node("a", devices=4)
        with pytest.raises(Invalid) as caught:
            set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=4001))
        assert codes(caught) == {"quotas.guaranteed": "oversold"}
        assert not lab.queues["research"].quotas.exists()

    def test_all_roots_count_together_by_their_own_or_their_childrens_guarantees(self, lab: Lab) -> None:
        lab.node("a", devices=4)
        lab.queue("a")
        lab.queue("b", parent="a", quotas=quota(guaranteed=3000))
        set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=1000))
        with pytest.raises(Invalid):
            lab.queue("c", parent="a", quotas=quota(guaranteed=1))

    def test_the_pools_ratio_allows_more(self, lab: Lab) -> None:
        lab.node("a", devices=4)
        Pool.objects.filter(pk=lab.pool.pk).update(oversell=1500)
        set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=6000))
        with pytest.raises(Invalid):
            set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=6001))

    def test_an_oversold_pool_may_be_mended_step_by_step(self, lab: Lab) -> None:
        set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=9000))
        lab.node("a", devices=4)
        set_quotas(queue=lab.queues["research"], quotas=quota(guaranteed=8000))
        assert lab.queues["research"].quotas.get().guaranteed == 8000
