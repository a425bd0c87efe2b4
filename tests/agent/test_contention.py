"""The four sharing policies on one device, in percent of its compute."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vast.agent.contention import Claim, divide
from vast.vendors.sharing import POLICIES


def claim(policy: str, wants: float = 100, *, cores: float = 0, priority: int = 0) -> Claim:
    return Claim(policy, cores, priority, wants)


def test_a_fixed_share_is_never_more_even_beside_nobody() -> None:
    assert divide([claim("fixed-ratio", cores=30)]) == [30]


def test_a_guaranteed_minimum_takes_what_is_idle() -> None:
    assert divide([claim("guaranteed-minimum", cores=30)]) == [100]


def test_a_guaranteed_minimum_holds_against_everybody() -> None:
    others = [claim("best-effort"), claim("best-effort"), claim("priority-preemption", priority=1000)]
    assert divide([claim("guaranteed-minimum", cores=40), *others]) == [40, 0, 0, 60]


def test_best_effort_yields_to_promises_and_shares_the_rest_alike() -> None:
    assert divide([claim("fixed-ratio", cores=60), claim("best-effort"), claim("best-effort")]) == [
        60,
        20,
        20,
    ]


def test_best_effort_has_the_device_when_it_is_alone() -> None:
    assert divide([claim("best-effort", 80)]) == [80]


def test_the_higher_priority_goes_first_and_the_lower_gets_what_is_left() -> None:
    low, high = (
        claim("priority-preemption", 80, priority=0),
        claim("priority-preemption", 70, priority=100),
    )
    assert divide([low, high]) == [30, 70]


def test_equal_priorities_share_alike() -> None:
    assert divide([claim("priority-preemption", priority=5), claim("priority-preemption", priority=5)]) == [
        50,
        50,
    ]


def test_what_a_small_wish_leaves_goes_to_the_others() -> None:
    assert divide([claim("best-effort", 10), claim("best-effort"), claim("best-effort")]) == [10, 45, 45]


def test_promises_beyond_the_device_are_cut_alike() -> None:
    assert divide([claim("fixed-ratio", cores=100), claim("guaranteed-minimum", cores=100)]) == [50, 50]


CLAIMS = st.lists(
    st.builds(
        Claim,
        st.sampled_from(POLICIES),
        st.integers(0, 100).map(float),
        st.integers(-2, 2),
        st.integers(0, 100).map(float),
    ),
    max_size=8,
)


@given(CLAIMS)
def test_nobody_gets_more_than_it_wants_and_all_together_no_more_than_the_device(claims: list[Claim]) -> None:
    got = divide(claims)
    assert sum(got) <= 100 + 1e-6
    assert all(-1e-9 <= share <= claim.wants + 1e-6 for share, claim in zip(got, claims, strict=True))


@given(CLAIMS)
def test_promises_that_fit_are_kept(claims: list[Claim]) -> None:
    if sum(claim.promised for claim in claims) <= 100:
        assert all(
            share >= claim.promised - 1e-6 for share, claim in zip(divide(claims), claims, strict=True)
        )


@given(CLAIMS)
def test_nothing_that_somebody_may_use_is_left_idle(claims: list[Claim]) -> None:
    got = divide(claims)
    hungry = any(
        claim.policy != "fixed-ratio" and claim.wants > share + 1e-6
        for share, claim in zip(got, claims, strict=True)
    )
    assert not hungry or sum(got) >= 100 - 1e-6
