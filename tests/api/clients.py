"""What the API tests share: a document to submit, and how a problem looks."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

CONTENT = "application/problem+json"


def document(**top: Any) -> dict[str, Any]:
    group = {"command": ["true"], "request": {"cores": 10, "memory_mib": 4096}}
    return {"name": "job", "queue": "research", "groups": [group], **top}


def problem(answer: Any, status: int, code: str | None = None) -> dict[str, Any]:
    """The answer is a whole problem of this status; returns its body."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == CONTENT
    body = answer.json()
    assert {"type", "title", "status", "detail", "code", "errors"} <= body.keys()
    assert body["status"] == status
    assert body["title"]
    if code is not None:
        assert body["code"] == code
    return body  # type: ignore[no-any-return]


def fields(answer: Any, status: int = 422) -> dict[str, str]:
    """The fields that a problem names, with their codes."""
    return {error["field"]: error["code"] for error in problem(answer, status)["errors"]}


def queries(get: Any) -> int:
    """How many queries a call makes."""
    with CaptureQueriesContext(connection) as captured:
        get()
    return len(captured)
