"""Vendor rounding: what a device gives to a request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vast.vendors.base import SliceRule
from vast.vendors.registry import rule_for
from vast.vendors.rounding import grant


@st.composite
def rules(draw: st.DrawFn) -> SliceRule:
    """Any rule a vendor could have: steps, templates, or no sharing at all."""
    kind = draw(st.sampled_from(["steps", "sizes", "whole"]))
    if kind == "steps":
        return SliceRule(core_step=draw(st.integers(1, 50)), memory_step_mib=draw(st.integers(1, 4096)))
    if kind == "sizes":
        sizes = draw(st.sets(st.tuples(st.integers(1, 100_000), st.integers(1, 100)), min_size=1, max_size=8))
        return SliceRule(sizes=tuple(sorted(sizes)))
    return SliceRule(shareable=False)


@st.composite
def requests(draw: st.DrawFn) -> tuple[SliceRule, int, int | None, int]:
    """A rule, a device and a request that the device could hold."""
    device = draw(st.integers(1, 200_000))
    cores = draw(st.one_of(st.none(), st.integers(1, 100)))
    return draw(rules()), device, cores, draw(st.integers(0, device))


@given(requests())
def test_never_less_than_asked_and_never_more_than_the_device(
    request: tuple[SliceRule, int, int | None, int],
) -> None:
    rule, device, cores, memory = request
    given_ = grant(rule, device, cores, memory)
    assert (cores or 0) <= given_.cores <= 100
    assert memory <= given_.memory_mib <= device
    assert not given_.whole or (given_.cores, given_.memory_mib) == (100, device)


@given(requests())
def test_granting_what_was_granted_changes_nothing(request: tuple[SliceRule, int, int | None, int]) -> None:
    rule, device, cores, memory = request
    first = grant(rule, device, cores, memory)
    assert grant(rule, device, first.cores or None, first.memory_mib) == first


@pytest.mark.parametrize(
    ("vendor", "model", "device", "asked", "given_"),
    [
        ("nvidia", "A100-SXM4-80GB", 81920, (1, 512), (1, 512, False)),
        ("nvidia", "A100-SXM4-80GB", 81920, (None, 4097), (0, 4097, False)),
        ("cambricon", "MLU590-M9", 98304, (10, 4097), (10, 4352, False)),
        ("iluvatar", "BI-V150", 32768, (10, 1), (10, 256, False)),
        # 23,374 MiB hold 91 units of 256: what the odd rest would need is the whole card.
        ("cambricon", "MLU370-X8", 23374, (10, 23300), (100, 23374, True)),
        ("ascend", "910B3", 65536, (10, 4096), (25, 16384, False)),
        ("ascend", "910B3", 65536, (30, 4096), (50, 32768, False)),
        ("ascend", "910B3", 65536, (None, 4096), (25, 16384, False)),
        ("ascend", "910B3", 65536, (10, 32769), (100, 65536, True)),
        ("ascend", "910B3", 65536, (51, 4096), (100, 65536, True)),
        ("ascend", "310P3", 21527, (12, 3072), (12, 3072, False)),
        ("ascend", "310", 8192, (10, 1024), (100, 8192, True)),
        ("mthreads", "MTT S4000", 49152, (10, 4096), (12, 4096, False)),
        ("mthreads", "MTT S4000", 49152, (13, 4097), (18, 8192, False)),
        ("mthreads", "MTT S4000", 49152, (6, 40000), (100, 49152, True)),
    ],
)
def test_each_vendor_rounds_the_way_its_hardware_cuts(
    vendor: str,
    model: str,
    device: int,
    asked: tuple[int | None, int],
    given_: tuple[int, int, bool],
) -> None:
    assert grant(rule_for(vendor, model), device, *asked) == given_


def test_a_template_larger_than_the_device_really_is_becomes_the_whole_device() -> None:
    rule = SliceRule(sizes=((16384, 25), (32768, 50)))
    assert grant(rule, 20000, 30, 4096) == (100, 20000, True)


def test_more_memory_than_the_device_has_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="81921 MiB asked of a device of 81920 MiB"):
        grant(SliceRule(), 81920, 10, 81921)


@pytest.mark.parametrize("cores", [-1, 101])
def test_cores_outside_a_device_are_an_error_of_the_caller(cores: int) -> None:
    with pytest.raises(ValueError, match="1 to 100"):
        grant(SliceRule(), 81920, cores, 1)
