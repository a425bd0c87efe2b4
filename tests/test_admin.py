"""The admin site: every model is there, and every page of it opens."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from tests.domain import Lab
from vast.allocation.models import Hold
from vast.api.models import SavedView
from vast.common import clock
from vast.inventory.models import Cluster, Device, DeviceLink, TopologyLevel
from vast.inventory.services import create_enrolment_token
from vast.jobs.services import submit
from vast.telemetry.models import DeviceSample
from vast.tenancy.services import create_token

pytestmark = pytest.mark.django_db

MODELS = [
    model
    for config in apps.get_app_configs()
    if config.name.startswith("vast.")
    for model in config.get_models()
]
# Shown inside the page of what they belong to.
INLINE_ONLY = {TopologyLevel}
PAGES = sorted((model for model in MODELS if model not in INLINE_ONLY), key=lambda model: model._meta.label)


def page(model: type[Model], name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


@pytest.fixture
def site(lab: Lab) -> Client:
    """Signed in as an admin; there is at least one row of every model."""
    lab.node("a", devices=2)
    a, b = Device.objects.all()
    DeviceLink.objects.create(a=a, b=b, kind="nvlink", bandwidth_gbps=600)
    DeviceSample.objects.create(device=a, at=clock.now(), util_pct=3.0)
    TopologyLevel.objects.create(cluster=Cluster.objects.get(), name="rack", rank=0)
    lab.queue("limited", quotas=[{"device_class": a.model.device_class_id, "guaranteed": 1000}])
    lab.run(lab.submit(cores=10, memory_mib=64))
    create_enrolment_token(name="agents", pool=lab.pool)
    create_token(user=lab.admin, name="ci")
    SavedView.objects.create(user=lab.admin, page="jobs", name="mine")
    held = lab.submit(devices=1, top={"held": True})
    Hold.objects.create(job=held, queue=held.queue, seats=[])
    from vast.jobs.document import parse

    submit(document=parse(held.document), queue=held.queue, owner=lab.member, key="k", body=b"")
    client = Client()
    client.force_login(lab.admin)
    return client


def test_every_model_is_registered() -> None:
    assert [model._meta.label for model in PAGES if not admin.site.is_registered(model)] == []


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model._meta.label)
def test_the_pages_of_a_model_open(site: Client, model: type[Model]) -> None:
    row = model._default_manager.first()
    assert row is not None, "the fixture makes no such row"
    assert site.get(page(model, "changelist")).status_code == 200
    assert site.get(page(model, "change", row.pk)).status_code == 200
    for text in ("a", str(row.pk), "%", "no such thing"):
        answer = site.get(page(model, "changelist"), {"q": text})
        assert answer.status_code == 200, text


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model._meta.label)
def test_a_model_can_be_searched(model: type[Model]) -> None:
    assert admin.site.get_model_admin(model).search_fields


@pytest.mark.parametrize("model", PAGES, ids=lambda model: model._meta.label)
def test_every_filter_of_a_list_works(site: Client, model: type[Model]) -> None:
    answer = site.get(page(model, "changelist"))
    for spec in answer.context["cl"].filter_specs:
        for choice in spec.choices(answer.context["cl"]):
            assert site.get(page(model, "changelist") + choice["query_string"]).status_code == 200


def test_the_first_page_opens(site: Client) -> None:
    assert site.get(reverse("admin:index")).status_code == 200


def test_members_are_not_let_in(site: Client, lab: Lab) -> None:
    client = Client()
    client.force_login(lab.member)
    assert client.get(reverse("admin:index")).status_code == 302


def test_cordoning_a_node_here_grows_its_version(site: Client, lab: Lab) -> None:
    from vast.inventory.models import Node

    node = Node.objects.get()
    form = {"pool": str(lab.pool.pk), "labels": "{}", "cordoned": "on"}
    form |= {"devices-TOTAL_FORMS": "0", "devices-INITIAL_FORMS": "0"}
    assert site.post(page(Node, "change", node.pk), form).status_code == 302
    changed = Node.objects.get()
    assert changed.cordoned
    assert changed.version == node.version + 1
