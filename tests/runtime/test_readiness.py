"""Whether the nodes that were started have joined, asked of a real web process."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.domain import Lab
from vast.common import clock
from vast.inventory.models import Node
from vast.runtime.readiness import nodes_joined
from vast.tenancy.services import create_token


@pytest.mark.django_db(transaction=True)
def test_nodes_that_were_ready_in_an_earlier_run_do_not_count_as_joined(lab: Lab, live_server: Any) -> None:
    for name in ("old", "new"):
        lab.node(name)
    began = clock.now() - timedelta(seconds=1)
    Node.objects.filter(name="old").update(last_seen_at=began - timedelta(seconds=5))
    _, token = create_token(user=lab.admin, name="test")
    assert nodes_joined(live_server.url, token, 1, since=began)()
    assert not nodes_joined(live_server.url, token, 2, since=began)()
