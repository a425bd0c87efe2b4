"""Backfill: a job that has waited long gets a concrete set of devices for the earliest time that can be told.

Others may use the set as long as they are proved to be gone by then, are ahead of the holder, or are guests: work that
loses nothing, or little, when it is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision, Evict, Keep, Release, Reserve, Start
from vast.scheduling.holds import keep
from vast.scheduling.ledger import cards
from vast.scheduling.placement import Seated
from vast.scheduling.scene import Scene
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import Hold, PendingJob, Placement, Reservation
from vast.scheduling.trial import book
from vast.scheduling.victims import Kind, Unit

# A reservation that has become late, or that could not tell its time, is planned anew after this many seconds.
PLAN_AGAIN = 60


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the job would go, and when that is free (None = nobody can say)."""

    seats: tuple[Placement, ...]
    starts_at: int | None


class Reservations:
    """The reserved sets of one cycle. They fill the state for all who may not use them."""

    def __init__(self, scene: Scene, standing: Sequence[Reservation]) -> None:
        self._scene = scene
        self.of: dict[str, Reservation] = {}
        self.ended: list[str] = []
        here = [reservation for reservation in standing if reservation.queue in scene.ledger.queues]
        for reservation in sorted(here, key=lambda r: (r.since, r.job)):
            if (
                reservation.job in scene.pending
                and reservation.job not in scene.holds
                and self._sound(reservation)
            ):
                self._put(reservation)
            else:
                self.ended.append(reservation.job)

    def releases(self) -> Iterator[Release]:
        for job in self.ended:
            yield Release(job)

    def _sound(self, reservation: Reservation) -> bool:
        late = reservation.starts_at is not None and self._scene.now > reservation.starts_at + PLAN_AGAIN
        unknown = reservation.starts_at is None and self._scene.now > reservation.since + PLAN_AGAIN
        return not late and not unknown and all(self._scene.in_order(seat) for seat in reservation.seats)

    def _put(self, reservation: Reservation) -> None:
        self.of[reservation.job] = reservation
        for seat in reservation.seats:
            self._scene.state.put(seat)

    def _lift(self, reservation: Reservation) -> None:
        del self.of[reservation.job]
        for seat in reservation.seats:
            self._scene.state.lift(seat)

    # -- others ------------------------------------------------------------------------------------------------

    def seat_guest(self, job: PendingJob, shape: JobShape, rooms: Mapping[str, int]) -> Seated | None:
        """Seats on the reserved sets that the job may use."""
        usable = [r for r in self.of.values() if r.job != job.id and self._may_use(job, r)]
        if not usable:
            return None
        for reservation in usable:
            self._lift(reservation)
        outcome = self._scene.search.seat(shape, rooms)
        for reservation in usable:
            self._put(reservation)
        return outcome if isinstance(outcome, Seated) else None

    def _may_use(self, job: PendingJob, reservation: Reservation) -> bool:
        holder = self._scene.pending[reservation.job]
        if job.preemptible and (job.movable or job.checkpoints):
            return True
        if job.queue == holder.queue and job.priority > holder.priority:
            return True
        if self._inside(job) and not self._inside(holder):
            return True
        pausable = any(group.request.sharing == "priority-preemption" for group in job.groups)
        return (
            reservation.starts_at is not None
            and job.max_runtime is not None
            and not pausable
            and self._scene.now + job.max_runtime <= reservation.starts_at
        )

    def _inside(self, job: PendingJob) -> bool:
        """Whether the job's leaf stays inside its guarantee with it."""
        scene = self._scene
        return all(
            scene.ledger.holding(job.queue, name) + charge <= scene.shares.guarantee(job.queue, name)
            for name, charge in scene.shapes.of(job).demand.items()
        )

    # -- the holder --------------------------------------------------------------------------------------------

    def step_aside(self, job: PendingJob) -> Reservation | None:
        """For the holder's own turn its set is free to it."""
        reservation = self.of.get(job.id)
        if reservation is not None:
            self._lift(reservation)
        return reservation

    def start(self, job: PendingJob, reservation: Reservation) -> Start | None:
        """The start on exactly the reserved set, once it is free."""
        if not self._scene.state.room_for_all(reservation.seats):
            return None
        charges: dict[str, int] = {}
        for seat in reservation.seats:
            self._scene.state.put(seat)
            for part in seat.slices:
                name = self._scene.class_of[part.device]
                charges[name] = charges.get(name, 0) + part.charge
        self._scene.ledger.book(job.queue, charges, 1, fixed=not job.preemptible)
        return Start(job.id, reservation.seats)

    def clear_of_guests(self, job: PendingJob, reservation: Reservation) -> Iterator[Decision]:
        """When only guests are left on the set they are stopped, and the set is held."""
        scene = self._scene
        here: dict[Unit, None] = {}
        for seat in reservation.seats:
            for part in seat.slices:
                for unit in scene.field.on_device.get(scene.state.device_index[part.device], ()):
                    here |= dict.fromkeys(scene.field.with_extras(unit))
        guests = [unit for unit in here if unit.kind is not Kind.STOPPING]
        if not guests or not all(unit.guest and unit.started_at >= reservation.since for unit in guests):
            return
        mark = scene.state.mark()
        for unit in here:
            for task in unit.tasks:
                scene.state.lift(task)
        fits = scene.state.room_for_all(reservation.seats)
        scene.state.undo(mark)
        if not fits:
            return
        victims = tuple(task.task for unit in here for task in unit.tasks)
        leaving: dict[str, list[Unit]] = {}
        reasons: dict[str, Reason] = {}
        for unit in guests:
            scene.field.told_to_stop(unit)
            book(scene.ledger, unit, -1)
            scene.ledger.book(unit.queue, unit.charges, 1, stopping=True, fixed=unit.fixed)
            params = {
                "job": job.id,
                "queue": scene.ledger.queues[job.queue].name,
                "cards": cards(sum(unit.charges.values())),
            }
            leaving.setdefault(unit.job, []).append(unit)
            reasons[unit.job] = Reason("EVICTED_GUEST", params)
        for guest, units in leaving.items():
            tasks = tuple(task.task for unit in units for task in unit.tasks)
            whole = any(unit.whole for unit in units)
            yield Evict(guest, tasks, job.id, "guest", whole, reasons[guest])
        hold = Hold(job.id, job.queue, reservation.seats, scene.now, victims, "guest")
        keep(scene, hold)
        yield Keep(job.id, reservation.seats, victims, "guest")

    def put_back(self, reservation: Reservation) -> None:
        """The holder could not start: its set is closed to others again."""
        self._put(reservation)

    # -- making one --------------------------------------------------------------------------------------------

    def reserve(self, job: PendingJob, shape: JobShape, rooms: Mapping[str, int]) -> Reserve | None:
        """A new reservation, unless the pool has as many as it may."""
        if len(self.of) >= self._scene.policy.max_reservations:
            return None
        plan = self._plan(job, shape, rooms)
        if plan is None:
            return None
        self._put(Reservation(job.id, job.queue, plan.seats, plan.starts_at, self._scene.now))
        return Reserve(job.id, plan.seats, plan.starts_at)

    def _plan(self, job: PendingJob, shape: JobShape, rooms: Mapping[str, int]) -> Plan | None:
        """The first moment at which the job fits, when everything that ends by then is gone; where that never comes,
        the fewest cards that must end besides."""
        now = self._scene.now
        units = [
            unit for unit in self._scene.field.units if unit.kind is not Kind.HOLD and unit.job != job.id
        ]
        ends = {unit: now if unit.kind is Kind.STOPPING else unit.ends_at for unit in units}
        known = sorted((end, unit.id, unit) for unit in units if (end := ends[unit]) is not None)
        endless = sorted((sum(unit.charges.values()), unit.id, unit) for unit in units if ends[unit] is None)
        line = [unit for *_, unit in known] + [unit for *_, unit in endless]
        count, seated = self._fewest(line, shape, rooms)
        if seated is None:
            return None
        when = max(now, known[count - 1][0]) if 0 < count <= len(known) else None if count else now
        return Plan(self._scene.placements(job.groups, seated), when)

    def _fewest(
        self, line: Sequence[Unit], shape: JobShape, rooms: Mapping[str, int]
    ) -> tuple[int, Seated | None]:
        """How many of the line must be gone, and the seats then."""
        low, high = 0, len(line)
        best = self._seats_without(line[:high], shape, rooms)
        while best is not None and low < high:
            middle = (low + high) // 2
            found = self._seats_without(line[:middle], shape, rooms)
            if found is None:
                low = middle + 1
            else:
                high, best = middle, found
        return high, best

    def _seats_without(
        self, gone: Sequence[Unit], shape: JobShape, rooms: Mapping[str, int]
    ) -> Seated | None:
        state = self._scene.state
        mark = state.mark()
        for unit in gone:
            for task in unit.tasks:
                state.lift(task)
        outcome = self._scene.search.seat(shape, rooms)
        state.undo(mark)
        return outcome if isinstance(outcome, Seated) else None


def reserved(reservation: Reservation | Reserve, why: Reason) -> Reason:
    """What the holder waits for."""
    names = {part.device for seat in reservation.seats for part in seat.slices}
    params = {"devices": len(names), "starts_at": reservation.starts_at}
    code = "RESERVED" if reservation.starts_at is not None else "RESERVED_UNTIL_FREE"
    return Reason(code, params, (why,))
