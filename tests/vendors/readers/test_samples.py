"""Every sample of a tool's output gives at least what its ``.meta`` expects."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vast.vendors.readers.base import UnreadableText
from vast.vendors.readers.registry import READERS, read

SAMPLES = sorted((Path(__file__).parents[1] / "samples").glob("*/*.meta"))


def output_of(meta: Path) -> str:
    about = json.loads(meta.read_text(encoding="utf-8"))
    return (meta.parent / about["file"]).read_text(encoding="utf-8")


def holds(found: Any, expected: Any) -> bool:
    """Whether everything expected is found; more may be."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(k in found and holds(found[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        if expected and isinstance(expected[0], dict) and {"a", "b"} <= expected[0].keys():
            found, expected = (
                sorted(links, key=lambda link: (link["a"], link["b"])) for links in (found, expected)
            )
        return len(found) == len(expected) and all(holds(f, e) for f, e in zip(found, expected, strict=True))
    return bool(found == expected)


@pytest.mark.parametrize("meta", SAMPLES, ids=lambda meta: meta.stem)
def test_a_sample_tells_what_is_expected_of_it(meta: Path) -> None:
    about = json.loads(meta.read_text(encoding="utf-8"))
    found = read(about["vendor"], about["command"], output_of(meta))
    for key, expected in about["expected"].items():
        assert holds(found[key], expected), (key, found[key])


@pytest.mark.parametrize("meta", SAMPLES, ids=lambda meta: meta.stem)
def test_the_text_alone_is_enough(meta: Path) -> None:
    about = json.loads(meta.read_text(encoding="utf-8"))
    assert read(about["vendor"], "", output_of(meta)) == read(
        about["vendor"], about["command"], output_of(meta)
    )


@given(st.sampled_from(sorted(READERS)), st.text())
def test_no_text_does_anything_but_be_read_or_refused(vendor: str, text: str) -> None:
    with suppress(UnreadableText):
        read(vendor, "", text)


@given(st.sampled_from(SAMPLES), st.data())
def test_a_mangled_sample_is_read_or_refused(meta: Path, data: st.DataObject) -> None:
    text = output_of(meta)
    at = data.draw(st.integers(0, len(text)))
    mangled = text[:at] + data.draw(st.text(max_size=20)) + text[at + data.draw(st.integers(0, 200)) :]
    with suppress(UnreadableText):
        read(meta.parent.name, json.loads(meta.read_text(encoding="utf-8"))["command"], mangled)


def test_a_number_that_no_machine_has_is_refused_and_not_tripped_over() -> None:
    text = output_of(next(meta for meta in SAMPLES if meta.stem.startswith("7-info")))
    with pytest.raises(UnreadableText, match="broken"):
        read("ascend", "npu-smi info", text.replace("61825", "9" * 5000))


def test_a_list_of_processes_is_read_by_its_titles() -> None:
    text = "pid, process_name, used_gpu_memory [MiB]\n42, python, 1005 MiB\n43, [N/A], [N/A]\n"
    assert read("nvidia", "nvidia-smi --query-compute-apps=pid,name", text)["processes"] == [
        {"pid": 42, "name": "python", "memory_mib": 1005, "uuid": None},
        {"pid": 43, "name": None, "memory_mib": None, "uuid": None},
    ]


def test_the_health_of_a_chip_comes_with_its_error() -> None:
    text = "NPU ID : 1\nHealth Status : Alarm\nError Code : 80E01801\nError Information : NA\nChip ID : 0\n"
    assert read("ascend", "npu-smi info -t health -i 1", text)["health"] == {
        "npu_id": 1,
        "chip_id": 0,
        "status": "Alarm",
        "error_code": "80E01801",
        "error_information": None,
    }


def test_a_refusal_is_that_of_the_reader_that_was_asked() -> None:
    with pytest.raises(UnreadableText, match="no chip found"):
        read("ascend", "npu-smi info", "Segmentation fault")
    with pytest.raises(UnreadableText, match="they read npu-smi info"):
        read("ascend", "", "Segmentation fault")
    with pytest.raises(UnreadableText, match="known are amd"):
        read("nobody", "", "")
