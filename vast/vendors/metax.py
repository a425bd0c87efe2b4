"""MetaX: sGPU slices by percent and MiB, at most sixteen a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, Vendor
from vast.vendors.environment import by_index
from vast.vendors.sharing import Means, Sharing, Why

_SOURCE = "mx-smi output; slicing: HAMi 2.10 (sGPU)"


def _model(
    name: str, memory_mib: int, device_class: str, power_w: int, *aliases: str, fabric: str = "metaxlink"
) -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        max_slices=16,
        power_w=power_w,
        fabric=fabric,
        source=_SOURCE,
        aliases=(f"MetaX {name}", *aliases),
        link_gbps=256 if fabric == "pcie" else 512,
    )


_MODELS = (
    _model("C500", 65536, "metax-64g", 350, "MXC500"),
    _model("C550", 65536, "metax-64g", 450, "MXC550"),
    # A C600-A board shows as two dies.
    _model("C600-A", 73728, "metax-72g", 425),
    _model("N260", 65536, "metax-n-64g", 225, fabric="pcie"),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    # MACA programs built from CUDA code read CUDA_VISIBLE_DEVICES. An sGPU's limits are set on the card by
    # the driver.
    visible = by_index(devices)
    return {
        "MACA_VISIBLE_DEVICES": visible,
        "METAX_VISIBLE_DEVICES": visible,
        "CUDA_VISIBLE_DEVICES": visible,
    }


_QOS = "metax-tech.com/sgpu-qos-policy"
_SHARING: Sharing = {
    "best-effort": Means("sGPU policy best-effort", annotations={_QOS: "best-effort"}),
    "fixed-ratio": Means("sGPU policy fixed-share", annotations={_QOS: "fixed-share"}),
    "guaranteed-minimum": Means("sGPU policy burst-share", annotations={_QOS: "burst-share"}),
    "priority-preemption": Why.NO_PRIORITY,
}

VENDOR = Vendor(
    key="metax",
    name="MetaX",
    name_zh="沐曦",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="GPU-",
    fabric="metaxlink",
)
