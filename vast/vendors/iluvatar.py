"""Iluvatar CoreX: slices by percent, memory in units of 256 MiB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, SliceRule, Vendor
from vast.vendors.environment import by_index, by_uuid
from vast.vendors.sharing import FIXED_CUTS, Means, Sharing

_VGPU = SliceRule(memory_step_mib=256)
_SOURCE = "ixsmi output; slicing: HAMi 2.10 (vMem counts 256 MiB)"


def _model(
    name: str, memory_mib: int, device_class: str, power_w: int, fabric: str = "ixlink"
) -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        rule=_VGPU,
        power_w=power_w,
        fabric=fabric,
        source=_SOURCE,
        aliases=(f"Iluvatar {name}",),
        link_gbps=256 if fabric == "pcie" else 512,
    )


_MODELS = (
    # A BI-V150 board shows as two dies of 32 GiB.
    _model("BI-V150", 32768, "iluvatar-bi-32g", 350),
    _model("BI-V100", 32768, "iluvatar-bi-32g", 250),
    _model("MR-V100", 32768, "iluvatar-mr-32g", 150, "pcie"),
    _model("MR-V50", 16384, "iluvatar-mr-16g", 75, "pcie"),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    # HAMi hands the limits of a slice to the driver; no variable of theirs is documented.
    return {
        "CUDA_VISIBLE_DEVICES": by_uuid(devices),
        "ILUVATAR_COREX_VISIBLE_DEVICES": by_index(devices),
    }


_SHARING: Sharing = {**FIXED_CUTS, "fixed-ratio": Means("the vCore limit of the vGPU")}

VENDOR = Vendor(
    key="iluvatar",
    name="Iluvatar CoreX",
    name_zh="天数智芯",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="GPU-",
    fabric="ixlink",
)
