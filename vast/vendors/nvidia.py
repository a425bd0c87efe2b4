"""NVIDIA: slices through HAMi-core (percent and MiB), hard partitions through MIG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, PartitionTemplate, Vendor
from vast.vendors.environment import by_uuid, lowest_core_limit
from vast.vendors.nvidia_smi import READER
from vast.vendors.sharing import Means, Sharing

_MIG = "NVIDIA MIG user guide, supported profiles; slicing: HAMi 2.10 (HAMi-core)"
_HAMI = "NVIDIA data sheet; slicing: HAMi 2.10 (HAMi-core)"

# A GPU with seven compute slices has eight memory slices; a profile blocks memory slices, and with 3g and 7g
# one more than its name says. Compute is k of 7, written rounded down.
_SEVENTHS = {"1g": 14, "2g": 28, "3g": 42, "4g": 57, "7g": 100}


def _mig(*profiles: tuple[str, int, int]) -> tuple[PartitionTemplate, ...]:
    """Templates from (profile, usable MiB, memory slices) of a GPU with seven compute slices."""
    return tuple(
        PartitionTemplate(name, memory_mib, _SEVENTHS[name.split(".")[0]], slots)
        for name, memory_mib, slots in profiles
    )


_A100_40 = _mig(
    ("1g.5gb", 4864, 1),
    ("1g.10gb", 9984, 2),
    ("2g.10gb", 9984, 2),
    ("3g.20gb", 20096, 4),
    ("4g.20gb", 20096, 4),
    ("7g.40gb", 40448, 8),
)
_A100_80 = _mig(
    ("1g.10gb", 9728, 1),
    ("1g.20gb", 19968, 2),
    ("2g.20gb", 19968, 2),
    ("3g.40gb", 40192, 4),
    ("4g.40gb", 40192, 4),
    ("7g.80gb", 80640, 8),
)
_H100_80 = _mig(
    ("1g.10gb", 9984, 1),
    ("1g.20gb", 20096, 2),
    ("2g.20gb", 20096, 2),
    ("3g.40gb", 40448, 4),
    ("4g.40gb", 40448, 4),
    ("7g.80gb", 81152, 8),
)
_H20_96 = _mig(
    ("1g.12gb", 11264, 1),
    ("1g.24gb", 23552, 2),
    ("2g.24gb", 23552, 2),
    ("3g.48gb", 47616, 4),
    ("4g.48gb", 47616, 4),
    ("7g.96gb", 95744, 8),
)
_H200_141 = _mig(
    ("1g.18gb", 16384, 1),
    ("1g.35gb", 33280, 2),
    ("2g.35gb", 33280, 2),
    ("3g.71gb", 71424, 4),
    ("4g.71gb", 71424, 4),
    ("7g.141gb", 143104, 8),
)
_B200_180 = _mig(
    ("1g.23gb", 22528, 1),
    ("1g.45gb", 45568, 2),
    ("2g.45gb", 45568, 2),
    ("3g.90gb", 91392, 4),
    ("4g.90gb", 91392, 4),
    ("7g.180gb", 182784, 8),
)
_A30 = (
    PartitionTemplate("1g.6gb", 5952, 25, 1),
    PartitionTemplate("2g.12gb", 11968, 50, 2),
    PartitionTemplate("4g.24gb", 24125, 100, 4),
)


def _mig_model(
    name: str,
    memory_mib: int,
    device_class: str,
    templates: tuple[PartitionTemplate, ...],
    power_w: int,
    link_gbps: int = 0,
    aliases: tuple[str, ...] = (),
) -> DeviceModel:
    """A model with MIG; ``link_gbps`` 0 = no NVLink on the board."""
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        partition_slots=4 if templates is _A30 else 8,
        templates=templates,
        power_w=power_w,
        fabric="nvlink" if link_gbps else "pcie",
        source=_MIG,
        aliases=(f"NVIDIA {name}", *aliases),
        link_gbps=link_gbps or 256,
    )


def _model(name: str, memory_mib: int, device_class: str, power_w: int, *aliases: str) -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        power_w=power_w,
        source=_HAMI,
        aliases=(f"NVIDIA {name}", *aliases),
    )


_MODELS = (
    _mig_model("A100-SXM4-80GB", 81920, "nvidia-80g", _A100_80, 400, 2400),
    _mig_model("A100-SXM4-40GB", 40960, "nvidia-40g", _A100_40, 400, 2400),
    _mig_model("A100-PCIE-40GB", 40960, "nvidia-40g", _A100_40, 250),
    _mig_model("A100-PCIE-80GB", 81920, "nvidia-80g", _A100_80, 300, aliases=("NVIDIA A100 80GB PCIe",)),
    _mig_model("A800-SXM4-80GB", 81920, "nvidia-80g", _A100_80, 400, 1600),
    _mig_model("A800-PCIE-80GB", 81920, "nvidia-80g", _A100_80, 300, aliases=("NVIDIA A800 80GB PCIe",)),
    _mig_model("A30", 24576, "nvidia-24g", _A30, 165),
    _mig_model("H100-SXM5-80GB", 81559, "nvidia-hopper-80g", _H100_80, 700, 3600, ("NVIDIA H100 80GB HBM3",)),
    _mig_model("H100-PCIE-80GB", 81559, "nvidia-hopper-80g", _H100_80, 350, aliases=("NVIDIA H100 PCIe",)),
    _mig_model("H800-SXM5-80GB", 81559, "nvidia-hopper-80g", _H100_80, 700, 1600, ("NVIDIA H800",)),
    _mig_model("H20-96GB", 97871, "nvidia-hopper-96g", _H20_96, 500, 3600, ("NVIDIA H20", "H20")),
    _mig_model("H200-SXM-141GB", 143771, "nvidia-hopper-141g", _H200_141, 700, 3600, ("NVIDIA H200", "H200")),
    _mig_model(
        "B200-SXM-180GB", 183359, "nvidia-blackwell-180g", _B200_180, 1000, 7200, ("NVIDIA B200", "B200")
    ),
    DeviceModel(
        "V100-SXM2-32GB",
        32768,
        "nvidia-32g",
        power_w=300,
        fabric="nvlink",
        source=_HAMI,
        aliases=("Tesla V100-SXM2-32GB",),
        link_gbps=1200,
    ),
    _model("V100-PCIE-16GB", 16160, "nvidia-16g", 250, "Tesla V100-PCIE-16GB"),
    _model("T4", 15360, "nvidia-16g", 70, "Tesla T4"),
    _model("A10", 23028, "nvidia-24g", 150),
    _model("L4", 23034, "nvidia-24g", 72),
    _model("A40", 46068, "nvidia-48g", 300),
    _model("L40S", 46068, "nvidia-48g", 350),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    visible = by_uuid(devices)
    variables = {"CUDA_VISIBLE_DEVICES": visible, "NVIDIA_VISIBLE_DEVICES": visible or "none"}
    for position, device in enumerate(devices):
        if not device.exclusive:
            variables[f"CUDA_DEVICE_MEMORY_LIMIT_{position}"] = f"{device.memory_mib}m"
    cores = lowest_core_limit(devices)
    if cores is not None:
        variables["CUDA_DEVICE_SM_LIMIT"] = str(cores)
    return variables


# HAMi-core: the policy says when the limit of compute holds; the priority has two levels, 0 = high.
_SHARING: Sharing = {
    "best-effort": Means("no limit of compute", {"GPU_CORE_UTILIZATION_POLICY": "disable"}),
    "fixed-ratio": Means("the limit of compute always holds", {"GPU_CORE_UTILIZATION_POLICY": "force"}),
    "guaranteed-minimum": Means(
        "the limit of compute holds only while others want the device",
        {"GPU_CORE_UTILIZATION_POLICY": "default"},
    ),
    "priority-preemption": Means(
        "HAMi blocks the kernels of low priority while those of high priority run",
        {"GPU_CORE_UTILIZATION_POLICY": "default"},
        priority_variable="CUDA_TASK_PRIORITY",
    ),
}

VENDOR = Vendor(
    key="nvidia",
    name="NVIDIA",
    name_zh="英伟达",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="GPU-",
    fabric="nvlink",
    reader=READER,
)
