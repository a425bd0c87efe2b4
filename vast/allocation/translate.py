"""From a stored job document to what the engine understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vast.scheduling.snapshot import Alternative, Request, TaskGroup


def task_groups(document: Mapping[str, Any], task_ids: Sequence[str]) -> tuple[TaskGroup, ...]:
    """The document's groups with their tasks' ids, which come in rank order."""
    groups, start = [], 0
    for group in document["groups"]:
        end = start + group["replicas"]
        groups.append(
            TaskGroup(
                name=group["name"],
                task_ids=tuple(task_ids[start:end]),
                request=request(group),
                node_strategy=group["strategy"]["node"],
                device_strategy=group["strategy"]["device"],
            )
        )
        start = end
    return tuple(groups)


def request(group: Mapping[str, Any]) -> Request:
    asked = group["request"]
    return Request(
        devices=asked["devices"],
        cores=asked["cores"],
        memory_mib=asked["memory_mib"],
        memory_percent=asked["memory_percent"],
        exclusive=asked["exclusive"],
        alternatives=tuple(_alternative(choice) for choice in asked["selector"]) or (Alternative(),),
        cpu_millis=asked["cpu_millis"],
        host_memory_mib=asked["host_memory_mib"],
        needs_simulated=group["simulate"] is not None,
    )


def _alternative(choice: Mapping[str, Any]) -> Alternative:
    return Alternative(
        vendor=choice["vendor"] or "",
        model=choice["model"] or "",
        device_class=choice["device_class"] or "",
        labels=choice["labels"],
        memory_mib=choice["memory_mib"],
    )
