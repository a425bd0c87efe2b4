"""Vendor rounding: what a device really gives to a request, before feasibility and charge."""

from __future__ import annotations

from typing import NamedTuple

from vast.vendors.base import SliceRule


class Grant(NamedTuple):
    """What is given: percent (0 = best effort, nothing reserved), MiB, and whether it became the whole
    device.
    """

    cores: int
    memory_mib: int
    whole: bool


def grant(rule: SliceRule, device_memory_mib: int, cores: int | None, memory_mib: int) -> Grant:
    """Round a request for one device up to what its vendor can cut.

    ``cores`` is percent, 1..100, or None for best effort (then 0 are reserved, except where the vendor cuts
    in templates: a template always brings its compute). Never less than asked, never more than the device
    has, and granting what was granted changes nothing. What cannot be cut that large becomes the whole
    device.

    Raises ValueError for more memory than the device has: the caller leaves such a device out first.
    """
    if not 0 <= memory_mib <= device_memory_mib:
        raise ValueError(f"{memory_mib} MiB asked of a device of {device_memory_mib} MiB")
    if cores is not None and not 0 <= cores <= 100:
        raise ValueError(f"cores is a percentage of one device, 1 to 100, not {cores}")
    whole = Grant(100, device_memory_mib, whole=True)
    if not rule.shareable:
        return whole
    if rule.sizes:
        for size_mib, size_cores in rule.sizes:
            if size_mib >= memory_mib and size_cores >= (cores or 0) and size_mib <= device_memory_mib:
                return Grant(size_cores, size_mib, whole=False)
        return whole
    rounded_cores = min(_round_up(cores or 0, rule.core_step), 100)
    rounded_memory = _round_up(memory_mib, rule.memory_step_mib)
    if rounded_memory > device_memory_mib:
        return whole
    return Grant(rounded_cores, rounded_memory, whole=False)


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
