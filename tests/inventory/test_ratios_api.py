"""Over-subscription is set by admins on pools, models and nodes, and seen by everybody who sees the device."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from tests.domain import Lab
from vast.inventory.models import DeviceModel
from vast.tenancy.models import User

Client = Callable[[User], APIClient]


@pytest.mark.django_db
class TestRatios:
    def test_an_admin_sets_a_models_ratio_and_takes_it_back(self, lab: Lab, as_user: Client) -> None:
        model = DeviceModel.objects.get(name="A100-SXM4-80GB")
        admin = as_user(lab.admin)
        url = f"/api/v1/device-models/{model.pk}/"
        answer = admin.patch(url, {"cores_ratio": 1500}, format="json")
        assert (answer.status_code, answer.json()["cores_ratio"]) == (200, 1500)
        assert admin.patch(url, {"cores_ratio": None}, format="json").json()["cores_ratio"] is None

    def test_an_admin_sets_a_nodes_ratio(self, lab: Lab, as_user: Client) -> None:
        node = lab.node("a")
        admin = as_user(lab.admin)
        tag = admin.get(f"/api/v1/nodes/{node.pk}/")["ETag"]
        answer = admin.patch(
            f"/api/v1/nodes/{node.pk}/", {"memory_ratio": 2000}, format="json", headers={"If-Match": tag}
        )
        assert (answer.status_code, answer.json()["memory_ratio"]) == (200, 2000)

    @pytest.mark.parametrize("ratio", [0, 999, 100_001, -1, "much"])
    def test_a_ratio_below_the_physical_size_or_out_of_reason_is_refused(
        self, lab: Lab, as_user: Client, ratio: object
    ) -> None:
        model = DeviceModel.objects.get(name="A100-SXM4-80GB")
        answer = as_user(lab.admin).patch(
            f"/api/v1/device-models/{model.pk}/", {"memory_ratio": ratio}, format="json"
        )
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "memory_ratio"

    def test_a_member_may_not(self, lab: Lab, as_user: Client) -> None:
        model = DeviceModel.objects.get(name="A100-SXM4-80GB")
        answer = as_user(lab.member).patch(
            f"/api/v1/device-models/{model.pk}/", {"cores_ratio": 2000}, format="json"
        )
        assert answer.status_code == 403

    def test_a_device_tells_how_much_may_be_promised_of_it(self, lab: Lab, as_user: Client) -> None:
        lab.pool.cores_ratio, lab.pool.memory_ratio = 2000, 1500
        lab.pool.save()
        lab.node("a")
        (device,) = as_user(lab.member).get("/api/v1/devices/").json()["results"]
        assert (device["cores_limit"], device["memory_limit_mib"]) == (200, 122_880)
