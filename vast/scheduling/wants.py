"""Which waiting work counts as demand: what could start if only there were room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vast.scheduling.demand import Want, choices_of, is_sliced
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import HeldJob, PendingJob

if TYPE_CHECKING:
    from vast.scheduling.scene import Scene


def wants_of(scene: Scene) -> list[Want]:
    """Pending jobs in job order, each with its extras, then the extras of running jobs."""
    return _Wants(scene).all()


class _Wants:
    """What equal jobs of one queue want is worked out once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._known: dict[tuple[str, JobShape, bool], tuple[Want, ...]] = {}
        self._placeable: dict[JobShape, bool] = {}
        self._shut: dict[str, bool] = {}

    def all(self) -> list[Want]:
        scene = self._scene
        jobs = sorted(scene.pending.values(), key=lambda job: (-job.priority, job.submitted_at, job.id))
        wants: list[Want] = []
        for job in jobs:
            if job.id not in scene.holds and job.not_before <= scene.now and not self._is_shut(job.queue):
                wants += self._of_pending(job)
        for held in sorted(scene.running.values(), key=lambda job: job.id):
            if held.id not in scene.holds:
                wants += self._extras(held, scene.seated.get(held.id, set()))
        return wants

    def _is_shut(self, queue: str) -> bool:
        if queue not in self._shut:
            ledger = self._scene.ledger
            self._shut[queue] = not ledger.is_leaf(queue) or ledger.closed_by(queue) is not None
        return self._shut[queue]

    def _of_pending(self, job: PendingJob) -> list[Want]:
        shape = self._scene.shapes.of(job)
        wants = list(self._of_shape(job.queue, shape, fixed=not job.preemptible))
        if wants and any(group.min_replicas is not None for group in job.groups):
            wants += self._extras(
                job, {task for group in job.groups for task in group.task_ids[: group.minimum]}
            )
        return wants

    def _of_shape(self, queue: str, shape: JobShape, *, fixed: bool = False) -> tuple[Want, ...]:
        """A want for each group of the gang; nothing when one of them could never start."""
        key = (queue, shape, fixed)
        if key not in self._known:
            parts = [shape] if len(shape.groups) == 1 else [shape.only([i]) for i in range(len(shape.groups))]
            choices = [self._possible(queue, part) for part in parts]
            self._known[key] = (
                tuple(
                    Want(queue, classes, fixed=fixed, sliced=is_sliced(part))
                    for part, classes in zip(parts, choices, strict=True)
                )
                if all(choices)
                else ()
            )
        return self._known[key]

    def _extras(self, job: PendingJob | HeldJob, seated: set[str]) -> list[Want]:
        wants: list[Want] = []
        for group in job.groups:
            missing = tuple(task for task in group.task_ids if task not in seated)
            if missing:
                one = replace(group, task_ids=missing[:1], min_replicas=1, topology=None)
                ask = PendingJob(job.id, job.queue, job.priority, job.submitted_at, (one,))
                wants += self._of_shape(job.queue, self._scene.shapes.of(ask)) * len(missing)
        return wants

    def _possible(self, queue: str, shape: JobShape) -> tuple[tuple[str, int], ...]:
        """The classes in which it could ever start: it fits the cards of the class, a node, and every limit."""
        scene = self._scene
        if shape not in self._placeable:
            self._placeable[shape] = all(
                not group.request.devices or group.placeable(scene.state) for group in shape.groups
            )
        if not self._placeable[shape]:
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
