"""What a task's process is told about its devices."""

from __future__ import annotations

import pytest

from vast.vendors.base import GrantedDevice
from vast.vendors.environment import no_device_environment, task_environment
from vast.vendors.registry import vendor, vendors

SLICES = (
    GrantedDevice("GPU-b", 5, 4096, 25, exclusive=False, model="910B3"),
    GrantedDevice("GPU-a", 2, 8192, 30, exclusive=False, model="910B3"),
)
WHOLE = (GrantedDevice("GPU-a", 2, 81920, 100, exclusive=True),)


@pytest.mark.parametrize("key", list(vendors()))
def test_every_vendor_gets_the_neutral_variables_in_device_order(key: str) -> None:
    variables = task_environment(vendor(key), SLICES)
    assert variables["VAST_DEVICE_UUIDS"] == "GPU-b,GPU-a"
    assert variables["VAST_DEVICE_MEMORY_MIB"] == "4096,8192"
    assert variables["VAST_DEVICE_CORES"] == "25,30"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("nvidia", {"CUDA_VISIBLE_DEVICES": "GPU-b,GPU-a", "NVIDIA_VISIBLE_DEVICES": "GPU-b,GPU-a"}),
        ("amd", {"ROCR_VISIBLE_DEVICES": "GPU-b,GPU-a", "HIP_VISIBLE_DEVICES": "0,1"}),
        ("hygon", {"HIP_VISIBLE_DEVICES": "5,2"}),
        ("cambricon", {"MLU_VISIBLE_DEVICES": "5,2"}),
        ("ascend", {"ASCEND_RT_VISIBLE_DEVICES": "5,2", "ASCEND_VISIBLE_DEVICES": "5,2"}),
        ("metax", {"MACA_VISIBLE_DEVICES": "5,2", "CUDA_VISIBLE_DEVICES": "5,2"}),
        ("mthreads", {"MUSA_VISIBLE_DEVICES": "5,2", "MTHREADS_VISIBLE_DEVICES": "5,2"}),
        ("iluvatar", {"CUDA_VISIBLE_DEVICES": "GPU-b,GPU-a", "ILUVATAR_COREX_VISIBLE_DEVICES": "5,2"}),
    ],
)
def test_a_task_sees_only_its_own_devices(key: str, expected: dict[str, str]) -> None:
    variables = task_environment(vendor(key), SLICES)
    assert {name: variables[name] for name in expected} == expected


def test_hami_core_gets_a_memory_limit_per_device_and_the_smallest_core_limit() -> None:
    variables = task_environment(vendor("nvidia"), SLICES)
    assert variables["CUDA_DEVICE_MEMORY_LIMIT_0"] == "4096m"
    assert variables["CUDA_DEVICE_MEMORY_LIMIT_1"] == "8192m"
    assert variables["CUDA_DEVICE_SM_LIMIT"] == "25"


def test_a_best_effort_slice_has_a_memory_limit_but_no_core_limit() -> None:
    variables = task_environment(vendor("nvidia"), (GrantedDevice("GPU-a", 0, 4096, 0, exclusive=False),))
    assert variables["CUDA_DEVICE_MEMORY_LIMIT_0"] == "4096m"
    assert "CUDA_DEVICE_SM_LIMIT" not in variables


@pytest.mark.parametrize("key", list(vendors()))
def test_a_whole_device_has_no_limits(key: str) -> None:
    variables = task_environment(vendor(key), WHOLE)
    assert [name for name in variables if "LIMIT" in name or "QUOTA" in name] == []


def test_an_amd_slice_is_limited_in_memory() -> None:
    assert task_environment(vendor("amd"), SLICES)["HIP_DEVICE_MEMORY_LIMIT"] == "4096m"


def test_a_single_ascend_slice_names_its_template() -> None:
    slice_ = GrantedDevice("NPU-a", 3, 16384, 25, exclusive=False, model="910B3")
    variables = task_environment(vendor("ascend"), (slice_,))
    assert variables["ASCEND_VNPU_SPECS"] == "vir05_1c_16g"
    assert variables["NPU_MEM_QUOTA"] == "16384"


def test_a_task_without_devices_sees_no_accelerator_of_any_vendor() -> None:
    variables = no_device_environment(vendors().values())
    assert variables.pop("NVIDIA_VISIBLE_DEVICES") == "none"
    assert {name for name in variables if name.endswith("_VISIBLE_DEVICES")} >= {
        "CUDA_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "MLU_VISIBLE_DEVICES",
        "ASCEND_RT_VISIBLE_DEVICES",
        "MUSA_VISIBLE_DEVICES",
    }
    assert set(variables.values()) == {""}
