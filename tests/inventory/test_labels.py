"""Labels of a node: what the agent reports, overruled by what an admin gives."""

from __future__ import annotations

import pytest

from tests.domain import Lab
from vast.inventory.models import Node
from vast.inventory.services import apply_inventory, change_node

pytestmark = pytest.mark.django_db


def report(node: Node, labels: dict[str, str]) -> dict[str, str]:
    inventory = {"labels": labels, "devices": [], "cpu_millis": 1000, "memory_mib": 1024}
    found = apply_inventory(node_id=node.pk, agent_version="test", inventory=inventory)
    return dict(found.labels)


def test_a_given_label_survives_and_overrules_what_the_agent_reports(lab: Lab) -> None:
    node = lab.node("a", labels={"tier": "silver", "zone": "z1"})
    change_node(node=node, labels={"tier": "gold", "zone": "z1", "team": "vision"})
    assert report(node, {"tier": "bronze", "zone": "z2"}) == {"tier": "gold", "zone": "z2", "team": "vision"}


def test_a_given_label_that_is_taken_back_gives_way_to_the_reported_one(lab: Lab) -> None:
    node = lab.node("a", labels={"tier": "silver"})
    change_node(node=node, labels={"tier": "gold"})
    assert change_node(node=node, labels={}).labels == {"tier": "silver"}
