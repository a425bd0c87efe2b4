"""Whole lists as CSV: every row that the filters leave, with what the reader may see of it, sent as it is read."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator, Sequence
from io import StringIO
from typing import Any
from uuid import UUID

from django.db import connection
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import viewsets
from rest_framework.request import Request

from vast.api.renderers import JSONRenderer
from vast.common import clock
from vast.common.threads import in_thread
from vast.inventory.api.views import DeviceViewSet, NodeViewSet
from vast.jobs.api.views import JobViewSet

ROWS_A_READ = 500
# Without it Excel takes UTF-8 for the system's old code page, which garbles Chinese.
BYTE_ORDER_MARK = "\ufeff"
# What spreadsheets read as the start of a formula; the wide forms are the same keys of a Chinese keyboard.
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")


class CsvRenderer(JSONRenderer):
    """Lets a caller accept text/csv; what it renders are only the errors."""

    media_type = "text/csv"
    format = "csv"


def cell(value: Any) -> Any:
    """One field of a row as spreadsheets can hold it. Text never begins a formula: an apostrophe stands before it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return value
    if isinstance(value, dict):
        return cell("; ".join(f"{key}={each}" for key, each in value.items()))
    if isinstance(value, list):
        return cell("; ".join(str(each) for each in value))
    text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text


def field(row: Any, path: str) -> Any:
    """The value at a dotted path; None where a part of the way is missing."""
    for part in path.split("."):
        row = row.get(part) if isinstance(row, dict) else None
    return row


def lines(rows: Sequence[Sequence[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text).writerows([[cell(value) for value in row] for row in rows])
    return text.getvalue().encode()


class CsvExport(viewsets.GenericViewSet):
    """For a list's viewset: the same filters, order and permissions. ``columns``: header and path into a row."""

    file_name = ""
    columns: Sequence[tuple[str, str]] = ()
    pagination_class = None
    renderer_classes = [JSONRenderer, CsvRenderer]

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR}, filters=True)
    def export(self, request: Request) -> StreamingHttpResponse:
        """Every row of the filtered list, not a page of it."""
        # The ids first: they are few bytes, and the list stays what it was while it is being sent.
        ids = list(self.filter_queryset(self.get_queryset()).values_list("pk", flat=True))
        # The answer may take long: do not keep a database connection meanwhile.
        connection.close()
        answer = StreamingHttpResponse(self._parts(ids), content_type="text/csv; charset=utf-8")
        stamp = clock.now().strftime("%Y%m%d-%H%M")
        answer["Content-Disposition"] = f'attachment; filename="vast-{self.file_name}-{stamp}.csv"'
        answer["Cache-Control"] = "no-store"
        return answer

    async def _parts(self, ids: list[UUID]) -> AsyncIterator[bytes]:
        yield BYTE_ORDER_MARK.encode() + lines([[header for header, _ in self.columns]])
        for start in range(0, len(ids), ROWS_A_READ):
            yield await in_thread(self._read, ids[start : start + ROWS_A_READ])

    def _read(self, ids: list[UUID]) -> bytes:
        found = {row.pk: row for row in self.get_queryset().filter(pk__in=ids)}
        rows = self.get_serializer([found[pk] for pk in ids if pk in found], many=True).data
        return lines([[field(row, path) for _, path in self.columns] for row in rows])


class JobsExport(CsvExport, JobViewSet):
    pagination_class = None
    file_name = "jobs"
    columns = [
        ("id", "id"),
        ("name", "name"),
        ("state", "state"),
        ("queue", "queue.path"),
        ("pool", "pool"),
        ("owner", "owner.username"),
        ("priority", "priority"),
        ("position", "position"),
        ("reason", "reason.code"),
        ("reason_text", "reason.message"),
        ("labels", "labels"),
        ("array", "array.id"),
        ("array_index", "array.index"),
        ("attempt", "attempt"),
        ("tasks", "tasks_total"),
        ("requested", "requested"),
        ("asked_milli_cards", "asked"),
        ("held_milli_cards", "held"),
        ("held_cores_pct", "cores"),
        ("submitted_at", "submitted_at"),
        ("started_at", "started_at"),
        ("ended_at", "ended_at"),
        ("exit_code", "exit_code"),
        ("max_runtime_s", "max_runtime_s"),
    ]


class NodesExport(CsvExport, NodeViewSet):
    pagination_class = None
    file_name = "nodes"
    columns = [
        ("id", "id"),
        ("name", "name"),
        ("cluster", "cluster.name"),
        ("pool", "pool.name"),
        ("state", "state"),
        ("cordoned", "cordoned"),
        ("simulated", "simulated"),
        ("address", "address"),
        ("cpu_millis", "cpu_millis"),
        ("memory_mib", "memory_mib"),
        ("devices", "devices_count"),
        ("allocated_cores_pct", "allocated.cores_pct"),
        ("allocated_memory_mib", "allocated.memory_mib"),
        ("util_pct", "live.util_pct"),
        ("memory_used_mib", "live.memory_used_mib"),
        ("power_w", "live.power_w"),
        ("labels", "labels"),
        ("location", "location"),
        ("agent_version", "agent_version"),
        ("last_seen_at", "last_seen_at"),
        ("created_at", "created_at"),
    ]


class DevicesExport(CsvExport, DeviceViewSet):
    pagination_class = None
    file_name = "devices"
    columns = [
        ("id", "id"),
        ("uuid", "uuid"),
        ("node", "node.name"),
        ("index", "index"),
        ("pool", "pool"),
        ("vendor", "vendor"),
        ("model", "model"),
        ("device_class", "device_class"),
        ("bus_id", "bus_id"),
        ("numa", "numa"),
        ("link_group", "link_group"),
        ("memory_mib", "memory_mib"),
        ("max_slices", "max_slices"),
        ("slices_used", "slices_used"),
        ("mode", "mode"),
        ("health", "health"),
        ("cordoned", "cordoned"),
        ("allocated_cores_pct", "cores_allocated"),
        ("allocated_memory_mib", "memory_allocated_mib"),
        ("util_pct", "live.util_pct"),
        ("memory_used_mib", "live.memory_used_mib"),
        ("temperature_c", "live.temperature_c"),
        ("power_w", "live.power_w"),
    ]
