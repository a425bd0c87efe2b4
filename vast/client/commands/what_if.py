"""The answer of ``vast job what-if``, laid out to be read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from vast.client.models import Foretold, WhatIf


def what_if_lines(answer: WhatIf) -> Iterator[str]:
    """What would become of the job, and who would have to leave for it."""
    if answer.job is not None:
        yield _headline(answer.job)
    for job in answer.evicted:
        yield f"  {job.name} ({job.job}) would be stopped" + (f": {job.message}" if job.message else "")
    if others := answer.others.get("evicted", 0):
        yield f"  {others} of other tenants would be stopped"


def _headline(job: Foretold) -> str:
    where = ", ".join(job.nodes)
    match job.outcome:
        case "starts":
            return f"it would start at once on {where}"
        case "evicts":
            return f"others would be stopped for it; then it starts on {where}"
        case "reserved":
            return f"it would wait for seats reserved on {where}" + _expected(job.starts_at)
    place = f", at position {job.position} of its queue" if job.position else ""
    return f"it would wait{place}" + (f": {job.message}" if job.message else "")


def _expected(starts_at: int | None) -> str:
    if starts_at is None:
        return ""
    return f", expected {datetime.fromtimestamp(starts_at, UTC).astimezone().strftime('%Y-%m-%d %H:%M')}"
