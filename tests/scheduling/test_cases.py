"""Every case of ``tests/cases`` as a test of its own: small worlds and the decisions to expect in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vast.simulator.cases.files import check, found, load
from vast.simulator.cases.form import Case

CASES = [case for path in found([Path(__file__).parents[1] / "cases"]) for case in load(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    assert check(case) == []
