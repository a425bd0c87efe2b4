"""From a stored job document to what the engine understands."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from vast.scheduling.snapshot import Alternative, Request, TaskGroup, Topology


def task_groups(
    document: Mapping[str, Any], task_ids: Sequence[str], finished: Container[str] = frozenset()
) -> tuple[TaskGroup, ...]:
    """The document's groups with their tasks' ids, which come in rank order. ``finished`` tasks are left out: they keep
    their gang whole."""
    groups, start = [], 0
    for group in document["groups"]:
        end = start + group["replicas"]
        mine = task_ids[start:end]
        open_tasks = tuple(task for task in mine if task not in finished)
        minimum = group["replicas"] if group["min_replicas"] is None else group["min_replicas"]
        groups.append(
            TaskGroup(
                name=group["name"],
                task_ids=open_tasks,
                request=request(group),
                node_strategy=group["strategy"]["node"],
                device_strategy=group["strategy"]["device"],
                min_replicas=max(0, minimum - (len(mine) - len(open_tasks))),
                topology=topology(group["topology"]),
            )
        )
        start = end
    return tuple(groups)


def topology(rule: Mapping[str, Any] | None) -> Topology | None:
    return Topology(rule["level"], rule["required"], rule["chunk"] or 0) if rule else None


def request(group: Mapping[str, Any]) -> Request:
    asked = group["request"]
    link = asked["link"] or {"kind": "", "required": False}
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
        isolation=asked["isolation"],
        sharing=asked["sharing"],
        partition=asked["partition"] or "",
        link=link["kind"],
        link_required=link["required"],
    )


def _alternative(choice: Mapping[str, Any]) -> Alternative:
    return Alternative(
        vendor=choice["vendor"] or "",
        model=choice["model"] or "",
        device_class=choice["device_class"] or "",
        labels=choice["labels"],
        memory_mib=choice["memory_mib"],
    )
