"""Which waiting work counts as demand: what could start if only there were room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from vast.scheduling.demand import Want, choices_of, is_sliced
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import HeldJob, PendingJob

if TYPE_CHECKING:
    from vast.scheduling.scene import Scene


def wants_of(scene: Scene) -> list[Want]:
    """Pending jobs in job order, each with its extras, then the extras of running jobs."""
    jobs = sorted(scene.pending.values(), key=lambda job: (-job.priority, job.submitted_at, job.id))
    wants = [want for job in jobs if job.id not in scene.holds for want in _of_pending(scene, job)]
    for held in sorted(scene.running.values(), key=lambda job: job.id):
        wants += _of_running(scene, held)
    return wants


def _of_pending(scene: Scene, job: PendingJob) -> Iterator[Want]:
    if not scene.ledger.is_leaf(job.queue) or scene.ledger.closed_by(job.queue) or job.not_before > scene.now:
        return
    shape = scene.shapes.of(job)
    parts = [shape] if len(shape.groups) == 1 else [shape.only([i]) for i in range(len(shape.groups))]
    choices = [_possible(scene, job.queue, part) for part in parts]
    if all(choices):
        for part, classes in zip(parts, choices, strict=True):
            yield Want(job.queue, classes, fixed=not job.preemptible, sliced=is_sliced(part))
        yield from _extras(
            scene, job, {task for group in job.groups for task in group.task_ids[: group.minimum]}
        )


def _of_running(scene: Scene, job: HeldJob) -> Iterator[Want]:
    if job.id not in scene.holds:
        yield from _extras(scene, job, scene.seated.get(job.id, set()))


def _extras(scene: Scene, job: PendingJob | HeldJob, seated: set[str]) -> Iterator[Want]:
    for group in job.groups:
        missing = tuple(task for task in group.task_ids if task not in seated)
        if missing:
            one = replace(group, task_ids=missing[:1], min_replicas=1)
            shape = scene.shapes.of(PendingJob(job.id, job.queue, job.priority, job.submitted_at, (one,)))
            choices = _possible(scene, job.queue, shape)
            for _ in missing if choices else ():
                yield Want(job.queue, choices, sliced=is_sliced(shape))


def _possible(scene: Scene, queue: str, shape: JobShape) -> tuple[tuple[str, int], ...]:
    """The classes in which the job could ever start: it fits the cards of the class, a node, and every limit."""
    if any(group.request.devices and not group.placeable(scene.state) for group in shape.groups):
        return ()
    ledger = scene.ledger
    return tuple(
        (name, charge)
        for name, charge in choices_of(shape)
        if charge <= scene.capacity.divided(name)
        and all(
            (limit := ledger.quota(step, name).limit) is None or charge <= limit
            for step in ledger.path(queue)
        )
    )
