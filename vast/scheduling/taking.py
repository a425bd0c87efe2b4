"""Taking from others for one job: when it may be tried, which tries in which order, and what follows from success."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision, Evict, Keep, Release, Start
from vast.scheduling.holds import keep, let_go
from vast.scheduling.ledger import cards
from vast.scheduling.placement import Seated
from vast.scheduling.rights import MOVE, Asker
from vast.scheduling.scenario import Scenario, Variant, variants
from vast.scheduling.scene import Scene
from vast.scheduling.shapes import JobShape
from vast.scheduling.snapshot import Hold, Placement, TaskGroup
from vast.scheduling.trial import book
from vast.scheduling.victims import Kind, Unit

REASONS = {
    "priority": "EVICTED_FOR_PRIORITY",
    "extra": "EVICTED_EXTRA",
    "share": "EVICTED_FOR_SHARE",
    "guarantee": "EVICTED_FOR_GUARANTEE",
    MOVE: "MOVED",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A job (or one extra of it) that found no free room."""

    job: str
    leaf: str
    priority: int
    preemptible: bool
    shape: JobShape
    extra: bool = False


class Taking:
    """Remembers what was in vain until the world of the cycle changes."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._in_vain: dict[tuple[JobShape, str, int, bool], int] = {}
        self._version = 0
        self._moves_left = scene.policy.moves_per_hour - sum(
            scene.now - at < 3600 for job in scene.running.values() for at in job.evicted_at
        )

    def world_changed(self) -> None:
        """Something was started: what was in vain, or dear, may not be any more."""
        self._version += 1
        self._scene.scenarios.prices.forget()

    def decisions(self, wish: Wish, groups: Sequence[TaskGroup]) -> Iterator[Decision]:
        """Evictions, moves and the hold that seat the job, or its Start when nobody has to leave; nothing when there
        is no legal way, or when all that is needed is leaving already. Raises BudgetExhausted."""
        scenario = self._find(wish)
        if scenario is None:
            return
        if not scenario.out or any(unit.kind is not Kind.STOPPING for unit in scenario.out):
            yield from self._carry_out(wish, scenario, self._scene.placements(groups, scenario.seated))

    def _find(self, wish: Wish) -> Scenario | None:
        key = (wish.shape, wish.leaf, wish.priority, wish.extra)
        if not self._scene.field.units or self._in_vain.get(key) == self._version:
            return None
        for variant in variants(wish.shape, self._scene.state):
            if not self._may_ever(wish, variant):
                continue
            asker = Asker(
                wish.job,
                wish.leaf,
                wish.priority,
                variant.charges,
                self._short(wish.shape, variant),
                wish.extra,
            )
            scenario = self._best(asker, wish, variant)
            if scenario is not None:
                return scenario
        self._in_vain[key] = self._version
        return None

    def _best(self, asker: Asker, wish: Wish, variant: Variant) -> Scenario | None:
        """Moves lose nothing, so they come first; else the cheaper of evictions alone and together with moves."""
        may_move = not wish.extra and self._moves_left > 0 and any(u.movable for u in self._scene.field.units)
        if may_move:
            found = self._attempt(replace(asker, evicts=False, moves=True), wish, variant)
            if found is not None:
                return found
        modes = (False, True) if may_move else (False,)
        tried = [self._attempt(replace(asker, evicts=True, moves=moves), wish, variant) for moves in modes]
        return min((one for one in tried if one is not None), key=lambda one: one.cost, default=None)

    def _attempt(self, asker: Asker, wish: Wish, variant: Variant) -> Scenario | None:
        """Searches only where somebody may be taken at all."""
        rights = self._scene.rights
        if not any(rights.rule(asker, unit) for unit in self._scene.field.units):
            return None
        return self._scene.scenarios.find(asker, wish.shape, variant)

    def _may_ever(self, wish: Wish, variant: Variant) -> bool:
        """Whether the gang would be allowed if everything else of its queues were gone."""
        ledger, guarantee = self._scene.ledger, self._scene.shares.guarantee
        if not wish.preemptible and any(
            asked > ledger.fixed_room(wish.leaf, name, guarantee).free
            for name, asked in variant.charges.items()
        ):
            return False
        return all(
            (limit := ledger.quota(queue, name).limit) is None or asked <= limit
            for queue in ledger.path(wish.leaf)
            for name, asked in variant.charges.items()
        )

    def _short(self, shape: JobShape, variant: Variant) -> frozenset[str]:
        """The classes that free room does not give to the groups that ask for them."""
        names = sorted(variant.charges)
        if len(names) < 2:
            return frozenset(names)
        short = [name for name in names if not self._free_for(shape, variant, name)]
        return frozenset(short or names)

    def _free_for(self, shape: JobShape, variant: Variant, name: str) -> bool:
        mark = self._scene.state.mark()
        part = shape.only([i for i, of in enumerate(variant.classes) if of == name])
        outcome = self._scene.search.seat(part, {})
        self._scene.state.undo(mark)
        return isinstance(outcome, Seated)

    def _carry_out(self, wish: Wish, scenario: Scenario, seats: tuple[Placement, ...]) -> Iterator[Decision]:
        """The decisions of a scenario; the world of the cycle changes with them."""
        self._version += 1
        scene = self._scene
        scene.scenarios.prices.touched(self._nodes(scenario, seats))
        for unit in scenario.out:
            if unit.kind is Kind.HOLD:
                let_go(scene, scene.holds[unit.job])
                yield Release(unit.job)
        leaving = self._leaving(scenario)
        for units in leaving:
            moved = units[0] in scenario.moves
            yield self._evict(wish, units, MOVE if moved else scenario.out[units[0]], scenario)
            if moved:
                yield self._move(units[0], scenario.moves[units[0]])
        if all(unit.kind is Kind.HOLD for unit in scenario.out):
            for seat in seats:
                scene.state.put(seat)
            scene.ledger.book(wish.leaf, scenario.seated.charges, 1, fixed=not wish.preemptible)
            yield Start(wish.job, seats)
            return
        victims = tuple(
            task.task for unit in scenario.out if unit.kind is not Kind.HOLD for task in unit.tasks
        )
        lost = [units[0] for units in leaving if units[0] not in scenario.moves]
        lost += [unit for unit in scenario.out if unit.kind is Kind.HOLD]
        rule = scenario.out[lost[0]] if lost else MOVE
        keep(scene, Hold(wish.job, wish.leaf, seats, scene.now, victims, rule))
        yield Keep(wish.job, seats, victims, rule)

    def _nodes(self, scenario: Scenario, seats: Sequence[Placement]) -> set[int]:
        index = self._scene.state.node_index
        moved = {seat.node for place in scenario.moves.values() for group in place.groups for seat in group}
        return (
            moved
            | {index[seat.node] for seat in seats}
            | {index[task.node] for unit in scenario.out for task in unit.tasks}
        )

    @staticmethod
    def _leaving(scenario: Scenario) -> list[list[Unit]]:
        """Who has to be told, by job; a minimum before its extras."""
        jobs: dict[str, list[Unit]] = {}
        for unit in scenario.out:
            if unit.kind in (Kind.MINIMUM, Kind.EXTRA):
                jobs.setdefault(unit.job, []).append(unit)
        return [sorted(units, key=lambda unit: not unit.whole) for units in jobs.values()]

    def _evict(self, wish: Wish, units: Sequence[Unit], rule: str, scenario: Scenario) -> Evict:
        scene = self._scene
        for unit in units:
            scene.field.told_to_stop(unit)
            book(scene.ledger, unit, -1)
            scene.ledger.book(unit.queue, unit.charges, 1, stopping=True, fixed=unit.fixed)
        lost = sum(sum(unit.charges.values()) for unit in units)
        return Evict(
            job=units[0].job,
            tasks=tuple(task.task for unit in units for task in unit.tasks),
            by=wish.job,
            rule=rule,
            whole=units[0].whole,
            reason=Reason(
                REASONS[rule],
                {
                    "job": wish.job,
                    "queue": scene.ledger.queues[wish.leaf].name,
                    "cards": cards(lost),
                    "gain_cards": cards(sum(scenario.seated.charges.values())),
                },
            ),
        )

    def _move(self, unit: Unit, seated: Seated) -> Keep:
        self._moves_left -= 1
        groups = self._scene.as_pending(self._scene.running[unit.job], unit).groups
        seats = self._scene.placements(groups, seated)
        keep(self._scene, Hold(unit.job, unit.queue, seats, self._scene.now, (), MOVE))
        return Keep(unit.job, seats, (), MOVE)
