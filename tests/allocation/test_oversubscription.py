"""More than the physical size may be promised of a card, where an admin says so; the charge stays physical."""

from __future__ import annotations

import pytest

from tests.domain import Lab
from vast.allocation.models import Slice
from vast.inventory.models import Device, DeviceModel, Node
from vast.jobs.choices import JobState
from vast.jobs.models import Job

GIB = 1024


def running(lab: Lab, jobs: list[Job]) -> int:
    lab.schedule()
    return sum(lab.fresh(job).state == JobState.STARTING for job in jobs)


def thirds(lab: Lab, count: int) -> list[Job]:
    """Jobs of a third of an A100's compute and memory each."""
    return [lab.submit(name=f"job-{i}", cores=33, memory_mib=27_000) for i in range(count)]


@pytest.mark.django_db
class TestOversubscription:
    def test_it_is_off_unless_it_is_set(self, lab: Lab) -> None:
        lab.node("a")
        assert running(lab, thirds(lab, 7)) == 3

    def test_a_pool_of_twice_the_size_takes_twice_as_many_slices(self, lab: Lab) -> None:
        lab.pool.cores_ratio = lab.pool.memory_ratio = 2000
        lab.pool.save()
        lab.node("a")
        assert running(lab, thirds(lab, 7)) == 6
        assert sum(Slice.objects.values_list("cores", flat=True)) == 198

    def test_the_ratio_of_the_model_overrules_the_pools_and_the_nodes_overrules_both(self, lab: Lab) -> None:
        lab.pool.cores_ratio = lab.pool.memory_ratio = 3000
        lab.pool.save()
        DeviceModel.objects.filter(name="A100-SXM4-80GB").update(cores_ratio=2000, memory_ratio=2000)
        lab.node("a")
        lab.node("b")
        Node.objects.filter(name="b").update(cores_ratio=1000, memory_ratio=1000)
        assert running(lab, thirds(lab, 12)) == 6 + 3

    def test_the_charge_is_of_the_physical_card(self, lab: Lab) -> None:
        lab.pool.cores_ratio = lab.pool.memory_ratio = 2000
        lab.pool.save()
        lab.node("a")
        (job,) = thirds(lab, 1)
        running(lab, [job])
        assert Slice.objects.get().charge == 330

    def test_memory_beyond_the_card_is_given_only_while_the_nodes_ram_lasts(self, lab: Lab) -> None:
        lab.pool.memory_ratio = 2000
        lab.pool.save()
        lab.node("a", memory_mib=30 * GIB)
        jobs = [lab.submit(name=f"job-{i}", cores=1, memory_mib=20 * GIB) for i in range(8)]
        assert running(lab, jobs) == 4 + 1

    def test_a_lowered_ratio_refuses_newcomers_and_leaves_who_runs(self, lab: Lab) -> None:
        lab.pool.cores_ratio = lab.pool.memory_ratio = 2000
        lab.pool.save()
        lab.node("a")
        running(lab, thirds(lab, 4))
        lab.pool.cores_ratio = lab.pool.memory_ratio = 1000
        lab.pool.touch()
        lab.pool.save()
        late = lab.submit(name="late", cores=1, memory_mib=64)
        assert running(lab, [late]) == 0
        assert Slice.objects.filter(live=True).count() == 4
        assert Device.objects.get().cordoned is False
