"""Reading a task's log: from the node that has it, or the tail that is kept in the database."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from vast.allocation.models import Allocation
from vast.common.errors import NotFound
from vast.common.sentences import say
from vast.common.threads import in_thread
from vast.drivers.agent.sockets import NodeOffline, sockets
from vast.jobs.choices import TASK_ENDED
from vast.jobs.models import Task
from vast.jobs.selectors import visible_tasks
from vast.tenancy.models import User

MOST_BYTES = 262_144
MOST_WAIT_S = 20.0
# What every JSON reader takes for a whole number, and more than any file is long.
MOST_OFFSET = 2**53


def task_visible_to(user: User | None, task: UUID) -> bool:
    return user is not None and visible_tasks(user).filter(pk=task).exists()


def _where(task_id: UUID) -> tuple[Task, str | None, str | None]:
    task = Task.objects.filter(pk=task_id).first()
    if task is None:
        raise NotFound(say("job.no_task"))
    newest = (
        Allocation.objects.filter(task=task_id).order_by("-created_at").values_list("id", "node_id").first()
    )
    return (task, str(newest[0]), str(newest[1])) if newest else (task, None, None)


async def read_log(task_id: UUID, *, offset: int, limit: int, wait_s: float) -> dict[str, Any]:
    """Bytes of the log from ``offset`` on: {data, next_offset, size, complete, source}.

    Waits up to ``wait_s`` for more. Raises NotFound, or NodeOffline when the task still runs on a node that is away.
    """
    task, allocation, node = await in_thread(_where, task_id)
    if allocation is None or node is None:
        # Never started: nothing yet, and nothing more once it has ended.
        done = task.state in TASK_ENDED
        if not done and wait_s > 0:
            await asyncio.sleep(min(wait_s, 1.0))
        return {"data": "", "next_offset": offset, "size": 0, "complete": done, "source": "node"}
    frame = {
        "type": "log_read",
        "allocation": allocation,
        "offset": offset,
        "limit": min(limit, MOST_BYTES),
        "wait_s": min(wait_s, MOST_WAIT_S),
    }
    try:
        answer = await sockets.ask(node, frame, timeout=min(wait_s, MOST_WAIT_S) + 5)
    except NodeOffline:
        if task.state not in TASK_ENDED:
            raise
        return tail(task, offset)
    if "error" in answer:
        return tail(task, offset)
    return {
        "data": answer["data"],
        "next_offset": answer["next_offset"],
        "size": answer["size"],
        "complete": bool(answer["complete"]),
        "source": "node",
    }


def tail(task: Task, offset: int) -> dict[str, Any]:
    """The end of the log as kept when the task ended, for when its node no longer has it."""
    data = task.log_tail if offset == 0 else ""
    size = len(task.log_tail.encode())
    return {
        "data": data,
        "next_offset": max(offset, size),
        "size": size,
        "complete": task.state in TASK_ENDED,
        "source": "tail",
    }
