"""The figures of every vendor's models hold together."""

from __future__ import annotations

from collections import Counter

import pytest

from vast.vendors.base import DeviceModel
from vast.vendors.registry import find_model, vendors
from vast.vendors.rounding import grant

MODELS = [
    pytest.param(known.key, model, id=f"{known.key} {model.name}")
    for known in vendors().values()
    for model in known.models
]


@pytest.mark.parametrize("key", list(vendors()))
def test_no_two_models_of_a_vendor_share_a_name(key: str) -> None:
    names = Counter(
        name.casefold()
        for model in vendors()[key].models
        for name in {model.name.casefold(), *(alias.casefold() for alias in model.aliases)}
    )
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(("key", "model"), MODELS)
def test_a_models_figures_are_possible_and_their_source_is_named(key: str, model: DeviceModel) -> None:
    assert model.memory_mib > 0
    assert model.power_w > 0
    assert model.source
    assert model.device_class.startswith(f"{key}-")
    assert (model.max_slices > 1) == model.rule.shareable
    assert list(model.rule.sizes) == sorted(model.rule.sizes)
    assert all(size < model.memory_mib and 0 < cores <= 100 for size, cores in model.rule.sizes)


@pytest.mark.parametrize(("key", "model"), MODELS)
def test_a_hard_partition_blocks_at_least_the_share_of_the_card_that_it_brings(
    key: str, model: DeviceModel
) -> None:
    names = [template.name for template in model.templates]
    assert len(names) == len(set(names))
    for template in model.templates:
        assert 1 <= template.slots <= model.partition_slots
        assert 0 < template.cores <= 100
        # Templates are made for the nominal size; what a card reports may be an eighth less (310P3: 24 GiB).
        assert template.memory_mib * model.partition_slots * 7 <= model.memory_mib * template.slots * 8


def test_a_mig_layout_costs_the_slots_it_blocks() -> None:
    model = find_model("nvidia", "A100-SXM4-80GB")
    assert model is not None
    charge = {t.name: 1000 * t.slots // model.partition_slots for t in model.templates}
    assert charge == {
        "1g.10gb": 125,
        "1g.20gb": 250,
        "2g.20gb": 250,
        "3g.40gb": 500,
        "4g.40gb": 500,
        "7g.80gb": 1000,
    }
    assert charge["3g.40gb"] + charge["4g.40gb"] == 1000
    assert 7 * charge["1g.10gb"] == 875


def test_sixteen_of_the_smallest_sgpu_fill_a_moore_threads_card_and_no_more() -> None:
    model = find_model("mthreads", "MTT S4000")
    assert model is not None
    cores = grant(model.rule, model.memory_mib, 1, 1).cores
    assert 16 * cores <= 100 < 17 * cores
