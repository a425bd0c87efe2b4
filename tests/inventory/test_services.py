"""The inventory follows what agents report; nodes enrol, fall silent and come back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.domain import Lab
from vast.common import clock
from vast.common.errors import Invalid, NotAllowed
from vast.inventory.models import Device, DeviceClass, DeviceLink, DeviceModel, EnrolmentToken, Node, Pool
from vast.inventory.services import (
    BadEnrolmentToken,
    apply_inventory,
    change_node,
    create_enrolment_token,
    enrol,
    install_catalogue,
    mark_unreachable,
    node_by_key,
    report_health,
    seen,
)
from vast.vendors.registry import vendors

pytestmark = pytest.mark.django_db


def device(index: int, **about: Any) -> dict[str, Any]:
    return {
        "uuid": f"u{index}",
        "index": index,
        "vendor": "nvidia",
        "model": "A100-SXM4-80GB",
        "memory_mib": 81_920,
        "max_slices": 10,
        "health": "healthy",
    } | about


def apply(node: Node, *devices: dict[str, Any], **about: Any) -> Node:
    inventory = {
        "address": "10.0.0.1",
        "cpu_millis": 8000,
        "memory_mib": 1024,
        "devices": list(devices),
        **about,
    }
    return apply_inventory(node_id=node.pk, agent_version="1", inventory=inventory)


@pytest.fixture
def node(lab: Lab) -> Node:
    return lab.node("n", devices=0)


class TestApplying:
    def test_new_devices_appear(self, node: Node) -> None:
        apply(node, device(0), device(1, bus_id="0000:01:00.0", numa=1, link_group="g"))
        rows = list(Device.objects.order_by("index"))
        assert [row.uuid for row in rows] == ["u0", "u1"]
        assert (rows[1].numa, rows[1].bus_id, rows[1].link_group, rows[1].max_slices) == (
            1,
            "0000:01:00.0",
            "g",
            10,
        )

    def test_a_changed_device_keeps_its_row_and_its_cordon(self, node: Node) -> None:
        apply(node, device(0))
        before = Device.objects.get()
        Device.objects.update(cordoned=True)
        apply(node, device(0, memory_mib=40_000, health="unhealthy"))
        after = Device.objects.get()
        assert (after.pk, after.cordoned) == (before.pk, True)
        assert (after.memory_mib, after.health) == (40_000, "unhealthy")

    def test_a_vanished_device_is_kept_but_no_longer_present(self, node: Node) -> None:
        apply(node, device(0), device(1))
        apply(node, device(1))
        assert dict(Device.objects.values_list("uuid", "present")) == {"u0": False, "u1": True}

    def test_a_device_that_comes_back_is_the_same_row(self, node: Node) -> None:
        apply(node, device(0))
        before = Device.objects.get().pk
        apply(node)
        apply(node, device(0))
        row = Device.objects.get()
        assert (row.pk, row.present) == (before, True)

    def test_health_that_is_not_told_is_unknown(self, node: Node) -> None:
        told = device(0)
        del told["health"]
        apply(node, told)
        assert Device.objects.get().health == "unknown"

    def test_an_unchanged_report_writes_no_device(self, node: Node) -> None:
        apply(node, device(0))
        before = Device.objects.get().updated_at
        apply(node, device(0))
        assert Device.objects.get().updated_at == before

    def test_an_unknown_vendor_is_refused_as_a_whole(self, node: Node) -> None:
        with pytest.raises(Invalid) as caught:
            apply(node, device(0), device(1, vendor="nobody"), cpu_millis=5)
        assert caught.value.errors[0].field == "devices.vendor"
        assert "nvidia" in caught.value.errors[0].allowed
        assert not Device.objects.exists()
        node.refresh_from_db()
        assert node.cpu_millis != 5

    def test_an_unlisted_model_joins_its_vendors_class_of_others(self, node: Node) -> None:
        apply(
            node, device(0, model="Z9 Ultra", memory_mib=1000), device(1, model="Z9 Ultra", memory_mib=1000)
        )
        model = DeviceModel.objects.get(name="Z9 Ultra")
        assert (model.vendor, model.memory_mib, model.device_class_id) == ("nvidia", 1000, "nvidia-other")
        assert Device.objects.filter(model=model).count() == 2

    def test_links_are_replaced(self, node: Node) -> None:
        links = [
            {"a": "u0", "b": "u1", "kind": "nvlink", "bandwidth_gbps": 600},
            {"a": "u0", "b": "gone", "kind": "x"},
        ]
        apply(node, device(0), device(1), links=links)
        assert list(DeviceLink.objects.values_list("a__uuid", "b__uuid", "bandwidth_gbps")) == [
            ("u0", "u1", 600)
        ]
        apply(node, device(0), device(1), links=[])
        assert not DeviceLink.objects.exists()

    def test_levels_of_the_network_are_noted_widest_first(self, node: Node) -> None:
        apply(node, levels=["zone", "rack"], location={"zone": "z1", "rack": "r1"})
        assert list(node.cluster.levels.values_list("name", "rank")) == [("zone", 0), ("rack", 1)]

    def test_a_cordon_survives_a_report(self, node: Node) -> None:
        change_node(node=Node.objects.get(pk=node.pk), cordoned=True)
        assert apply(node, device(0)).cordoned


class TestHealth:
    def test_only_a_change_is_written(self, node: Node) -> None:
        apply(node, device(0))
        report_health(node_id=node.pk, health={"u0": "unhealthy"})
        row = Device.objects.get()
        assert row.health == "unhealthy"
        report_health(node_id=node.pk, health={"u0": "unhealthy"})
        assert Device.objects.get().version == row.version

    def test_nonsense_and_devices_of_other_nodes_are_left_alone(self, lab: Lab, node: Node) -> None:
        apply(node, device(0))
        other = lab.node("m")
        report_health(node_id=node.pk, health={"u0": "splendid", "m-0": "unhealthy"})
        assert Device.objects.get(uuid="u0").health == "healthy"
        assert other.devices.get().health == "healthy"


class TestSilence:
    def test_a_silent_node_is_unreachable_and_back_when_heard(self, lab: Lab) -> None:
        node = lab.node("a")
        with clock.frozen(clock.now() + timedelta(seconds=14)):
            assert mark_unreachable(silent_for=timedelta(seconds=15)) == 0
        with clock.frozen(clock.now() + timedelta(seconds=16)):
            assert mark_unreachable(silent_for=timedelta(seconds=15)) == 1
            job = lab.submit(devices=1)
            assert lab.schedule() == 0
            assert lab.fresh(job).reason["evidence"][0]["code"] == "NODE_UNREACHABLE"
            seen([node.pk])
            assert mark_unreachable(silent_for=timedelta(seconds=15)) == 0
            assert lab.schedule() == 1

    def test_what_runs_on_a_silent_node_is_left_alone(self, lab: Lab) -> None:
        lab.node("a")
        job = lab.run(lab.submit(devices=1))
        mark_unreachable(silent_for=timedelta(seconds=-1))
        lab.schedule()
        assert lab.fresh(job).state == "running"
        assert lab.slices_held() == 1


class TestEnrolment:
    def test_a_node_gets_a_key_that_works(self, lab: Lab) -> None:
        _, secret = create_enrolment_token(name="t")
        (made,) = enrol(token=secret, nodes=[{"name": "a", "cluster": "east", "pool": "fast"}])
        node = node_by_key(made["key"])
        assert node is not None
        assert (str(node.pk), node.name, node.cluster.name, node.pool.name) == (
            made["id"],
            "a",
            "east",
            "fast",
        )
        assert node.state == "unreachable"

    def test_only_hashes_are_kept(self, lab: Lab) -> None:
        _, secret = create_enrolment_token(name="t")
        (made,) = enrol(token=secret, nodes=[{"name": "a"}])
        assert made["key"] not in str(Node.objects.values().get())
        assert secret not in str(EnrolmentToken.objects.values().get())

    def test_enrolling_again_gives_the_same_node_another_key(self, lab: Lab) -> None:
        _, secret = create_enrolment_token(name="t")
        first, again = (enrol(token=secret, nodes=[{"name": "a"}])[0] for _ in range(2))
        assert first["id"] == again["id"]
        assert node_by_key(first["key"]) is None
        assert node_by_key(again["key"]) is not None

    def test_the_same_name_in_another_cluster_is_another_node(self, lab: Lab) -> None:
        _, secret = create_enrolment_token(name="t")
        made = enrol(token=secret, nodes=[{"name": "a", "cluster": "east"}, {"name": "a", "cluster": "west"}])
        assert made[0]["id"] != made[1]["id"]

    @pytest.mark.parametrize("token", ["", "wrong", "vaste_wrong"])
    def test_a_wrong_token_is_refused(self, lab: Lab, token: str) -> None:
        create_enrolment_token(name="t")
        with pytest.raises(BadEnrolmentToken):
            enrol(token=token, nodes=[{"name": "a"}])
        assert not Node.objects.exists()

    def test_an_expired_token_is_refused(self, lab: Lab) -> None:
        _, secret = create_enrolment_token(name="t", expires_at=clock.now())
        with pytest.raises(BadEnrolmentToken):
            enrol(token=secret, nodes=[{"name": "a"}])

    def test_a_token_of_one_pool_adds_to_that_pool_only(self, lab: Lab) -> None:
        _, secret = create_enrolment_token(name="t", pool=lab.pool)
        with pytest.raises(NotAllowed):
            enrol(token=secret, nodes=[{"name": "a"}, {"name": "b", "pool": "other"}])
        assert not Node.objects.exists()

    def test_a_token_of_one_pool_takes_over_no_node_of_another(self, lab: Lab) -> None:
        _, anywhere = create_enrolment_token(name="t1")
        (made,) = enrol(token=anywhere, nodes=[{"name": "a", "pool": "precious"}])
        _, secret = create_enrolment_token(name="t2", pool=lab.pool)
        with pytest.raises(NotAllowed):
            enrol(token=secret, nodes=[{"name": "a"}])
        assert node_by_key(made["key"]) is not None

    @pytest.mark.parametrize("key", ["", "vastn_", "vastn_zz_x", f"vastn_{'0' * 32}_x"])
    def test_a_key_that_is_none_opens_nothing(self, lab: Lab, key: str) -> None:
        assert node_by_key(key) is None

    def test_a_node_that_never_enrolled_has_no_key(self, node: Node) -> None:
        assert node_by_key(f"vastn_{node.pk.hex}_") is None


def test_the_catalogue_holds_every_vendors_models_and_may_be_installed_again(lab: Lab) -> None:
    before = DeviceModel.objects.count()
    install_catalogue()
    assert DeviceModel.objects.count() == before == sum(len(vendor.models) for vendor in vendors().values())
    assert set(DeviceModel.objects.values_list("vendor", flat=True)) == set(vendors())
    assert DeviceClass.objects.count() > 8
    assert Pool.objects.count() == 1
