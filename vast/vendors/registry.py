"""The vendors VAST knows: the built-in modules and what installed packages add (entry point group
``vast.vendors``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypedDict

from vast.vendors import amd, ascend, cambricon, hygon, iluvatar, metax, mthreads, nvidia
from vast.vendors.base import DeviceModel, PartitionTemplate, SliceRule, Vendor
from vast.vendors.sharing import kept

ENTRY_POINT_GROUP = "vast.vendors"

BUILT_IN: tuple[Vendor, ...] = (
    nvidia.VENDOR,
    amd.VENDOR,
    hygon.VENDOR,
    cambricon.VENDOR,
    ascend.VENDOR,
    metax.VENDOR,
    mthreads.VENDOR,
    iluvatar.VENDOR,
)


class VendorPluginError(Exception):
    """An installed package offers a vendor that cannot be used; the message names the package and why."""


class UnknownVendor(LookupError):
    """No vendor has this key; the message lists those that exist."""


@cache
def vendors() -> dict[str, Vendor]:
    """Every vendor by its key, built-in ones first. Raises VendorPluginError for a plug-in that cannot be
    used.
    """
    return collect(BUILT_IN, entry_points(group=ENTRY_POINT_GROUP))


def collect(built_in: Sequence[Vendor], plugins: Iterable[EntryPoint]) -> dict[str, Vendor]:
    """Join the built-in vendors with those of plug-ins, which are taken in the order of their names."""
    found = {vendor.key: vendor for vendor in built_in}
    owners = dict.fromkeys(found, "vast")
    for plugin in sorted(plugins, key=lambda point: (point.name, point.value)):
        package = plugin.dist.name if plugin.dist else plugin.value
        added = _load(plugin, package)
        if added.key in found:
            raise VendorPluginError(
                f"package {package} offers vendor {added.key!r}, which {owners[added.key]} has already; "
                "a key belongs to one package"
            )
        found[added.key] = added
        owners[added.key] = package
    return found


def vendor(key: str) -> Vendor:
    """The vendor with this key. Raises UnknownVendor."""
    try:
        return vendors()[key]
    except KeyError:
        raise UnknownVendor(f"no vendor {key!r}; known: {', '.join(vendors())}") from None


def find_model(vendor_key: str, model: str) -> DeviceModel | None:
    """The model with this name or alias, upper and lower case alike; None when vendor or model is unknown."""
    return _models_by_name().get((vendor_key, model.strip().casefold()))


def model_or_default(vendor_key: str, model: str, memory_mib: int) -> DeviceModel:
    """The known model, or for an unknown one a safe stand-in of this size: whole devices only, in a class of
    its own.
    """
    known = find_model(vendor_key, model)
    if known is not None:
        return known
    return DeviceModel(
        name=model,
        memory_mib=memory_mib,
        device_class=f"{vendor_key}-other",
        rule=SliceRule(shareable=False),
        max_slices=1,
        source="unknown model: whole devices only",
    )


def rule_for(vendor_key: str, model: str) -> SliceRule:
    """How this model is cut, and the sharing policies its vendor keeps; an unknown model is never shared."""
    return _rule_for(vendor_key, model_or_default(vendor_key, model, 0).rule)


class Templates(TypedDict):
    """How a model can be cut in hardware: out of ``partition_slots`` placement slots."""

    templates: tuple[PartitionTemplate, ...]
    partition_slots: int


def templates_for(vendor_key: str, model: str) -> Templates:
    """The hard partitions of a model; none for one that is not known."""
    found = find_model(vendor_key, model)
    if found is None:
        return {"templates": (), "partition_slots": 0}
    return {"templates": found.templates, "partition_slots": found.partition_slots}


def device_classes() -> dict[str, tuple[str, ...]]:
    """The names of the models in each device class, classes in alphabetical order."""
    classes: dict[str, list[str]] = {}
    for known in vendors().values():
        for model in known.models:
            classes.setdefault(model.device_class, []).append(model.name)
    return {name: tuple(models) for name, models in sorted(classes.items())}


def _load(plugin: EntryPoint, package: str) -> Vendor:
    try:
        loaded = plugin.load()
    except Exception as error:
        raise VendorPluginError(f"package {package}: {plugin.value} cannot be loaded: {error}") from error
    if not isinstance(loaded, Vendor):
        raise VendorPluginError(
            f"package {package}: {plugin.value} is a {type(loaded).__name__}, not a vast.vendors.base.Vendor"
        )
    return loaded


@cache
def _rule_for(vendor_key: str, rule: SliceRule) -> SliceRule:
    known = vendors().get(vendor_key)
    return replace(rule, policies=kept(known.sharing)) if known else rule


@cache
def _models_by_name() -> dict[tuple[str, str], DeviceModel]:
    return {
        (known.key, name.casefold()): model
        for known in vendors().values()
        for model in known.models
        for name in (model.name, *model.aliases)
    }
