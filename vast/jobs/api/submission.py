"""Checking what was submitted: everything that is wrong in one answer."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import PermissionDenied

from vast.allocation.admission import check, mistakes
from vast.common.errors import FieldError, Invalid
from vast.common.sentences import Sentence, say
from vast.jobs.document import JobDocument, parse
from vast.queues.models import Queue
from vast.queues.selectors import visible_queues
from vast.tenancy.models import User
from vast.tenancy.policies import may_submit

MOST_SUGGESTED = 50


def checked(user: User, data: Any) -> tuple[JobDocument, Queue]:
    """The document and its queue. Raises Invalid with one error per field, or PermissionDenied."""
    document, detail, errors = _parsed(data)
    path = document.queue if document is not None else data.get("queue") if isinstance(data, dict) else None
    queue = None
    # A queue that is no text at all is among the document's errors already.
    if isinstance(path, str) and all(error.field != "queue" for error in errors):
        queue = visible_queues(user).filter(path=path).first()
        if queue is None:
            errors.append(FieldError("queue", "unknown", say("job.no_queue", queue=path), _leaves(user)))
    if document is None or queue is None:
        raise Invalid(detail, errors=[*errors, *mistakes(document, queue)])
    if not may_submit(user, queue.tenant_id):
        raise PermissionDenied(str(say("job.may_not_submit", queue=queue.path)))
    check(document, queue)
    return document, queue


def _parsed(data: Any) -> tuple[JobDocument | None, str | Sentence, list[FieldError]]:
    try:
        return parse(data), "", []
    except Invalid as error:
        return None, error.detail, list(error.errors)


def _leaves(user: User) -> list[str]:
    rows = visible_queues(user).filter(children=None).order_by("path")
    return list(rows.values_list("path", flat=True)[:MOST_SUGGESTED])
