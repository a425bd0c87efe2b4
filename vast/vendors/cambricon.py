"""Cambricon MLU: sMLU slices, memory in units of 256 MiB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, SliceRule, Vendor
from vast.vendors.environment import by_index
from vast.vendors.sharing import FIXED_CUTS, Means, Sharing

_SMLU = SliceRule(memory_step_mib=256)
_SOURCE = "cnmon output; slicing: HAMi 2.10 (sMLU, cambricon.com/mlu.smlu.vmemory counts 256 MiB)"


def _model(name: str, memory_mib: int, device_class: str, power_w: int, fabric: str = "pcie") -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        rule=_SMLU,
        power_w=power_w,
        fabric=fabric,
        source=_SOURCE,
        link_gbps=256 if fabric == "pcie" else 1600,
    )


_MODELS = (
    _model("MLU590-M9", 98304, "cambricon-96g", 550, "mlulink"),
    _model("MLU590-M9DG", 81920, "cambricon-80g", 550, "mlulink"),
    # One MLU370-X8 board shows as two cards of 24 GB, linked on the board.
    _model("MLU370-X8", 23374, "cambricon-24g", 250, "mlulink"),
    _model("MLU370-X4", 23308, "cambricon-24g", 150),
    _model("MLU370-S4", 23308, "cambricon-24g", 75),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    # An sMLU is made on the card through the driver; its limits are not variables.
    visible = by_index(devices)
    return {"MLU_VISIBLE_DEVICES": visible, "CAMBRICON_VISIBLE_DEVICES": visible}


_SHARING: Sharing = {**FIXED_CUTS, "fixed-ratio": Means("the profile of the sMLU")}

VENDOR = Vendor(
    key="cambricon",
    name="Cambricon",
    name_zh="寒武纪",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="MLU-",
    fabric="mlulink",
)
