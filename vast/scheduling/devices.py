"""Which devices of a bank a task gets: the best connected ones that leave the others as whole as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vast.scheduling.arrays import Bools
from vast.scheduling.asks import Ask
from vast.scheduling.columns import fitting, leftover
from vast.scheduling.snapshot import Device
from vast.scheduling.state import PoolState

_LEVELS: tuple[Callable[[Device], object], ...] = (
    lambda device: device.link_group,
    lambda device: device.numa,
)


def pick(state: PoolState, ask: Ask, bank: int, taken: Bools | None, *, roomiest: bool = False) -> list[int]:
    """Choose the task's devices in a bank that has enough of them; ascending.

    Slices go to cards in use first, the fullest that fits; whole cards by connection. ``roomiest`` turns this
    round (emptiest first): a gang whose tasks need several cards each sometimes only fits that way.
    """
    where = state.bank_devices(bank)
    fit = fitting(state, ask, where)
    if taken is not None:
        fit &= ~taken[where]
    candidates = (np.flatnonzero(fit) + where.start).tolist()
    used = state.used_slots[where].tolist()
    left = leftover(state, where).tolist()
    shared = sorted(
        (d for d in candidates if used[d - where.start]), key=lambda d: (left[d - where.start], d)
    )
    empty = [d for d in candidates if not used[d - where.start]]
    if roomiest:
        ordered = (empty + shared[::-1])[: ask.devices]
    else:
        ordered = shared[: ask.devices]
        ordered += closest(state.devices, empty, ask.devices - len(ordered))
    return sorted(ordered)


def closest(devices: Sequence[Device], candidates: Sequence[int], count: int, level: int = 0) -> list[int]:
    """``count`` of the candidates inside one link group, and there one NUMA node, if any holds them: the
    smallest such group, so that large ones stay whole; else from as few groups as possible."""
    if count <= 0:
        return []
    if count >= len(candidates) or level == len(_LEVELS):
        return list(candidates[:count])
    groups: dict[object, list[int]] = {}
    for candidate in candidates:
        groups.setdefault(_LEVELS[level](devices[candidate]), []).append(candidate)
    holding = [group for group in groups.values() if len(group) >= count]
    if holding:
        smallest = min(holding, key=lambda group: (len(group), group[0]))
        return closest(devices, smallest, count, level + 1)
    chosen: list[int] = []
    for group in sorted(groups.values(), key=lambda group: (-len(group), group[0])):
        chosen += closest(devices, group, min(count - len(chosen), len(group)), level + 1)
    return chosen
