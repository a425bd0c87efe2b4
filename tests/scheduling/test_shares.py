"""Fair shares: the worked examples of the design (scheduling-notes, section 1) and the rules around them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vast.scheduling.division import Claim, divide


def shares(pool: float, *queues: dict[str, float]) -> list[float]:
    """Shares in cards; a queue is its want ``d``, guarantee ``g``, weight ``w`` and so on, in cards."""
    claims = [
        Claim(
            id=f"q{i}",
            want=round(1000 * max(queue["d"], queue.get("r", 0))),
            guaranteed=round(1000 * queue.get("g", 0)),
            reserved=round(1000 * queue.get("r", 0)),
            weight=int(queue.get("w", 1)),
            priority=int(queue.get("p", 0)),
            created_at=int(queue.get("created", i)),
            slices=bool(queue.get("slices", 0)),
        )
        for i, queue in enumerate(queues)
    ]
    given = divide(round(pool * 1000), claims).given
    return [given[claim.id] / 1000 for claim in claims]


@pytest.mark.parametrize(
    ("pool", "queues", "expected"),
    [
        (15, [{"g": 2, "w": 2, "d": 6}, {"g": 2, "w": 2, "d": 6}], [6, 6]),
        (8, [{"g": 2, "w": 1, "d": 6}, {"g": 2, "w": 3, "d": 6}], [3, 5]),
        (11, [{"g": 2, "w": 1, "d": 10}, {"g": 2, "w": 4, "d": 10}], [3, 8]),
        (11, [{"g": 2, "w": 2, "d": 6}, {"g": 2, "w": 2, "d": 6}], [6, 5]),
        (4, [{"g": 2, "w": 2, "d": 6, "p": 1}, {"g": 2, "w": 2, "d": 6, "p": 2}], [2, 2]),
        (
            5,
            [{"g": 2, "w": 2, "d": 5, "p": 2}, {"g": 2, "w": 2, "d": 5, "p": 2}, {"g": 1, "d": 0}],
            [3, 2, 0],
        ),
        (4, [{"g": 1, "w": 3, "d": 2}, {"g": 2, "w": 1, "d": 2.5}], [2, 2]),
        (2, [{"g": 1, "d": 2}, {"g": 1, "d": 0.4}], [1.6, 0.4]),
        (1, [{"d": 1, "slices": 1}] * 4, [0.25] * 4),
        (4, [{"g": 4, "d": 1}, {"g": 4, "d": 4}], [1, 3]),
        (4, [{"g": 4, "d": 4}, {"g": 4, "d": 4}], [2, 2]),
        (9, [{"g": 3, "w": 1, "d": 6}, {"g": 3, "w": 0, "d": 6}, {"g": 3, "d": 0}], [6, 3, 0]),
        (1, [{"g": 3, "d": 2}], [1]),
        (4, [{"r": 2, "g": 2, "d": 0}, {"d": 4}], [2, 2]),
    ],
)
def test_worked_examples(pool: float, queues: list[dict[str, float]], expected: list[float]) -> None:
    assert shares(pool, *queues) == expected


def test_guarantees_in_force_are_cut_by_one_factor_when_oversold() -> None:
    division = divide(4000, [Claim("a", 4000, 4000), Claim("b", 4000, 4000)])
    assert division.factor == Fraction(1, 2)
    assert division.guarantees == {"a": 2000, "b": 2000}


@st.composite
def divisions(draw: st.DrawFn) -> tuple[int, list[Claim]]:
    chance = Random(draw(st.integers(0, 2**32)))
    claims = []
    for i in range(draw(st.integers(1, 6))):
        guaranteed = chance.choice((0, 0, 500, 1000, 3000))
        reserved = chance.choice((0, 0, guaranteed // 2, guaranteed))
        claims.append(
            Claim(
                id=f"q{i}",
                want=max(reserved, chance.choice((0, 300, 1000, 2500, 9000))),
                guaranteed=guaranteed,
                reserved=reserved,
                weight=chance.choice((0, 1, 1, 3)),
                priority=chance.choice((0, 0, 1)),
                created_at=chance.randint(0, 3),
                slices=chance.random() < 0.3,
            )
        )
    return chance.choice((0, 1000, 4000, 10_500)), claims


@given(divisions())
def test_the_pool_is_never_passed_and_nobody_gets_more_than_it_wants(drawn: tuple[int, list[Claim]]) -> None:
    pool, claims = drawn
    given_out = divide(pool, claims).given
    assert sum(given_out.values()) <= pool
    assert all(0 <= given_out[claim.id] <= claim.want for claim in claims)


@given(divisions())
def test_nothing_is_left_while_somebody_is_hungry(drawn: tuple[int, list[Claim]]) -> None:
    """One milli-card may be lost to rounding where guarantees are cut."""
    pool, claims = drawn
    division = divide(pool, claims)
    hungry = [claim for claim in claims if division.given[claim.id] < claim.want]
    cut = len(claims) if division.factor < 1 else 0
    assert not hungry or sum(division.given.values()) >= pool - cut


@given(divisions())
def test_a_guarantee_in_force_is_given_as_far_as_it_is_wanted(drawn: tuple[int, list[Claim]]) -> None:
    pool, claims = drawn
    division = divide(pool, claims)
    for claim in claims:
        assert division.given[claim.id] >= min(claim.want, division.guarantees[claim.id])
        assert division.guarantees[claim.id] <= max(claim.guaranteed, claim.reserved)


@given(divisions(), st.randoms(use_true_random=False))
def test_the_order_of_the_queues_does_not_matter(drawn: tuple[int, list[Claim]], chance: Random) -> None:
    pool, claims = drawn
    mixed = chance.sample(claims, len(claims))
    assert divide(pool, mixed).given == divide(pool, claims).given
