"""Refusing at once what could never run: an unknown vendor, more than any device has, more than the pool or quota."""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Collection

from vast.allocation.translate import task_groups, topology
from vast.allocation.world import World
from vast.common import clock
from vast.common.errors import FieldError, Invalid
from vast.common.reasons import Reason, render
from vast.common.sentences import Sentence, current_language, say
from vast.inventory.models import DeviceClass, DeviceModel
from vast.jobs.document import JobDocument
from vast.queues.models import Queue
from vast.scheduling.possible import EmptyPool
from vast.scheduling.snapshot import PendingJob, Snapshot
from vast.vendors.registry import vendors
from vast.vendors.sharing import SELDOM_KEPT, kept, refusal


class _Pools:
    """The pools as they would be if nothing ran, kept for all requests of the process while nothing changes."""

    RENEW_S = 60.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._world = World()
        self._made_of: object = None
        self._renew_at = 0.0
        self._empty: dict[str, EmptyPool] = {}

    def impossible(self, job: PendingJob, pool: str) -> Reason | None:
        """Why the job could never run; None as well for a pool without devices, of which nothing is known yet."""
        with self._lock:
            nodes, queues = self._world.nodes(), self._world.queues()
            # An EmptyPool remembers every shape it was asked about, so it is made anew now and then.
            if self._made_of != (id(nodes), id(queues)) or time.monotonic() > self._renew_at:
                self._made_of, self._renew_at = (id(nodes), id(queues)), time.monotonic() + self.RENEW_S
                self._empty = {}
            if not any(node.pool == pool and node.devices for node in nodes):
                return None
            if pool not in self._empty:
                self._empty[pool] = EmptyPool(
                    Snapshot(nodes=nodes, queues=queues, pools=self._world.pools()), pool
                )
            return self._empty[pool].impossible(job)


_pools = _Pools()


def mistakes(document: JobDocument | None, queue: Queue | None) -> list[FieldError]:
    """What is wrong with the fields that name things, as far as the document and its queue are known."""
    found = [*_selector_mistakes(document), *_sharing_mistakes(document)] if document is not None else []
    if queue is not None and queue.children.exists():
        leaves = list(queue.children.values_list("path", flat=True)[:20])
        found.append(FieldError("queue", "not_a_leaf", say("job.not_a_leaf", queue=queue.path), leaves))
    return found


def check(document: JobDocument, queue: Queue) -> None:
    """Raises Invalid, naming the field, when the job could not run even on the empty pool."""
    if found := mistakes(document, queue):
        raise Invalid(errors=found)
    data = document.model_dump(mode="json")
    job = PendingJob(
        id="new",
        queue=str(queue.pk),
        priority=document.priority,
        submitted_at=int(clock.now().timestamp()),
        groups=task_groups(data, [str(rank) for rank in range(document.tasks_total)]),
        topology=topology(data["topology"]),
    )
    reason = _pools.impossible(job, str(queue.pool_id))
    if reason is not None:
        field, text = blamed_field(reason, document), render(reason, current_language())
        raise Invalid(
            text, errors=[FieldError(field, reason.code.lower(), text, dict(reason.params) or None)]
        )


def blamed_field(reason: Reason, document: JobDocument) -> str:
    """The field of the document that a reason of impossibility is about."""
    group = reason.params.get("group")
    index = next((i for i, g in enumerate(document.groups) if g.name == group), 0)
    base = f"groups[{index}]"
    codes = {reason.code, *(item.code for item in reason.evidence)}
    asked = document.groups[index].request
    if reason.code in {"EXCEEDS_LIMIT", "LARGER_THAN_LIMIT"}:
        return "queue"
    if codes & {"TOPOLOGY_TOO_SMALL", "NO_SUCH_LEVEL"}:
        return "topology" if document.topology else f"{base}.topology"
    if "NO_MATCHING_MODEL" in codes and asked.selector:
        return f"{base}.request.selector"
    if "NO_MATCHING_MODEL" in codes and asked.sharing in SELDOM_KEPT:
        return f"{base}.request.sharing"
    if "DEVICE_MEMORY_SHORT" in codes:
        return f"{base}.request.memory_mib"
    if "NODE_CPU_SHORT" in codes:
        return f"{base}.request.cpu_millis"
    if "NODE_MEMORY_SHORT" in codes:
        return f"{base}.request.host_memory_mib"
    if "NODE_NOT_SIMULATED" in codes:
        return f"{base}.simulate"
    if document.tasks_total > 1:
        return f"{base}.replicas"
    return f"{base}.request.devices"


def _selector_mistakes(document: JobDocument) -> list[FieldError]:
    if not any(group.request.selector for group in document.groups):
        return []
    rows = list(DeviceModel.objects.values_list("vendor", "name"))
    models, makers = {name for _, name in rows}, {vendor for vendor, _ in rows}
    classes = set(DeviceClass.objects.values_list("name", flat=True))
    errors = []
    for g, group in enumerate(document.groups):
        for s, choice in enumerate(group.request.selector):
            for field, value, known in (
                ("vendor", choice.vendor, makers),
                ("model", choice.model, models),
                ("device_class", choice.device_class, classes),
            ):
                if value is not None and value not in known:
                    errors.append(
                        FieldError(
                            f"groups[{g}].request.selector[{s}].{field}",
                            "unknown",
                            _unknown(field, value, known),
                            sorted(known),
                        )
                    )
            if (
                choice.vendor in makers
                and choice.model in models
                and (choice.vendor, choice.model) not in rows
            ):
                errors.append(
                    FieldError(
                        f"groups[{g}].request.selector[{s}].model",
                        "other_vendor",
                        say("job.other_vendor", vendor=choice.vendor, model=choice.model),
                        sorted(name for vendor, name in rows if vendor == choice.vendor),
                    )
                )
    return errors


def _sharing_mistakes(document: JobDocument) -> list[FieldError]:
    """Policies that a named vendor, or all that the request leaves, cannot keep. Whole devices need none."""
    errors = []
    for g, group in enumerate(document.groups):
        request = group.request
        if request.exclusive or request.isolation == "hard" or not request.devices or not request.sharing:
            continue
        base, policy = f"groups[{g}].request", request.sharing
        named = [choice.vendor for choice in request.selector]
        asked = [key for key in named if key in vendors()] if named and all(named) else list(vendors())
        if not any(refusal(vendors()[key].sharing, policy) is None for key in asked) and len(asked) > 1:
            text = say("job.sharing_nobody", sharing=policy, vendors=", ".join(asked))
            errors.append(FieldError(f"{base}.sharing", "unsupported", text))
            continue
        for s, key in enumerate(named):
            known = vendors().get(key or "")
            why = refusal(known.sharing, policy) if known else None
            if known and why is not None:
                text = say("job.sharing", sharing=policy, vendor=known.name, why=say(f"sharing.{why}"))
                allowed = list(kept(known.sharing))
                field = f"{base}.sharing" if len(named) == 1 else f"{base}.selector[{s}].vendor"
                errors.append(FieldError(field, "unsupported", text, allowed))
    return errors


def _unknown(field: str, value: str, known: Collection[str]) -> Sentence:
    problem = say(f"job.no_{field}", value=repr(value))
    near = difflib.get_close_matches(value, known, n=3, cutoff=0.4)
    return say("job.near", problem=problem, near=str(say("job.or")).join(near)) if near else problem
