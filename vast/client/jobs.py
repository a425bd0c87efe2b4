"""Jobs: submit, look, wait, stop, read the logs."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vast.client.decode import decode
from vast.client.errors import JobTimeout, VastError
from vast.client.logs import LogChunk, LogReader
from vast.client.models import Event, Job, Task, WhatIf, Why
from vast.client.transport import Body, Transport

Document = str | Path | Mapping[str, Any]

POLL_FIRST_S = 0.2
POLL_LONGEST_S = 2.0
OUTAGE_S = 300.0
SHORTEST_ID_PREFIX = 8
UUID_FORM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Jobs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def submit(self, document: Document, *, idempotency_key: str | None = None) -> Job:
        """Hand in a job: a mapping, the text of a YAML or JSON document, or the Path of one.

        A key goes with it, so that repeating it after a lost answer never makes a second job; give your own
        to keep that true over a restart of your program. Of an array the first job is given.
        Raises VastError; its ``errors`` name each wrong field.
        """
        answer = self._transport.call(
            "POST",
            "jobs/",
            body=_body(document),
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
            repeatable=True,
        )
        return decode(Job, answer)

    def check(self, document: Document) -> None:
        """Check a document without submitting it. Raises VastError as ``submit`` would."""
        self._transport.call("POST", "jobs/", body=_body(document), params={"dry_run": True}, repeatable=True)

    def what_if(self, document: Mapping[str, Any]) -> WhatIf:
        """What the scheduler would do with this job. Nothing is submitted. Raises VastError as ``submit`` would."""
        answer = self._transport.call("POST", "what-if/", json={"submit": document}, repeatable=True)
        return decode(WhatIf, answer)

    def get(self, job_id: str) -> Job:
        return decode(Job, self._transport.get(_path(job_id)))

    def list(self, **filters: Any) -> Iterator[Job]:
        """Newest first unless ``ordering`` says otherwise.

        Filters: state (one or several with commas), queue, owner, search, label ("k:v"), array, page_size.
        """
        query = {"ordering": "-submitted_at", "page_size": 200, **filters}
        return (decode(Job, item) for item in self._transport.pages("jobs/", query))

    def find(self, reference: str) -> Sequence[Job]:
        """The jobs meant by an id, the first 8 or more characters of one, or a name; newest first.

        Raises VastError 404 when there is none.
        """
        if UUID_FORM.fullmatch(reference.lower()):
            return [self.get(reference.lower())]
        found = [job for job in self.list(search=reference) if _meant(job, reference)]
        if not found:
            raise VastError(f"no such job: {reference}", status=404, code="not_found")
        return found

    def array(self, job: Job) -> Iterable[Job]:
        """All jobs of the array that ``job`` is of; the job alone when it is of none."""
        if job.array is None or job.array.size <= 1:
            return [self.get(job.id)]
        return self.list(array=job.array.id, ordering="submitted_at", page_size=500)

    def cancel(self, job_id: str) -> Job:
        """Stop the job, at whatever stage. That it is cancelled already is no error; another end is (409)."""
        try:
            return self._act(job_id, "cancel", repeatable=True)
        except VastError as error:
            if error.status == 409 and (job := self.get(job_id)).state == "cancelled":
                return job
            raise

    def hold(self, job_id: str) -> Job:
        """Keep a waiting job from starting until it is released."""
        return self._act(job_id, "hold")

    def release(self, job_id: str) -> Job:
        return self._act(job_id, "release")

    def why(self, job_id: str) -> Why:
        """Each condition for starting, and which one is not met."""
        return decode(Why, self._transport.get(_path(job_id, "why")))

    def tasks(self, job_id: str) -> Sequence[Task]:
        return [
            decode(Task, item) for item in self._transport.pages(_path(job_id, "tasks"), {"page_size": 500})
        ]

    def events(self, job_id: str) -> Iterator[Event]:
        """What happened, newest last."""
        return (
            decode(Event, item) for item in self._transport.pages(_path(job_id, "events"), {"page_size": 200})
        )

    def wait(
        self,
        job_id: str,
        timeout: float | None = None,
        *,
        on_change: Callable[[Job], None] | None = None,
    ) -> Job:
        """The job once it has ended; ask its ``state`` how.

        ``timeout`` is in seconds (None: for ever), over it JobTimeout is raised. ``on_change`` is called with
        each new version seen. The server may be away for five minutes.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause_s = POLL_FIRST_S
        seen: tuple[object, ...] | None = None
        while True:
            job = decode(Job, self._transport.get(_path(job_id), retry_for_s=_left(deadline, OUTAGE_S)))
            now = (job.state, job.version, str(job.reason or ""))
            if now != seen:
                seen, pause_s = now, POLL_FIRST_S
                if on_change:
                    on_change(job)
            if job.ended:
                return job
            if deadline is not None and time.monotonic() + pause_s > deadline:
                raise JobTimeout(f"{job.name} is still {job.state} after {timeout:g} s")
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.3, POLL_LONGEST_S)

    def logs(self, task_id: str, *, follow: bool = True, offset: int = 0) -> Iterator[LogChunk]:
        """A task's log from the byte ``offset`` on.

        With ``follow`` until the task has ended and all is read; a server that restarts meanwhile only delays
        it (up to five minutes). Without: up to what is there now.
        """
        outage_s = OUTAGE_S if follow else None
        reader = LogReader(self._transport, task_id, offset=offset, outage_s=outage_s)
        return reader.follow() if follow else reader.to_end()

    def tail(self, task_id: str, size_bytes: int = 4096) -> str:
        """About the last ``size_bytes`` bytes of a task's log, from the start of a line on."""
        return LogReader(self._transport, task_id).tail(size_bytes)

    def _act(self, job_id: str, verb: str, *, repeatable: bool = False) -> Job:
        return decode(Job, self._transport.call("POST", _path(job_id, verb), repeatable=repeatable))


def _path(job_id: str, part: str = "") -> str:
    return f"jobs/{job_id}/{part}/" if part else f"jobs/{job_id}/"


def _body(document: Document) -> Body:
    if isinstance(document, Path):
        return Body(document.read_bytes(), "application/yaml")
    if isinstance(document, str):
        return Body(document.encode(), "application/yaml")
    return Body(json.dumps(document).encode(), "application/json")


def _left(deadline: float | None, most_s: float) -> float:
    return most_s if deadline is None else min(most_s, max(0.0, deadline - time.monotonic()))


def _looks_like_prefix(reference: str) -> bool:
    return re.fullmatch(rf"[0-9a-f-]{{{SHORTEST_ID_PREFIX},36}}", reference.lower()) is not None


def _meant(job: Job, reference: str) -> bool:
    return job.name == reference or (_looks_like_prefix(reference) and job.id.startswith(reference.lower()))
