"""Why a job is where it is, as checks in the order in which they are made."""

from __future__ import annotations

from typing import Any

from vast.common.reasons import Reason, render, spelled_out
from vast.common.sentences import current_language
from vast.jobs.choices import JobState
from vast.jobs.models import Job

ORDER = [
    "CHECK_VALID",
    "CHECK_RELEASED",
    "CHECK_QUEUE_OPEN",
    "CHECK_LIMIT",
    "CHECK_MODEL",
    "CHECK_ROOM",
    "CHECK_GANG",
]
MOST_AHEAD = 5
# At which check a waiting reason stops the job.
STOPS_AT = {
    "HELD_BY_USER": "CHECK_RELEASED",
    "QUEUE_CLOSED": "CHECK_QUEUE_OPEN",
    "EXCEEDS_LIMIT": "CHECK_LIMIT",
    "LARGER_THAN_LIMIT": "CHECK_LIMIT",
    "NOT_PREEMPTIBLE_BEYOND_GUARANTEE": "CHECK_LIMIT",
    "RESERVED_FOR_OTHERS": "CHECK_LIMIT",
    "NO_MATCHING_MODEL": "CHECK_MODEL",
    "INSUFFICIENT_RESOURCES": "CHECK_ROOM",
    "GANG_INCOMPLETE": "CHECK_GANG",
}
NOT_LOOKED_AT = {
    "NOT_EVALUATED_YET",
    "BACKING_OFF",
    "LAUNCH_FAILED",
    "LAUNCH_TIMED_OUT",
    "NODE_STOPPED",
    "TASK_LOST",
}


def explain(job: Job) -> dict[str, Any]:
    """The headline and the checks; a check after the one that failed was not looked at (null)."""
    reason, language = job.reason, current_language()
    return {
        "state": job.state,
        "headline": None if reason is None else spelled_out(reason, language),
        "message": render(reason, language) if reason else "",
        "position": job.position,
        "ahead": _ahead(job),
        "checks": [_check(code, ok, job) for code, ok in _verdicts(job)],
        "evaluated_at": job.reason_at,
    }


def _ahead(job: Job) -> list[dict[str, Any]]:
    """The first of those that wait in front of it in its queue; they are of its tenant, so its reader may know them."""
    if job.state != JobState.PENDING or not job.position:
        return []
    rows = Job.objects.filter(queue=job.queue_id, state=JobState.PENDING, position__lt=job.position)
    return list(rows.order_by("position").values("id", "name", "priority", "position")[:MOST_AHEAD])


def _verdicts(job: Job) -> list[tuple[str, bool | None]]:
    if job.state not in {JobState.HELD, JobState.PENDING, JobState.BLOCKED}:
        return [(code, True) for code in ORDER]
    code = (job.reason or {}).get("code", "NOT_EVALUATED_YET")
    if code in NOT_LOOKED_AT:
        return [("CHECK_VALID", True), ("CHECK_RELEASED", True), *((c, None) for c in ORDER[2:])]
    stop = ORDER.index(STOPS_AT.get(code, "CHECK_ROOM"))
    return [(c, True if i < stop else False if i == stop else None) for i, c in enumerate(ORDER)]


def _check(code: str, ok: bool | None, job: Job) -> dict[str, Any]:
    params = {"queue": job.queue.path, "tasks": job.tasks_total, "requested": ""}
    return {
        "code": code,
        "ok": ok,
        "params": params,
        "message": render(Reason(code, params), current_language()),
    }
