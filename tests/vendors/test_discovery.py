"""The devices of this machine, through the vendors' tools; ``samples/`` holds real output."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from vast.vendors import amd, ascend, mthreads, nvidia_smi
from vast.vendors.base import Reading, ToolError, Vendor
from vast.vendors.discovery import discover, read_telemetry, run_tool

SAMPLES = Path(__file__).parent / "samples"

GPUS = "".join(
    f"{index}, GPU-{index}, NVIDIA A100-SXM4-80GB, 81920, 00000000:{index:02X}:00.0\n" for index in range(8)
)


class Tools:
    """A machine with some tools: by a command's first word or two, what it prints or how it fails."""

    def __init__(self, **outputs: str | ToolError) -> None:
        self.outputs = {name.replace("_", "-"): output for name, output in outputs.items()}

    def installed(self, tool: str) -> bool:
        return tool in self.outputs

    def run(self, command: Sequence[str]) -> str:
        output = self.outputs.get(" ".join(command[:2]), self.outputs.get(command[0]))
        if output is None:
            raise ToolError(f"{command[0]}: not found")
        if isinstance(output, ToolError):
            raise output
        return output


def sample(name: str) -> str:
    return (SAMPLES / name).read_text()


def expected(name: str) -> list[dict[str, Any]]:
    devices: list[dict[str, Any]] = json.loads(sample(name))["expected"]["devices"]
    return devices


def nvidia_machine(gpus: str = GPUS) -> Tools:
    tools = Tools(nvidia_smi=gpus)
    tools.outputs["nvidia-smi topo"] = sample("nvidia/8-topo-a100x8-nv12-4nic.txt")
    return tools


def test_a_machine_without_tools_has_no_devices() -> None:
    assert discover(Tools().run, Tools().installed) == {"devices": [], "links": []}


def test_nvidia_gpus_are_found_in_the_inventorys_form() -> None:
    tools = nvidia_machine()
    found = discover(tools.run, tools.installed)
    assert len(found["devices"]) == 8
    assert found["devices"][3] == {
        "uuid": "GPU-3",
        "index": 3,
        "vendor": "nvidia",
        "model": "A100-SXM4-80GB",
        "memory_mib": 81920,
        "max_slices": 100,
        "numa": 0,
        "bus_id": "00000000:03:00.0",
        "link_group": "nvlink-0",
        "health": "healthy",
    }


def test_nvlinks_are_read_from_the_topology_matrix() -> None:
    tools = nvidia_machine()
    links = discover(tools.run, tools.installed)["links"]
    assert len(links) == 28
    assert links[0] == {"a": "GPU-0", "b": "GPU-1", "kind": "nvlink", "bandwidth_gbps": 2400}


def test_gpus_stay_usable_when_their_topology_cannot_be_read() -> None:
    tools = nvidia_machine()
    tools.outputs["nvidia-smi topo"] = ToolError("nvidia-smi ended with 9")
    found = discover(tools.run, tools.installed)
    assert len(found["devices"]) == 8
    assert found["links"] == []
    assert {device["link_group"] for device in found["devices"]} == {""}


def test_pairs_of_linked_gpus_are_groups_of_their_own() -> None:
    matrix = "\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tNV4\tSYS\tSYS\nGPU1\tNV4\tX\tSYS\tSYS\n"
    matrix += "GPU2\tSYS\tSYS\tX\tNV4\nGPU3\tSYS\tSYS\tNV4\tX\n"
    tools = Tools(nvidia_smi="".join(GPUS.splitlines(keepends=True)[:4]))
    tools.outputs["nvidia-smi topo"] = matrix
    found = discover(tools.run, tools.installed)
    assert [device["link_group"] for device in found["devices"]] == [
        "nvlink-0",
        "nvlink-0",
        "nvlink-1",
        "nvlink-1",
    ]


def test_an_unknown_gpu_is_reported_as_it_is_and_given_whole() -> None:
    tools = Tools(nvidia_smi="0, GPU-x, NVIDIA X1000, 12345, 00000000:01:00.0\n")
    device = discover(tools.run, tools.installed)["devices"][0]
    assert (device["model"], device["memory_mib"], device["max_slices"]) == ("NVIDIA X1000", 12345, 1)


@pytest.mark.parametrize("message", sample("nvidia-cli-errors.txt").splitlines())
def test_a_failing_tool_is_logged_and_the_other_vendors_are_still_found(
    message: str, caplog: pytest.LogCaptureFixture
) -> None:
    tools = Tools(
        nvidia_smi=ToolError(f"nvidia-smi ended with 9: {message}"),
        npu_smi=sample("ascend/7-info-910b4-1-load-25.2.2.txt"),
    )
    with caplog.at_level(logging.WARNING):
        found = discover(tools.run, tools.installed)
    assert [device["vendor"] for device in found["devices"]] == ["ascend", "ascend"]
    assert message in caplog.text


def test_no_devices_on_standard_output_means_no_devices() -> None:
    assert nvidia_smi.discover(Tools(nvidia_smi="No devices were found\n").run).devices == ()


def test_rubbish_from_a_tool_is_a_tool_error() -> None:
    with pytest.raises(ToolError, match="where 5 values are expected"):
        nvidia_smi.telemetry(Tools(nvidia_smi="Segmentation fault\n").run)


def test_nvidia_telemetry_tells_null_for_what_is_not_supported() -> None:
    csv = "GPU-0, 100, 32362, 52, 627.40\nGPU-1, [N/A], 11125, 52, [N/A]\nGPU-2, ERR!, ERR!, ERR!, ERR!\n"
    assert nvidia_smi.telemetry(Tools(nvidia_smi=csv).run) == (
        Reading("GPU-0", 100, 32362, 52, 627.4, "healthy"),
        Reading("GPU-1", None, 11125, 52, None, "healthy"),
        Reading("GPU-2", None, None, None, None, "unhealthy"),
    )


@pytest.mark.parametrize(
    ("vendor", "tool", "output", "meta"),
    [
        (
            ascend.VENDOR,
            "npu-smi",
            "ascend/7-info-910b4-1-load-25.2.2.txt",
            "ascend/7-info-910b4-1-load-25.2.2.meta",
        ),
        (
            ascend.VENDOR,
            "npu-smi",
            "ascend/2-info-310p3-duo-25.0rc1.1.txt",
            "ascend/2-info-310p3-duo-25.0rc1.1.meta",
        ),
        (ascend.VENDOR, "npu-smi", "ascend/1-info-910c-25.3rc1.txt", "ascend/1-info-910c-25.3rc1.meta"),
        (amd.VENDOR, "rocm-smi", "amd/4-rocm-smi-json-rx7800xt.json", "amd/4-rocm-smi-json-rx7800xt.meta"),
        (
            mthreads.VENDOR,
            "mthreads-gmi",
            "mthreads/5-gmi-query-json-s5000.json",
            "mthreads/5-gmi-query-json-s5000.meta",
        ),
    ],
)
def test_a_sample_of_real_output_is_read_as_expected(
    vendor: Vendor, tool: str, output: str, meta: str
) -> None:
    assert vendor.reader is not None
    tools = Tools(**{tool.replace("-", "_"): sample(output)})
    devices = vendor.reader.discover(tools.run).devices
    readings = vendor.reader.telemetry(tools.run)
    read = [
        {
            "index": device.index,
            "model": device.model,
            "memory_total_mib": device.memory_mib,
            "memory_used_mib": reading.memory_used_mib,
            "util_pct": reading.util_pct,
            "temp_c": reading.temperature_c,
            "power_w": reading.power_w,
            "bus": device.bus_id,
        }
        for device, reading in zip(devices, readings, strict=True)
    ]
    # A bus that the tool does not print is not asserted in the sample and empty here.
    wanted = [{key: row.get(key, "") for key in read[0]} for row in expected(meta)]
    assert read == wanted
    assert [device.uuid for device in devices] == [reading.uuid for reading in readings]
    assert len({device.uuid for device in devices}) == len(devices)


def test_an_ascend_alarm_makes_the_chip_unhealthy_and_a_warning_does_not() -> None:
    table = (
        sample("ascend/7-info-910b4-1-load-25.2.2.txt")
        .replace("| OK     ", "| Alarm  ", 1)
        .replace("| OK     ", "| Warning", 1)
    )
    tools = Tools(npu_smi=table)
    assert [r.health for r in ascend.VENDOR.reader.telemetry(tools.run)] == ["unhealthy", "healthy"]  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", ["npu-smi", "rocm-smi", "mthreads-gmi"])
def test_other_tools_printing_an_error_are_tool_errors_too(tool: str) -> None:
    tools = Tools(**{tool.replace("-", "_"): "Error: the driver is not loaded"})
    readers = [vendor.reader for vendor in (ascend.VENDOR, amd.VENDOR, mthreads.VENDOR)]
    reader = next(reader for reader in readers if reader and reader.tool == tool)
    with pytest.raises(ToolError, match=tool):
        reader.discover(tools.run)


def test_telemetry_comes_in_the_order_of_the_devices() -> None:
    tools = Tools(nvidia_smi="GPU-0, 1, 10, 30, 50\nGPU-1, 2, 20, 31, 51\n")
    devices = [{"uuid": "GPU-1", "vendor": "nvidia"}, {"uuid": "GPU-0", "vendor": "nvidia"}]
    assert [(r.uuid, r.util_pct) for r in read_telemetry(devices, tools.run)] == [("GPU-1", 2), ("GPU-0", 1)]


def test_a_device_its_tool_no_longer_lists_is_unhealthy() -> None:
    tools = Tools(nvidia_smi="GPU-0, 1, 10, 30, 50\n")
    lost = [{"uuid": "GPU-9", "vendor": "nvidia"}]
    assert read_telemetry(lost, tools.run) == [Reading("GPU-9", None, None, None, None, "unhealthy")]


def test_devices_are_unhealthy_while_their_tool_fails_and_unknown_without_a_reader() -> None:
    tools = Tools(nvidia_smi=ToolError("timed out"))
    devices = [{"uuid": "GPU-0", "vendor": "nvidia"}, {"uuid": "DCU-0", "vendor": "hygon"}]
    assert [reading.health for reading in read_telemetry(devices, tools.run)] == ["unhealthy", "unknown"]


def test_a_tool_that_fails_tells_what_it_said() -> None:
    with pytest.raises(ToolError, match=r"sh ended with 3: out of order"):
        run_tool(["sh", "-c", "echo out of order >&2; exit 3"])


def test_a_tool_that_is_not_there_is_a_tool_error() -> None:
    with pytest.raises(ToolError, match="no-such-tool"):
        run_tool(["no-such-tool"])
