"""``POST /api/v1/what-if/``: what the scheduler would do."""

from __future__ import annotations

import threading
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from vast.allocation.translate import task_groups, topology
from vast.allocation.world import World
from vast.common import clock
from vast.common.errors import FieldError, Invalid
from vast.common.reasons import Reason, render, spelled_out
from vast.common.sentences import current_language, say
from vast.config.env import environment
from vast.inventory.models import Node
from vast.jobs.api.submission import checked
from vast.jobs.selectors import visible_jobs
from vast.queues.models import Queue
from vast.scheduling.decisions import Evict
from vast.scheduling.snapshot import PendingJob
from vast.simulator.what_if import Answer, Change, what_if
from vast.tenancy.models import User
from vast.tenancy.policies import is_admin

NEW = "what-if"
_world, _lock = World(), threading.Lock()


class QuotaChangeSerializer(serializers.Serializer):
    """Milli-cards; what is left out stays."""

    queue = serializers.CharField(max_length=255, help_text="Path of the queue.")
    device_class = serializers.CharField(max_length=63)
    guaranteed = serializers.IntegerField(min_value=0, required=False)
    limit = serializers.IntegerField(min_value=0, required=False, allow_null=True)
    weight = serializers.IntegerField(min_value=0, required=False)
    reserved = serializers.IntegerField(min_value=0, required=False)


class WhatIfSerializer(serializers.Serializer):
    submit = serializers.JSONField(required=False, help_text="A job document.")
    quotas = QuotaChangeSerializer(many=True, required=False, help_text="Admins only.")
    cordon = serializers.ListField(
        child=serializers.CharField(max_length=120), required=False, help_text="Names of nodes. Admins only."
    )
    uncordon = serializers.ListField(
        child=serializers.CharField(max_length=120), required=False, help_text="Names of nodes. Admins only."
    )


class AffectedSerializer(serializers.Serializer):
    """A job that something happens to. Jobs of other tenants are counted, not named."""

    job = serializers.UUIDField()
    name = serializers.CharField()
    rule = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)


class ForetoldSerializer(serializers.Serializer):
    """What would happen to the submitted job in the next cycle."""

    outcome = serializers.ChoiceField(choices=["starts", "evicts", "reserved", "waits"])
    nodes = serializers.ListField(child=serializers.CharField())
    starts_at = serializers.IntegerField(allow_null=True, help_text="Unix seconds, of a reservation.")
    position = serializers.IntegerField(allow_null=True)
    reason = serializers.DictField(allow_null=True)
    message = serializers.CharField(allow_blank=True)


class WhatIfAnswerSerializer(serializers.Serializer):
    job = ForetoldSerializer(allow_null=True)
    evicted = AffectedSerializer(many=True)
    started = AffectedSerializer(many=True)
    no_longer_started = AffectedSerializer(many=True)
    spared = AffectedSerializer(many=True)
    others = serializers.DictField(child=serializers.IntegerField())


class WhatIfView(APIView):
    @extend_schema(request=WhatIfSerializer, responses=WhatIfAnswerSerializer)
    def post(self, request: Request) -> Response:
        """What the next cycle would do if this job were submitted, these quotas changed, these nodes cordoned; against
        what it does without. Nothing is written."""
        form = WhatIfSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        if not data:
            raise Invalid(errors=[FieldError("", "empty", say("what_if.empty"))])
        change = _change(request.user, data)
        with _lock:
            snapshot = _world.snapshot()
        now = int(clock.now().timestamp())
        answer = what_if(snapshot, change, now, environment().scheduler_budget)
        return Response(_as_data(request.user, answer, change))


def _change(user: User, data: dict[str, Any]) -> Change:
    if any(data.get(name) for name in ("quotas", "cordon", "uncordon")) and not is_admin(user):
        raise PermissionDenied(str(say("what_if.admins")))
    submit = _job(user, data["submit"]) if data.get("submit") is not None else None
    quotas: dict[tuple[str, str], dict[str, Any]] = {}
    for index, row in enumerate(data.get("quotas", ())):
        queue = Queue.objects.filter(path=row["queue"]).first()
        if queue is None:
            field = f"quotas[{index}].queue"
            raise Invalid(errors=[FieldError(field, "unknown", say("job.no_queue", queue=row["queue"]))])
        amounts = {k: v for k, v in row.items() if k not in ("queue", "device_class")}
        quotas[str(queue.pk), row["device_class"]] = amounts
    return Change(submit, quotas, cordon=_nodes(data, "cordon"), uncordon=_nodes(data, "uncordon"))


def _nodes(data: dict[str, Any], field: str) -> frozenset[str]:
    names = data.get(field, [])
    known = dict(Node.objects.filter(name__in=names).values_list("name", "pk"))
    errors = [
        FieldError(f"{field}[{i}]", "unknown", say("what_if.no_node", name=name))
        for i, name in enumerate(names)
        if name not in known
    ]
    if errors:
        raise Invalid(errors=errors)
    return frozenset(str(pk) for pk in known.values())


def _job(user: User, raw: Any) -> PendingJob:
    document, queue = checked(user, raw)
    data = document.model_dump(mode="json")
    return PendingJob(
        id=NEW,
        queue=str(queue.pk),
        priority=document.priority,
        submitted_at=int(clock.now().timestamp()),
        groups=task_groups(data, [f"{NEW}/{rank}" for rank in range(document.tasks_total)]),
        preemptible=document.preemptible,
        may_evict=document.may_evict,
        movable=document.movable,
        checkpoints=document.checkpoint is not None,
        max_runtime=document.max_runtime,
        owner=str(user.pk),
        topology=topology(data["topology"]),
    )


def _as_data(user: User, answer: Answer, change: Change) -> dict[str, Any]:
    lists = {
        "evicted": {job: _told(evict) for job, evict in answer.newly_evicted.items()},
        "started": dict.fromkeys(answer.newly_started, ("", "")),
        "no_longer_started": dict.fromkeys(answer.no_longer_started, ("", "")),
        "spared": dict.fromkeys(answer.spared, ("", "")),
    }
    ids = {job for jobs in lists.values() for job in jobs if job != NEW}
    names = dict(visible_jobs(user).filter(pk__in=ids).values_list("pk", "name"))
    seen = {str(pk): name for pk, name in names.items()}
    shown: dict[str, Any] = {
        key: [
            {"job": job, "name": seen[job], "rule": rule, "message": message}
            for job, (rule, message) in jobs.items()
            if job in seen
        ]
        for key, jobs in lists.items()
    }
    shown["others"] = {
        key: sum(job not in seen and job != NEW for job in jobs) for key, jobs in lists.items()
    }
    shown["job"] = _foretold(answer) if change.submit is not None else None
    return shown


def _told(evict: Evict) -> tuple[str, str]:
    return evict.rule, render(evict.reason, current_language())


def _foretold(answer: Answer) -> dict[str, Any]:
    after, language = answer.after, current_language()
    wait = after.waits.get(NEW)
    reason: Reason | None = wait.reason if wait else None
    outcome, seats, starts_at = "waits", (), None
    if NEW in after.started:
        outcome, seats = "starts", after.started[NEW].placements
    elif NEW in after.kept:
        outcome, seats = "evicts", after.kept[NEW].seats
    elif NEW in after.reserved:
        outcome, seats, starts_at = "reserved", after.reserved[NEW].seats, after.reserved[NEW].starts_at
    nodes = dict(Node.objects.filter(pk__in={seat.node for seat in seats}).values_list("pk", "name"))
    return {
        "outcome": outcome,
        "nodes": sorted(nodes.values()),
        "starts_at": starts_at,
        "position": wait.position if wait else None,
        "reason": spelled_out(reason.as_dict(), language) if reason else None,
        "message": render(reason, language) if reason else "",
    }
