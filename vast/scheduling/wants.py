"""Which waiting work counts as demand: what could start if only there were room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vast.scheduling.demand import Want, choices_of, is_sliced
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import HeldJob, PendingJob

if TYPE_CHECKING:
    from vast.scheduling.scene import Scene


class Wants:
    """What equal jobs of one queue want is worked out once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._known: dict[tuple[str, JobShape, bool], tuple[Want, ...] | None] = {}
        self._placeable: dict[JobShape, bool] = {}
        self._shut: dict[str, bool] = {}

    def all(self) -> list[Want]:
        """Pending jobs in job order, each with its extras, then the extras of running jobs."""
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

    def possible(self, job: PendingJob) -> bool:
        """False when the job could not start even if its queue and its pool held nothing else."""
        return self._of_shape(job.queue, self._scene.shapes.of(job), fixed=not job.preemptible) is not None

    def _is_shut(self, queue: str) -> bool:
        if queue not in self._shut:
            ledger = self._scene.ledger
            self._shut[queue] = not ledger.is_leaf(queue) or ledger.closed_by(queue) is not None
        return self._shut[queue]

    def _of_pending(self, job: PendingJob) -> list[Want]:
        shape = self._scene.shapes.of(job)
        found = self._of_shape(job.queue, shape, fixed=not job.preemptible)
        if found is None:
            return []
        wants = list(found)
        if any(group.min_replicas is not None for group in job.groups):
            wants += self._extras(
                job, {task for group in job.groups for task in group.task_ids[: group.minimum]}
            )
        return wants

    def _extras(self, job: PendingJob | HeldJob, seated: set[str]) -> list[Want]:
        wants: list[Want] = []
        for group in job.groups:
            missing = tuple(task for task in group.task_ids if task not in seated)
            if missing:
                one = replace(group, task_ids=missing[:1], min_replicas=1, topology=None)
                ask = PendingJob(job.id, job.queue, job.priority, job.submitted_at, (one,))
                wants += (self._of_shape(job.queue, self._scene.shapes.of(ask)) or ()) * len(missing)
        return wants

    def _of_shape(self, queue: str, shape: JobShape, *, fixed: bool = False) -> tuple[Want, ...] | None:
        """A want for each group of the gang that asks for devices; None when the gang could never start."""
        key = (queue, shape, fixed)
        if key not in self._known:
            self._known[key] = self._work_out(queue, shape, fixed)
        return self._known[key]

    def _work_out(self, queue: str, shape: JobShape, fixed: bool) -> tuple[Want, ...] | None:
        if not self._may_hold(queue, shape, fixed):
            return None
        parts = [shape] if len(shape.groups) == 1 else [shape.only([i]) for i in range(len(shape.groups))]
        wants: list[Want] = []
        for part in parts:
            if not part.groups[0].request.devices:
                continue
            found = self._of_group(queue, part, fixed)
            if found is None:
                return None
            wants += found
        return tuple(wants)

    def _may_hold(self, queue: str, shape: JobShape, fixed: bool) -> bool:
        """Some node takes a task of each group, and what all groups together need of a class is not too much."""
        if shape not in self._placeable:
            self._placeable[shape] = all(
                not group.request.devices or group.placeable(self._scene.state) for group in shape.groups
            )
        return self._placeable[shape] and all(
            charge <= self._most(queue, name, fixed) for name, charge in shape.least.items()
        )

    def _of_group(self, queue: str, part: JobShape, fixed: bool) -> list[Want] | None:
        """In any of the classes that could hold all its tasks; else what only several classes together can hold, each
        filled in turn."""
        classes = [(name, charge, self._most(queue, name, fixed)) for name, charge in choices_of(part)]
        enough = tuple((name, charge) for name, charge, most in classes if charge <= most)
        sliced = is_sliced(part)
        if enough:
            return [Want(queue, enough, fixed=fixed, sliced=sliced)]
        wants, left = [], part.tasks
        for name, charge, most in classes:
            each = charge // part.tasks
            tasks = min(left, most // each) if each else left
            if tasks > 0:
                wants.append(Want(queue, ((name, tasks * each),), fixed=fixed, sliced=sliced))
                left -= tasks
        return None if left else wants

    def _most(self, queue: str, name: str, fixed: bool) -> int:
        """Milli-cards of the class that the queue could hold if nobody else held any."""
        ledger = self._scene.ledger
        most = self._scene.capacity.divided(name)
        for step in ledger.path(queue):
            limit = ledger.quota(step, name).limit
            most = most if limit is None else min(most, limit)
            most = min(most, ledger.guaranteed(step, name)) if fixed else most
        return most
