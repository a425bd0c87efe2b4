"""AMD Instinct: slices by compute units and MiB, hard partitions by the MI300's compute partition modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vast.vendors.base import DeviceModel, GrantedDevice, PartitionTemplate, Vendor
from vast.vendors.environment import by_position, by_uuid, lowest_memory_limit
from vast.vendors.machine import local_uuid
from vast.vendors.readers.rocm_json import parse_cards
from vast.vendors.sharing import FIXED_CUTS, Means, Sharing
from vast.vendors.tool_reader import Device, device_reader

_MODES = "AMD Instinct compute partition modes (DPX, QPX, CPX); slicing: HAMi 2.10"
_HAMI = "AMD data sheet; slicing: HAMi 2.10"


def _partitioned(name: str, memory_mib: int, device_class: str, power_w: int, gbps: int) -> DeviceModel:
    """A model of eight accelerator dies, which DPX, QPX and CPX split in two, four and eight."""
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        partition_slots=8,
        templates=(
            PartitionTemplate("cpx", memory_mib // 8, 12, 1),
            PartitionTemplate("qpx", memory_mib // 4, 25, 2),
            PartitionTemplate("dpx", memory_mib // 2, 50, 4),
        ),
        power_w=power_w,
        fabric="xgmi",
        source=_MODES,
        aliases=(f"AMD Instinct {name}", f"AMD Instinct {name} OAM"),
        link_gbps=gbps,
    )


def _model(name: str, memory_mib: int, device_class: str, power_w: int, *aliases: str) -> DeviceModel:
    return DeviceModel(
        name,
        memory_mib,
        device_class,
        power_w=power_w,
        fabric="xgmi",
        source=_HAMI,
        aliases=(f"AMD Instinct {name}", *aliases),
        link_gbps=400,
    )


_MODELS = (
    _partitioned("MI300X", 196592, "amd-192g", 750, 512),
    _partitioned("MI308X", 196592, "amd-192g", 650, 512),
    _partitioned("MI325X", 262128, "amd-256g", 1000, 512),
    _partitioned("MI350X", 294896, "amd-288g", 1000, 614),
    _partitioned("MI355X", 294896, "amd-288g", 1400, 614),
    # One MI250X board shows as two devices (GCDs) of 64 GiB; so does its row here.
    _model("MI250X", 65520, "amd-64g", 280),
    _model("MI210", 65520, "amd-64g", 300),
    _model("MI100", 32752, "amd-32g", 290, "Arcturus GL-XL [Instinct MI100]"),
    _model("MI50-32GB", 32752, "amd-32g", 300),
)


def _environment(devices: Sequence[GrantedDevice]) -> Mapping[str, str]:
    # HIP counts what ROCR left visible, so it is given positions. HSA_CU_MASK would need to know which
    # compute units the neighbours on the card hold, which no slice knows: compute is not capped here.
    variables = {"ROCR_VISIBLE_DEVICES": by_uuid(devices), "HIP_VISIBLE_DEVICES": by_position(devices)}
    memory = lowest_memory_limit(devices)
    if memory is not None:
        variables["HIP_DEVICE_MEMORY_LIMIT"] = f"{memory}m"
    return variables


# A mask of compute units; nothing lends them.
_SHARING: Sharing = {**FIXED_CUTS, "fixed-ratio": Means("a mask of compute units (HSA_CU_MASK)")}


def _uuid(card: Device) -> str:
    """In the form that ROCR_VISIBLE_DEVICES takes."""
    unique = card["unique_id"]
    return f"GPU-{unique.removeprefix('0x')}" if unique else local_uuid("GPU-", "amd", card["index"])


_COMMAND = (
    "rocm-smi --showid --showuniqueid --showproductname --showbus --showmeminfo vram"
    " --showuse --showtemp --showpower --json"
)

VENDOR = Vendor(
    key="amd",
    name="AMD",
    name_zh="超威",
    models=_MODELS,
    environment=_environment,
    sharing=_SHARING,
    uuid_prefix="GPU-",
    fabric="xgmi",
    reader=device_reader(_COMMAND.split(), parse_cards, _uuid),
)
