"""One pool divided among queues that are siblings: the fair share of each, in whole milli-cards.

Pure arithmetic on integers; nothing here knows of trees, jobs or devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

CARD = 1000
UNCUT = Fraction(1)


@dataclass(frozen=True, slots=True)
class Claim:
    """What one queue may claim, in milli-cards.

    ``want`` = its demand under its limit. ``guaranteed`` includes ``reserved``, which is kept from others whether it asks
    or not. ``slices`` = all its tasks are smaller than one card. ``weight`` 0 = no claim on the rest.
    """

    id: str
    want: int
    guaranteed: int = 0
    reserved: int = 0
    weight: int = 1
    priority: int = 0
    created_at: int = 0
    slices: bool = False


@dataclass(frozen=True, slots=True)
class Division:
    """What each queue gets, the guarantees in force, and the factor by which those are cut (1 = not at all)."""

    given: dict[str, int]
    guarantees: dict[str, int]
    factor: Fraction


def divide(pool: int, claims: Sequence[Claim]) -> Division:
    """Divide ``pool`` milli-cards: guarantees first, then the rest by priority and weight.

    The sum never exceeds the pool, and nobody gets more than it wants.
    """
    factor, guarantees = _guarantees_in_force(max(0, pool), claims)
    given = {claim.id: min(claim.want, guarantees[claim.id]) for claim in claims}
    rest = pool - sum(max(given[claim.id], claim.reserved) for claim in claims)
    for tier in _tiers(claims):
        hungry = [_Hungry(claim, claim.want - given[claim.id]) for claim in tier]
        hungry = [one for one in hungry if one.room > 0]
        if rest <= 0 or not hungry:
            continue
        _pour(rest, hungry)
        for one in hungry:
            given[one.claim.id] += one.got
            rest -= one.got
    return Division(given, guarantees, factor)


def _guarantees_in_force(pool: int, claims: Sequence[Claim]) -> tuple[Fraction, dict[str, int]]:
    """The guarantees; where they ask for more than the pool, all cut by one factor, but not below what is
    reserved; where even that is too much, what is reserved cut by one factor."""
    if sum(min(claim.want, claim.guaranteed) for claim in claims) <= pool:
        return UNCUT, {claim.id: claim.guaranteed for claim in claims}
    if sum(min(claim.want, claim.reserved) for claim in claims) >= pool:
        bare = [replace(claim, guaranteed=claim.reserved, reserved=0) for claim in claims if claim.reserved]
        part = _filling_factor(pool, bare)
        return Fraction(0), {
            claim.id: claim.reserved * part.numerator // part.denominator for claim in claims
        }
    factor = _filling_factor(pool, [claim for claim in claims if claim.guaranteed > 0])
    cut = {
        claim.id: max(claim.reserved, claim.guaranteed * factor.numerator // factor.denominator)
        for claim in claims
    }
    return factor, cut


def _filling_factor(pool: int, claims: Sequence[Claim]) -> Fraction:
    """The f at which the sum of f x guaranteed, each kept between what is reserved and what is wanted, is the
    pool. The sum grows with f in straight pieces: find the piece, then the point on it."""

    def taken(factor: Fraction) -> Fraction:
        total = Fraction(0)
        for claim in claims:
            promised = max(Fraction(claim.reserved), factor * claim.guaranteed)
            total += min(Fraction(claim.want), promised)
        return total

    bends = {Fraction(bound, claim.guaranteed) for claim in claims for bound in (claim.reserved, claim.want)}
    steps = sorted({Fraction(0), UNCUT, *(bend for bend in bends if bend < 1)})
    low, high = 0, len(steps) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if taken(steps[middle]) <= pool else (low, middle)
    slope = sum(
        claim.guaranteed for claim in claims if claim.reserved <= steps[low] * claim.guaranteed < claim.want
    )
    return steps[low] + (pool - taken(steps[low])) / slope if slope else steps[low]


def _tiers(claims: Sequence[Claim]) -> Iterator[list[Claim]]:
    """Who shares the rest with whom, in turn: by priority; those without weight after all others."""
    tiers: dict[tuple[bool, int], list[Claim]] = {}
    for claim in claims:
        tiers.setdefault((claim.weight == 0, -claim.priority), []).append(claim)
    for key in sorted(tiers):
        yield tiers[key]


@dataclass(slots=True)
class _Hungry:
    """A queue that wants ``room`` more and has got ``got`` of it. ``remainder`` is what its piece has above that,
    as a numerator over the tier's sum of weights."""

    claim: Claim
    room: int
    got: int = 0
    remainder: int = 0

    @property
    def weight(self) -> int:
        return self.claim.weight or 1


def _pour(rest: int, hungry: list[_Hungry]) -> None:
    """Share out the rest by weight; who needs no more than its piece gets its need and leaves more for others."""
    total = sum(one.weight for one in hungry)
    others: list[_Hungry] = []
    for one in sorted(hungry, key=lambda one: Fraction(one.room, one.weight)):
        if others or one.room * total > rest * one.weight:
            others.append(one)
            continue
        one.got = one.room
        rest -= one.room
        total -= one.weight
    left = rest
    for one in others:
        piece = rest * one.weight
        unit = 1 if one.claim.slices else CARD
        one.got = piece // total // unit * unit
        one.remainder = piece - one.got * total
        left -= one.got
    while left and others:
        left = _last_cards(left, others, total)


def _last_cards(left: int, others: list[_Hungry], total: int) -> int:
    """A card each, the last one in part, by largest remainder, then the older queue, then id."""
    for one in sorted(others, key=lambda one: (-one.remainder, one.claim.created_at, one.claim.id)):
        extra = min(CARD, left, one.room - one.got)
        one.got += extra
        one.remainder -= extra * total
        left -= extra
    return left
