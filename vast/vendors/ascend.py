"""Huawei Ascend: a chip is cut in vNPU templates only; a larger request gets the whole chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, PartitionTemplate, SliceRule, Vendor
from vast.vendors.environment import by_index, lowest_memory_limit
from vast.vendors.machine import local_uuid
from vast.vendors.readers.ascend import parse_info
from vast.vendors.sharing import FIXED_CUTS, Means, Sharing
from vast.vendors.tool_reader import device_reader

_SOURCE = "HAMi 2.10, vnpus.configs (vNPU templates)"
_WHOLE_ONLY = "npu-smi output; no vNPU template known"

# (template, MiB, AI cores); what a template blocks and costs is its share of the chip's AI cores.
_Templates = tuple[tuple[str, int, int], ...]

_310P: _Templates = (("vir01", 3072, 1), ("vir02", 6144, 2), ("vir04", 12288, 4))
_910A: _Templates = (("vir02", 2184, 2), ("vir04", 4369, 4), ("vir08", 8738, 8), ("vir16", 17476, 16))
_910B2: _Templates = (("vir03_1c_8g", 8192, 3), ("vir06_1c_16g", 16384, 6), ("vir12_3c_32g", 32768, 12))
_910B_64G: _Templates = (("vir05_1c_16g", 16384, 5), ("vir10_3c_32g", 32768, 10))
_910B_32G: _Templates = (("vir05_1c_8g", 8192, 5), ("vir10_3c_16g", 16384, 10))


def _model(
    name: str,
    memory_mib: int,
    device_class: str,
    ai_cores: int,
    templates: _Templates,
    power_w: int,
    aliases: tuple[str, ...] = (),
    max_slices: int = 0,
    fabric: str = "hccs",
) -> DeviceModel:
    """``max_slices`` 0: as many as the smallest template's AI cores allow."""
    cut = tuple(
        PartitionTemplate(template, template_mib, 100 * cores // ai_cores, cores)
        for template, template_mib, cores in templates
    )
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        rule=SliceRule(sizes=tuple((template.memory_mib, template.cores) for template in cut)),
        max_slices=max_slices or ai_cores // cut[0].slots,
        partition_slots=ai_cores,
        templates=cut,
        power_w=power_w,
        fabric=fabric,
        source=_SOURCE,
        aliases=aliases,
        link_gbps=224 if fabric == "hccs" else 256,
    )


_MODELS = (
    _model("910B3", 65536, "ascend-910b-64g", 20, _910B_64G, 400, ("Ascend910B3",)),
    # 24 AI cores but only six AI CPUs, and the smallest template takes one of each kind.
    _model("910B2", 65536, "ascend-910b-64g", 24, _910B2, 400, ("Ascend910B2",), max_slices=6),
    _model("910B4", 32768, "ascend-910b-32g", 20, _910B_32G, 310, ("Ascend910B4",)),
    _model("910B4-1", 65536, "ascend-910b-64g", 20, _910B_64G, 310, ("Ascend910B4-1",)),
    # One row is one die; a 910C module has two, 2k and 2k+1.
    _model("910C", 65536, "ascend-910c-64g", 20, _910B_64G, 380, ("Ascend910", "Ascend910C")),
    _model("910A", 32768, "ascend-910a-32g", 30, _910A, 310, ("910", "Ascend910A")),
    _model(
        "310P3", 21527, "ascend-310p-21g", 8, _310P, 72, ("Ascend310P", "310P"), max_slices=7, fabric="pcie"
    ),
    DeviceModel(
        "310",
        8192,
        "ascend-310-8g",
        rule=SliceRule(shareable=False),
        max_slices=1,
        power_w=13,
        source=_WHOLE_ONLY,
        aliases=("Ascend310",),
    ),
)

_TEMPLATE_NAMES = {
    (name.casefold(), template.memory_mib): template.name
    for model in _MODELS
    for name in (model.name, *model.aliases)
    for template in model.templates
}


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    visible = by_index(devices)
    variables = {"ASCEND_RT_VISIBLE_DEVICES": visible, "ASCEND_VISIBLE_DEVICES": visible}
    memory = lowest_memory_limit(devices)
    if memory is not None:
        variables["NPU_MEM_QUOTA"] = str(memory)
    if len(devices) == 1 and not devices[0].exclusive:
        template = _TEMPLATE_NAMES.get((devices[0].model.casefold(), devices[0].memory_mib))
        if template:
            variables["ASCEND_VNPU_SPECS"] = template
    return variables


_SHARING: Sharing = {
    **FIXED_CUTS,
    "best-effort": Means("the template brings compute of its own"),
    "fixed-ratio": Means("the AI cores of the vNPU template"),
}

# A warning is for the operator: the chip still works. Words not listed say nothing about it.
_HEALTH = {"OK": "healthy", "Warning": "healthy", "Alarm": "unhealthy", "Critical": "unhealthy"}

# The table has no serial, and the chips of a card may share a bus id: the place names the chip.
_READER = device_reader(
    ["npu-smi", "info"],
    parse_info,
    lambda chip: local_uuid("NPU-", chip["npu"], chip["chip"]),
    lambda chip: _HEALTH.get(chip["health"] or "", "unknown"),
)

VENDOR = Vendor(
    key="ascend",
    name="Huawei Ascend",
    name_zh="华为昇腾",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="NPU-",
    fabric="hccs",
    reader=_READER,
)
