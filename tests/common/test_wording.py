"""Paths of fields, and the moment of the clock."""

from __future__ import annotations

import datetime as dt

import pytest

from vast.common import clock
from vast.common.errors import FieldError, field_path


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ((), ""),
        (("a",), "a"),
        (("groups", 0, "request", "cores"), "groups[0].request.cores"),
        ((1, 2), "[1][2]"),
    ],
)
def test_a_path_reads_as_one_would_write_it(location: tuple[int | str, ...], path: str) -> None:
    assert field_path(location) == path


def test_what_is_allowed_is_told_only_when_known() -> None:
    assert FieldError("a", "c", "d").as_dict() == {"field": "a", "code": "c", "detail": "d"}
    assert FieldError("a", "c", "d", [1]).as_dict()["allowed"] == [1]


def test_time_stands_still_inside_frozen_and_goes_on_after_it() -> None:
    moment = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
    with clock.frozen(moment):
        assert clock.now() == clock.now() == moment
        with clock.frozen(moment + dt.timedelta(days=1)):
            assert clock.now().day == 2
        assert clock.now() == moment
    assert clock.now() != moment
    assert clock.now().tzinfo is dt.UTC
