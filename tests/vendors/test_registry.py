"""Which vendors there are, and what plug-in packages may add."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from vast.vendors import nvidia
from vast.vendors.base import SliceRule, Vendor
from vast.vendors.registry import (
    BUILT_IN,
    UnknownVendor,
    VendorPluginError,
    collect,
    device_classes,
    find_model,
    model_or_default,
    rule_for,
    vendor,
    vendors,
)


class Plugin:
    """An installed package's entry point, as far as the registry looks at it."""

    def __init__(self, package: str, offer: Any) -> None:
        self.name = self.value = f"{package}:VENDOR"
        self.dist = SimpleNamespace(name=package)
        self._offer = offer

    def load(self) -> Any:
        if isinstance(self._offer, Exception):
            raise self._offer
        return self._offer


def ninth(key: str = "ninth") -> Vendor:
    return replace(nvidia.VENDOR, key=key, name="Ninth")


def test_the_eight_vendors_are_built_in() -> None:
    assert list(vendors()) == [
        "nvidia",
        "amd",
        "hygon",
        "cambricon",
        "ascend",
        "metax",
        "mthreads",
        "iluvatar",
    ]


def test_a_package_adds_a_vendor() -> None:
    assert collect(BUILT_IN, [Plugin("vast-ninth", ninth())])["ninth"].name == "Ninth"  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ([Plugin("vast-copy", nvidia.VENDOR)], "package vast-copy offers vendor 'nvidia', which vast has"),
        ([Plugin("one", ninth()), Plugin("two", ninth())], "package two offers .* which one has already"),
        ([Plugin("broken", ImportError("no module"))], "package broken: .* cannot be loaded: no module"),
        ([Plugin("odd", {"key": "odd"})], "package odd: .* is a dict, not a vast.vendors.base.Vendor"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_named(plugins: list[Any], message: str) -> None:
    with pytest.raises(VendorPluginError, match=message):
        collect(BUILT_IN, plugins)


def test_an_unknown_vendor_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownVendor, match="no vendor 'nvida'; known: nvidia, amd"):
        vendor("nvida")


@pytest.mark.parametrize(
    "name", ["A100-SXM4-80GB", "a100-sxm4-80gb", "NVIDIA A100-SXM4-80GB", " A100-SXM4-80GB "]
)
def test_a_model_is_found_by_its_name_and_by_what_the_tool_prints(name: str) -> None:
    model = find_model("nvidia", name)
    assert model is not None
    assert model.name == "A100-SXM4-80GB"


def test_a_model_of_another_vendor_is_not_found() -> None:
    assert find_model("amd", "A100-SXM4-80GB") is None


def test_an_unknown_model_is_only_given_whole() -> None:
    model = model_or_default("nvidia", "X1000", 12345)
    assert (model.memory_mib, model.max_slices, model.device_class) == (12345, 1, "nvidia-other")
    assert rule_for("nvidia", "X1000") == SliceRule(shareable=False)


def test_every_model_is_in_exactly_one_device_class() -> None:
    listed = [name for names in device_classes().values() for name in names]
    assert sorted(listed) == sorted(model.name for known in vendors().values() for model in known.models)
    assert device_classes()["nvidia-80g"][0] == "A100-SXM4-80GB"
