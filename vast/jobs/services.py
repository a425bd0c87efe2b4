"""Writers of jobs: submit, hold, release, change priority. Stopping what runs is in ``allocation``, which knows what is held."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from vast.common import clock
from vast.common.broadcast import EVENTS, publish_on_commit
from vast.common.errors import Conflict
from vast.common.ids import new_id
from vast.common.reasons import Reason
from vast.common.sentences import say
from vast.common.wake import wake_scheduler
from vast.jobs.asked import asked_charge
from vast.jobs.choices import JobState
from vast.jobs.document import JobDocument
from vast.jobs.lifecycle import Batch, event_payload
from vast.jobs.models import Job, JobEvent, SubmissionKey, Task
from vast.queues.models import Queue
from vast.tenancy.models import User


class KeyReused(Conflict):
    code = "idempotency_key_reused"
    title = say("title.idempotency_key_reused")


def submit(
    *, document: JobDocument, queue: Queue, owner: User, key: str = "", body: bytes = b""
) -> tuple[Job, bool]:
    """Create the job (or the array of jobs). Returns the first job, and whether it is new.

    With a ``key`` a repeated submission gets the first one's job; another body under the same key is refused.
    """
    digest = hashlib.sha256(body).hexdigest()
    if key and (earlier := _earlier(owner, key, digest)):
        return earlier, False
    try:
        with transaction.atomic():
            job = _create(document, queue, owner)
            if key:
                SubmissionKey.objects.create(user=owner, key=key, body_digest=digest, job=job)
            wake_scheduler()
    except IntegrityError:
        # The same key was committed by a parallel request between the look-up and now.
        earlier = _earlier(owner, key, digest) if key else None
        if earlier is None:
            raise
        return earlier, False
    return job, True


def _earlier(owner: User, key: str, digest: str) -> Job | None:
    known = (
        SubmissionKey.objects.select_related("job__queue", "job__owner").filter(user=owner, key=key).first()
    )
    if known is None:
        return None
    if known.body_digest != digest:
        raise KeyReused
    return known.job


def _create(document: JobDocument, queue: Queue, owner: User) -> Job:
    data = document.model_dump(mode="json")
    array_id = new_id() if document.array > 1 else None
    now = clock.now()
    asked = asked_charge(document)
    state = JobState.HELD if document.held else JobState.PENDING
    waiting = Reason("HELD_BY_USER" if document.held else "NOT_EVALUATED_YET").as_dict()
    jobs = [
        Job(
            name=document.name if array_id is None else f"{document.name}-{index}",
            queue=queue,
            owner=owner,
            priority=document.priority,
            state=state,
            document=data,
            labels=document.labels,
            asked=asked,
            max_runtime_s=document.max_runtime,
            preemptible=document.preemptible,
            tasks_total=document.tasks_total,
            array_id=array_id,
            array_index=index if array_id else None,
            array_size=document.array if array_id else None,
            reason=waiting,
            reason_at=now,
            submitted_at=now,
        )
        for index in range(document.array)
    ]
    Job.objects.bulk_create(jobs, batch_size=1000)
    Task.objects.bulk_create((task for job in jobs for task in _tasks(job, document)), batch_size=2000)
    events = [JobEvent(job=job, kind="state", to_state=state, actor=owner.username, at=now) for job in jobs]
    JobEvent.objects.bulk_create(events, batch_size=2000)
    publish_on_commit(EVENTS, [event_payload(event) for event in events])
    return jobs[0]


def _tasks(job: Job, document: JobDocument) -> list[Task]:
    names = [(group.name, index) for group in document.groups for index in range(group.replicas)]
    return [Task(job=job, group=group, index=index, rank=rank) for rank, (group, index) in enumerate(names)]


@transaction.atomic
def hold(*, job_id: UUID, actor: str) -> Job:
    """Keep a waiting job from starting. Conflict when it no longer waits."""
    return _move(job_id, JobState.HELD, actor, Reason("HELD_BY_USER"))


@transaction.atomic
def release(*, job_id: UUID, actor: str) -> Job:
    """Let a held job wait for its turn. Conflict when it is not held."""
    job = _move(job_id, JobState.PENDING, actor, Reason("NOT_EVALUATED_YET"))
    wake_scheduler()
    return job


@transaction.atomic
def saved(*, job_id: UUID) -> Job:
    """Note a checkpoint of a running job. Conflict when it does not run, or did not say that it saves its work."""
    job = locked(job_id)
    if job.state != JobState.RUNNING:
        raise Conflict(say("job.not_running", state=job.state))
    if job.document["checkpoint"] is None:
        raise Conflict(say("job.no_checkpoint"))
    job.saved_at = clock.now()
    batch = Batch()
    batch.change(job)
    batch.save()
    return job


def _move(job_id: UUID, to: JobState, actor: str, reason: Reason) -> Job:
    job = locked(job_id)
    batch = Batch()
    batch.move(job, to, actor=actor, reason=reason)
    batch.save()
    return job


@transaction.atomic
def change_priority(*, job_id: UUID, priority: int, actor: str, check: Any = None) -> Job:
    """Only while the job waits. ``check(job)`` may refuse on the locked row (If-Match)."""
    job = locked(job_id)
    if check is not None:
        check(job)
    if job.state not in {JobState.PENDING, JobState.HELD, JobState.BLOCKED}:
        raise Conflict(say("job.priority_fixed", state=job.state))
    batch = Batch()
    batch.note(job, "priority", from_state=str(job.priority), to_state=str(priority), actor=actor)
    job.priority = priority
    batch.change(job)
    batch.save()
    wake_scheduler()
    return job


def locked(job_id: UUID) -> Job:
    return Job.objects.select_related("queue", "owner").select_for_update(of=("self",)).get(pk=job_id)
