"""Who may add which nodes."""

from __future__ import annotations

import pytest

from tests.domain import Lab
from vast.common.errors import NotAllowed
from vast.inventory.models import Node, Pool
from vast.inventory.services import create_enrolment_token, enrol


def test_a_token_of_one_pool_takes_no_node_of_another(lab: Lab) -> None:
    node = lab.node("a")
    side = Pool.objects.create(name="side")
    _, secret = create_enrolment_token(name="t", pool=side)
    with pytest.raises(NotAllowed):
        enrol(token=secret, nodes=[{"name": "a", "cluster": "lab", "pool": "side"}])
    assert Node.objects.get(pk=node.pk).key_digest == node.key_digest


def test_a_token_gives_a_node_of_its_pool_a_new_key(lab: Lab) -> None:
    node = lab.node("a")
    _, secret = create_enrolment_token(name="t", pool=lab.pool)
    first, second = (enrol(token=secret, nodes=[{"name": "a", "cluster": "lab"}])[0] for _ in range(2))
    assert first["id"] == second["id"] == str(node.pk)
    assert first["key"] != second["key"]
