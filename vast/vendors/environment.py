"""What a task's process sees of its devices: variables every vendor shares, and the pieces the vendor rules
are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vast.vendors.base import GrantedDevice, Vendor


def by_uuid(devices: Sequence[GrantedDevice]) -> str:
    """The comma list of the devices' uuids, in the task's order."""
    return ",".join(device.uuid for device in devices)


def by_index(devices: Sequence[GrantedDevice]) -> str:
    """The comma list of the vendor's own device numbers on the node, in the task's order."""
    return ",".join(str(device.index) for device in devices)


def by_position(devices: Sequence[GrantedDevice]) -> str:
    """``0,1,2``: for a second variable that counts only what a first one left visible."""
    return ",".join(str(position) for position in range(len(devices)))


def lowest_memory_limit(devices: Sequence[GrantedDevice]) -> int | None:
    """The MiB limit for a vendor with one variable for all devices; None when every device is whole."""
    return min((device.memory_mib for device in devices if not device.exclusive), default=None)


def lowest_core_limit(devices: Sequence[GrantedDevice]) -> int | None:
    """The percent limit for a vendor with one variable for all devices; None when none has a compute
    reservation.
    """
    return min((device.cores for device in devices if not device.exclusive and device.cores), default=None)


def neutral(devices: Sequence[GrantedDevice]) -> dict[str, str]:
    """The variables that every task gets whatever the vendor: comma lists in device order, MiB and percent.

    A best-effort slice has 0 cores; a whole device has 100 and all of its memory.
    """
    return {
        "VAST_DEVICE_UUIDS": by_uuid(devices),
        "VAST_DEVICE_MEMORY_MIB": ",".join(str(device.memory_mib) for device in devices),
        "VAST_DEVICE_CORES": ",".join(str(device.cores) for device in devices),
    }


def task_environment(vendor: Vendor, devices: Sequence[GrantedDevice]) -> dict[str, str]:
    """All device variables of a task whose devices are of this vendor."""
    return {**vendor.environment(devices), **neutral(devices)}


def no_device_environment(vendors: Iterable[Vendor]) -> dict[str, str]:
    """The variables of a task without devices: they hide the accelerators of every vendor from it."""
    hidden: dict[str, str] = {}
    for vendor in vendors:
        hidden.update(vendor.environment(()))
    return {**hidden, **neutral(())}
