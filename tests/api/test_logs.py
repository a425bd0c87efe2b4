"""Reading and downloading a task's log."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.clients import problem
from tests.domain import Lab
from vast.drivers.agent.sockets import NodeOffline

pytestmark = pytest.mark.django_db

LOG = "a log\nof three\nlines, äöü\n".encode()


async def piecewise(task: Any, *, offset: int, limit: int, wait_s: float) -> dict[str, Any]:
    """Stands in for the node: a few bytes at a time, of a log that never ends growing."""
    data = (LOG * 100)[offset : offset + 9].decode("utf-8", "ignore")
    end = offset + len(data.encode())
    return {"data": data, "next_offset": end, "size": max(len(LOG), end), "complete": False}


def test_a_download_is_the_log_as_long_as_it_was_when_asked_for(
    lab: Lab, mia: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vast.jobs.api.views.read_log", piecewise)
    task = lab.submit(devices=1).tasks.get()
    answer = mia.get(f"/api/v1/tasks/{task.pk}/log/?format=text")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="job-main-0.log"'
    got = b"".join(answer)
    assert got.startswith(LOG)
    assert len(got) < len(LOG) + 9


def test_a_download_from_a_node_that_is_away_is_503(
    lab: Lab, mia: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any, **__: Any) -> dict[str, Any]:
        raise NodeOffline

    monkeypatch.setattr("vast.jobs.api.views.read_log", away)
    task = lab.submit(devices=1).tasks.get()
    problem(mia.get(f"/api/v1/tasks/{task.pk}/log/?format=text"), 503, "node_unreachable")
