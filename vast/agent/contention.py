"""Who gets how much of a device's compute when several slices want it: the four sharing policies as arithmetic.

What vendors do in silicon and in their libraries, simulated devices do by this. All figures are percent of one device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WHOLE = 100.0


@dataclass(frozen=True, slots=True)
class Claim:
    """What one slice wants now. ``cores`` is its share by its order, ``wants`` what it would use if it were alone."""

    policy: str
    cores: float
    priority: int
    wants: float

    @property
    def promised(self) -> float:
        """What it is owed before anybody else gets more."""
        owed = self.policy in ("fixed-ratio", "guaranteed-minimum")
        return min(self.wants, self.cores) if owed else 0.0


def divide(claims: Sequence[Claim]) -> list[float]:
    """What each claim gets; in sum at most the whole device.

    Promises come first, cut alike where more was promised than there is. Then come the slices with a priority, the
    highest first. What is left goes in equal pieces to the guaranteed minimums that want more and to best effort.
    """
    got = [claim.promised for claim in claims]
    owed = sum(got)
    if owed > WHOLE:
        return [share * WHOLE / owed for share in got]
    left = WHOLE - owed
    ranked = [i for i, claim in enumerate(claims) if claim.policy == "priority-preemption"]
    for priority in sorted({claims[i].priority for i in ranked}, reverse=True):
        left -= _spread(claims, got, [i for i in ranked if claims[i].priority == priority], left)
    lent = ("guaranteed-minimum", "best-effort")
    _spread(claims, got, [i for i, claim in enumerate(claims) if claim.policy in lent], left)
    return got


def _spread(claims: Sequence[Claim], got: list[float], who: list[int], left: float) -> float:
    """Give equal pieces until everybody has what it wants or nothing is left; how much was given."""
    given = 0.0
    for number, i in enumerate(sorted(who, key=lambda i: claims[i].wants - got[i])):
        piece = min(max(0.0, claims[i].wants - got[i]), (left - given) / (len(who) - number))
        got[i] += piece
        given += piece
    return given
