"""Which devices of a bank a task gets: the best connected ones that leave the others as whole as possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vast.scheduling.arrays import Bools
from vast.scheduling.asks import Ask
from vast.scheduling.columns import beyond_physical, fitting, leftover
from vast.scheduling.snapshot import Device
from vast.scheduling.state import PoolState

_LEVELS: tuple[Callable[[Device], object], ...] = (
    lambda device: device.link_group,
    lambda device: device.numa,
)


def pick(state: PoolState, ask: Ask, bank: int, taken: Bools | None, *, roomiest: bool = False) -> list[int]:
    """Choose the task's devices in a bank that scored as having enough of them; ascending. Empty where they
    cannot be had together after all.

    Slices go to cards in use first, the fullest that fits; whole cards by connection. ``roomiest`` turns this
    round (emptiest first): a gang whose tasks need several cards each sometimes only fits that way.
    """
    where = state.bank_devices(bank)
    fit = fitting(state, ask, where)
    if taken is not None:
        fit &= ~taken[where]
    candidates = (fit.nonzero()[0] + where.start).tolist()
    used = (state.used_slots[where] > 0).tolist()
    left = leftover(state, where).tolist()
    if ask.linked is not None:
        linked = _linked(ask, candidates, lambda device: used[device - where.start])
        if linked is None and ask.must_link:
            return []
        candidates = linked or candidates
    shared = sorted(
        (d for d in candidates if used[d - where.start]), key=lambda d: (left[d - where.start], d)
    )
    empty = [d for d in candidates if not used[d - where.start]]
    if roomiest:
        ordered = (empty + shared[::-1])[: ask.devices]
    else:
        ordered = shared[: ask.devices]
        ordered += closest(state.devices, empty, ask.devices - len(ordered))
    if state.oversubscribed:
        ordered = _within_host_memory(state, ask, bank, ordered, candidates)
    return sorted(ordered) if len(ordered) == ask.devices else []


def _linked(ask: Ask, candidates: Sequence[int], in_use: Callable[[int], bool]) -> list[int] | None:
    """The candidates of one linked group that holds the task: where the fewest empty cards are opened, then the
    smallest such group. None = no group does."""
    if ask.linked is None:
        return None
    groups: dict[int, list[int]] = {}
    for candidate in candidates:
        group = int(ask.linked[candidate])
        if group >= 0:
            groups.setdefault(group, []).append(candidate)
    holding = [group for group in groups.values() if len(group) >= ask.devices]
    if not holding:
        return None
    return min(
        holding,
        key=lambda group: (max(0, ask.devices - sum(map(in_use, group))), len(group), group[0]),
    )


def _within_host_memory(
    state: PoolState, ask: Ask, bank: int, chosen: list[int], candidates: Sequence[int]
) -> list[int]:
    """The chosen devices, if the node's RAM covers what they promise beyond their size; else those that promise
    least, if it covers that; else none."""
    node = int(state.bank_node[bank])
    spare = int(state.free_ram[node]) - ask.request.host_memory_mib
    where = state.bank_devices(bank)
    extra = beyond_physical(state, ask, where).tolist()
    if sum(extra[device - where.start] for device in chosen) <= spare:
        return chosen
    least = sorted(candidates, key=lambda device: (extra[device - where.start], device))[: ask.devices]
    return least if sum(extra[device - where.start] for device in least) <= spare else []


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
