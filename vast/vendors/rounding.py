"""What a vendor really cuts for a request: the rounding that comes before feasibility and charge."""

from __future__ import annotations

from vast.vendors.base import SliceRule


def grant(
    rule: SliceRule, device_memory_mib: int, cores: int | None, memory_mib: int
) -> tuple[int, int, bool]:
    """Return (cores percent, memory MiB, whole) for a slice of a device with ``device_memory_mib``.

    ``cores`` None asks for no compute reservation and gives 0, except where the vendor only cuts in
    templates: those carry compute in any case. ``whole`` True means that only the whole device covers the
    request.
    """
    whole_device = (100, device_memory_mib, True)
    if not rule.shareable:
        return whole_device
    if rule.sizes:
        for size_memory, size_cores in rule.sizes:
            if size_memory >= memory_mib and size_cores >= (cores or 0):
                return size_cores, size_memory, False
        return whole_device
    rounded_cores = min(100, _up(cores, rule.core_step)) if cores else 0
    return rounded_cores, min(device_memory_mib, _up(memory_mib, rule.memory_step_mib)), False


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
