"""The measure of fragmentation, against a literal double loop over devices and requests."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from vast.scheduling.arrays import ints
from vast.scheduling.fragmentation import CARD, Kind, Mix, _Nodes, after_slice, fragmentation
from vast.scheduling.snapshot import Device, Node
from vast.scheduling.state import PoolState
from vast.vendors.base import SliceRule


def literally(mix: Mix, sku: int, cpu: int, free: list[int]) -> int:
    lost = 0
    for kind, count in mix.usual:
        enough = [amount for amount in free if amount >= kind.milli]
        can = kind.devices and cpu >= kind.cpu_millis and sku in kind.skus and len(enough) >= kind.devices
        lost += count * (sum(free) - sum(enough) if can else sum(free))
    return lost


def pool(chance: Random) -> PoolState:
    nodes = [
        Node(
            f"n{i}",
            f"n{i}",
            "p",
            chance.choice((4_000, 16_000, 96_000)),
            1000,
            100,
            tuple(
                Device(f"n{i}/{d}", "", model, model, CARD, 1000, SliceRule())
                for d in range(chance.choice((1, 2, 4, 8)))
            ),
        )
        for i, model in enumerate(chance.choice("ab") for _ in range(6))
    ]
    state = PoolState(nodes, ())
    for device in range(len(state.devices)):
        state.take_device(device, 0, chance.choice((0, 0, 300, 1000)), False)
    return state


def mix_of(chance: Random, kinds: int) -> Mix:
    mix = Mix(kinds)
    for _ in range(64):
        devices = chance.choice((0, 1, 1, 1, 2, 4))
        milli = CARD if devices > 1 else chance.choice((230, 470, 810, CARD))
        skus = frozenset(chance.sample(range(kinds), chance.randint(1, kinds)))
        mix.note(
            Kind(chance.choice((2_000, 8_000, 32_000)), milli if devices else 0, devices, skus),
            [8000] * kinds,
        )
    assert mix.version == 1
    return mix


@pytest.mark.parametrize("seed", range(8))
def test_it_is_what_the_double_loop_says(seed: int) -> None:
    chance = Random(seed)
    state = pool(chance)
    mix = mix_of(chance, len(state.skus))
    rows = _Nodes(state, ints(range(len(state.nodes))))
    found = fragmentation(mix, rows, rows.cpu, rows.free)
    sliced = after_slice(mix, rows, rows.cpu - 1_000, 300)
    for i in range(len(state.nodes)):
        free, sku, cpu = rows.free[i].tolist(), int(rows.sku[i]), int(rows.cpu[i])
        assert found[i] == literally(mix, sku, cpu, free)
        for d in np.flatnonzero(rows.free[i] >= 300).tolist():
            rest = [amount - 300 if j == d else amount for j, amount in enumerate(free)]
            assert sliced[i, d] == literally(mix, sku, cpu - 1_000, rest)
