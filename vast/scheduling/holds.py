"""Seats that are kept for a job until their holders are gone."""

from __future__ import annotations

from collections.abc import Iterator

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision, Grow, Release, Start
from vast.scheduling.scene import Scene
from vast.scheduling.snapshot import Hold, PendingJob
from vast.scheduling.trial import book
from vast.scheduling.victims import Kind, Unit


def ended_holds(scene: Scene) -> Iterator[Decision]:
    """Holds that no longer stand."""
    for hold in sorted(scene.ended, key=lambda hold: (hold.since, hold.job)):
        yield Release(hold.job, timed_out=scene.timed_out(hold))


def complete_holds(scene: Scene) -> Iterator[Start | Grow]:
    """The jobs whose seats are all free start on them; running jobs get their extras."""
    for hold in sorted(scene.holds.values(), key=lambda hold: (hold.since, hold.job)):
        waits, runs = hold.job in scene.pending, hold.job in scene.running
        if (waits or runs) and _complete(scene, hold):
            _become_work(scene, hold)
            yield Start(hold.job, hold.seats) if waits else Grow(hold.job, hold.seats)


def _complete(scene: Scene, hold: Hold) -> bool:
    """Whether every seat fits with nobody else in it; the state is left as it was."""
    mark = scene.state.mark()
    for seat in hold.seats:
        scene.state.lift(seat)
    complete = scene.state.room_for_all(hold.seats)
    scene.state.undo(mark)
    return complete


def _become_work(scene: Scene, hold: Hold) -> None:
    """Seats and charges stay as they are; only nobody may take them over any more in this cycle."""
    del scene.holds[hold.job]
    for unit in [unit for unit in scene.field.of_job[hold.job] if unit.kind is Kind.HOLD]:
        scene.field.drop(unit)


def let_go(scene: Scene, hold: Hold) -> Unit:
    """The hold's seats are free for others, and no longer charged. Returns what stood for it among the units."""
    holder = next(unit for unit in scene.field.of_job[hold.job] if unit.kind is Kind.HOLD)
    del scene.holds[hold.job]
    scene.field.drop(holder)
    book(scene.ledger, holder, -1)
    for seat in hold.seats:
        scene.state.lift(seat)
    return holder


def keep(scene: Scene, hold: Hold, holder: Unit | None = None) -> None:
    """The hold's seats are taken and charged."""
    unit = holder or scene.field.unit_of_hold(hold)
    scene.holds[hold.job] = hold
    scene.field.add(unit)
    book(scene.ledger, unit, 1)
    for seat in hold.seats:
        scene.state.put(seat)


def waiting_for_victims(scene: Scene, job: PendingJob) -> Reason:
    """What a job that has a hold waits for."""
    hold = scene.holds[job.id]
    leaving = [task for task in hold.victims if task in scene.held_tasks]
    return Reason(
        "WAITING_FOR_ROOM",
        {
            "tasks": len(leaving),
            "since": hold.since,
            "until": hold.since + scene.policy.hold_timeout,
            "rule": hold.rule,
        },
    )
