"""Moore Threads: sGPU slices, memory in a few sizes of 512 MiB units, compute in sixteenths of a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, SliceRule, Vendor
from vast.vendors.environment import by_index
from vast.vendors.machine import local_uuid
from vast.vendors.readers.mthreads import parse_query
from vast.vendors.sharing import FIXED_CUTS, Means, Sharing
from vast.vendors.tool_reader import device_reader

_SOURCE = "mthreads-gmi output; slicing: HAMi 2.10 (sGPU: 16 cores a card, memory units of 512 MiB)"

_CORES_A_CARD = 16
_MEMORY_UNIT_MIB = 512
_MEMORY_UNITS = (2, 4, 8, 16, 32, 64)


def _rule(memory_mib: int) -> SliceRule:
    """Every allowed memory size with every sixteenth of the compute; a size is allowed below the whole
    card.
    """
    return SliceRule(
        sizes=tuple(
            (units * _MEMORY_UNIT_MIB, 100 * cores // _CORES_A_CARD)
            for units in _MEMORY_UNITS
            if units * _MEMORY_UNIT_MIB < memory_mib
            for cores in range(1, _CORES_A_CARD + 1)
        )
    )


def _model(name: str, memory_mib: int, device_class: str, power_w: int, fabric: str = "pcie") -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        rule=_rule(memory_mib),
        max_slices=_CORES_A_CARD,
        power_w=power_w,
        fabric=fabric,
        source=_SOURCE,
        aliases=(name.removeprefix("MTT "),),
        link_gbps=256 if fabric == "pcie" else 480,
    )


_MODELS = (
    _model("MTT S4000", 49152, "mthreads-48g", 450, "mtlink"),
    _model("MTT S5000", 81920, "mthreads-80g", 950, "mtlink"),
    _model("MTT S3000", 32768, "mthreads-32g", 250),
    _model("MTT S80", 16384, "mthreads-16g", 255),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    # An sGPU's limits are set by the driver; they are not variables.
    visible = by_index(devices)
    return {"MUSA_VISIBLE_DEVICES": visible, "MTHREADS_VISIBLE_DEVICES": visible}


_SHARING: Sharing = {
    **FIXED_CUTS,
    "best-effort": Means("the size of memory brings cores of its own"),
    "fixed-ratio": Means("the cores of the sGPU, sixteenths of a card"),
}

_READER = device_reader(
    ["mthreads-gmi", "-q", "--json"],
    parse_query,
    lambda card: card["uuid"] or local_uuid("GPU-", "mthreads", card["index"]),
)

VENDOR = Vendor(
    key="mthreads",
    name="Moore Threads",
    name_zh="摩尔线程",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="GPU-",
    fabric="mtlink",
    reader=_READER,
)
