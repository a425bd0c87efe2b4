"""The overview's last quarter of an hour, in the memory of each web process, so that a page opens with a past."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from vast.live.aggregate import Given, Overview, Sums

EVERY_S = 5.0
KEEP_S = 900.0
WAITING = ("pending", "blocked", "held")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Percent of all cards given out, used and idle; cards without a reading."""

    allocated_pct: float
    used_pct: float
    idle_pct: float
    silent: int


@dataclass(frozen=True, slots=True)
class Moment:
    at: float
    totals: Numbers
    pools: dict[str, Numbers]
    waiting: dict[str, int]

    def waiting_of(self, tenants: Collection[str] | None) -> int:
        return sum(n for tenant, n in self.waiting.items() if tenants is None or tenant in tenants)


def numbers(sums: Sums) -> Numbers:
    cards = max(1, sums.devices)
    allocated, used = sums.cores_allocated / cards, sums.util / cards
    return Numbers(
        round(allocated, 1),
        round(used, 1),
        round(max(0.0, allocated - used), 1),
        sums.devices - sums.devices_reporting,
    )


class History:
    """Oldest first. One loop writes; requests read."""

    def __init__(self) -> None:
        self._moments: deque[Moment] = deque(maxlen=int(KEEP_S / EVERY_S))

    def add(self, at: float, overview: Overview, given: Given) -> None:
        waiting: dict[str, int] = {}
        for (tenant, state), count in given.jobs.items():
            if state in WAITING:
                waiting[tenant] = waiting.get(tenant, 0) + count
        pools = {given.pools.get(pk, pk): numbers(sums) for pk, sums in overview.pools.items()}
        self._moments.append(Moment(at, numbers(overview.totals), pools, waiting))

    def points(self, *, pool: str | None, tenants: Collection[str] | None) -> list[list[float]]:
        """[unix_s, allocated_pct, used_pct, idle_pct, waiting_jobs, silent_cards]; of one pool, or of everything.

        ``tenants``: whose jobs the reader may count; None = everybody's. Jobs are counted over all pools.
        """
        points = []
        for moment in list(self._moments):
            shown = moment.totals if pool is None else moment.pools.get(pool)
            if shown is not None:
                points.append(
                    [
                        moment.at,
                        shown.allocated_pct,
                        shown.used_pct,
                        shown.idle_pct,
                        moment.waiting_of(tenants),
                        shown.silent,
                    ]
                )
        return points


history = History()
