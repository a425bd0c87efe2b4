"""Hygon DCU: vDCU slices, at most four a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, Vendor
from vast.vendors.environment import by_index
from vast.vendors.sharing import FIXED_CUTS, Means, Sharing

_SOURCE = "hy-smi output; slicing: HAMi 2.10 (vDCU, four a card)"


def _model(name: str, memory_mib: int, device_class: str, power_w: int, fabric: str = "pcie") -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        max_slices=4,
        power_w=power_w,
        fabric=fabric,
        source=_SOURCE,
        link_gbps=256 if fabric == "pcie" else 400,
    )


_MODELS = (
    _model("K100_AI", 65520, "hygon-64g", 400),
    _model("K100", 65520, "hygon-64g", 300),
    _model("BW1000", 65520, "hygon-bw-64g", 1000, "xgmi"),
    _model("BW101", 65520, "hygon-bw-64g", 400),
    _model("Z100L", 32752, "hygon-32g", 280),
    _model("Z100", 16368, "hygon-16g", 280),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    # The vDCU driver takes its limits from a configuration file, not from the environment.
    return {"HIP_VISIBLE_DEVICES": by_index(devices)}


_SHARING: Sharing = {**FIXED_CUTS, "fixed-ratio": Means("the compute units of the vDCU")}

VENDOR = Vendor(
    key="hygon",
    name="Hygon",
    name_zh="海光",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="DCU-",
    fabric="xgmi",
)
