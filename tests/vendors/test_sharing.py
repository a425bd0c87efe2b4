from __future__ import annotations

import pytest

from vast.common.sentences import catalog
from vast.vendors.registry import rule_for, vendors
from vast.vendors.sharing import POLICIES, Why, means, refusal


@pytest.mark.parametrize("key", vendors())
def test_every_vendor_says_of_every_policy_how_it_is_kept_or_why_not(key: str) -> None:
    sharing = vendors()[key].sharing
    for policy in POLICIES:
        assert (means(sharing, policy) is None) == (refusal(sharing, policy) is not None)
        assert refusal(sharing, policy) is not Why.UNKNOWN


def test_a_policy_without_an_entry_is_refused_as_unknown() -> None:
    assert refusal({}, "fixed-ratio") is Why.UNKNOWN


def test_the_rule_of_a_model_carries_the_policies_of_its_vendor() -> None:
    assert rule_for("nvidia", "A100-SXM4-80GB").policies == POLICIES
    assert rule_for("metax", "C500").policies == ("best-effort", "fixed-ratio", "guaranteed-minimum")
    assert rule_for("hygon", "K100_AI").policies == ("best-effort", "fixed-ratio")


def test_a_priority_above_zero_is_the_high_one_of_two_levels() -> None:
    how = means(vendors()["nvidia"].sharing, "priority-preemption")
    assert how is not None
    assert [how.environment(priority)["CUDA_TASK_PRIORITY"] for priority in (-1, 0, 1)] == ["1", "1", "0"]


def test_every_reason_against_a_policy_has_a_sentence() -> None:
    assert {key for key in catalog("en") if key.startswith("sharing.")} == {f"sharing.{why}" for why in Why}
