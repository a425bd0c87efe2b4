"""How many tasks of one request each node could take: counted with a few vector operations, not by placing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vast.scheduling.arrays import Bools, Ints
from vast.scheduling.asks import Ask
from vast.scheduling.columns import fitting, node_fitting
from vast.scheduling.state import PoolState


def tasks_per_node(state: PoolState, asks: Sequence[Ask], most: int, *, apart: bool) -> Ints:
    """Tasks that fit on each node together, at most ``most``; ``apart`` = no two on one device.

    Exact for one device per task, for whole devices and for one alternative; else an upper bound (for several
    sliced devices per task, alternatives for the same devices, memory promised beyond the physical).
    """
    total = np.zeros(len(state.nodes), dtype=np.int64)
    for ask in asks:
        total += _of_ask(state, ask, most, apart)
    return np.minimum(total, _host_room(state, asks[0], most))


def _host_room(state: PoolState, ask: Ask, most: int) -> Ints:
    request = ask.request
    room = np.minimum(state.free_task_slots, most)
    if request.cpu_millis:
        room = np.minimum(room, state.free_cpu // request.cpu_millis)
    if request.host_memory_mib:
        room = np.minimum(room, state.free_ram // request.host_memory_mib)
    return np.maximum(room, 0)


def _of_ask(state: PoolState, ask: Ask, most: int, apart: bool) -> Ints:
    allowed = node_fitting(state, ask, slice(0, len(state.nodes)))
    if not ask.devices:
        return np.where(allowed, most, 0)
    per_node = np.zeros(len(state.nodes), dtype=np.int64)
    if len(state.bank_node):
        fit = fitting(state, ask, slice(0, len(state.devices)))
        room = fit.astype(np.int64) if apart or ask.only_whole else _slices(state, ask, fit, most)
        np.add.at(per_node, state.bank_node, _in_banks(state, ask, room))
    return np.where(allowed, per_node, 0)


def _slices(state: PoolState, ask: Ask, fit: Bools, most: int) -> Ints:
    """How many slices of the ask each device has room for."""
    sku = state.sku
    cores, memory, slots = ask.cores[sku], ask.memory[sku], ask.slots[sku]
    hard = slots > 0
    free_cores = np.where(hard, state.free_cores - state.beyond_cores, state.free_cores)
    free_memory = np.where(hard, state.free_memory - state.beyond_memory, state.free_memory)
    room = np.minimum(np.where(hard, state.free_partitions, state.free_slots), most)
    for need, free in ((cores, free_cores), (memory, free_memory), (slots, state.free_partition_slots)):
        room = np.where(need > 0, np.minimum(room, free // np.maximum(1, need)), room)
    room = np.where(ask.whole[sku], 1, room)
    return np.where(fit, np.maximum(room, 0), 0)


def _in_banks(state: PoolState, ask: Ask, room: Ints) -> Ints:
    """Tasks per bank, from the slices that each of its devices has room for."""
    if ask.must_link and ask.linked is not None:
        return _in_links(state, ask, room, ask.linked)
    return _together(room, state.bank_start, ask.devices)


def _in_links(state: PoolState, ask: Ask, room: Ints, linked: Ints) -> Ints:
    """As ``_in_banks``, each task inside one group of linked devices."""
    connected = np.flatnonzero(linked >= 0)
    per_bank = np.zeros(len(state.bank_node), dtype=np.int64)
    if len(connected):
        order = connected[np.argsort(linked[connected], kind="stable")]
        starts = np.flatnonzero(np.diff(linked[order], prepend=-1))
        banks = np.searchsorted(state.bank_start, order[starts], side="right") - 1
        np.add.at(per_bank, banks, _together(room[order], starts, ask.devices))
    return per_bank


def _together(room: Ints, starts: Ints, devices: int) -> Ints:
    """The largest t per run such that t tasks find ``devices`` different devices each: a device serves a task at
    most once, so no device counts for more than t."""
    tasks: Ints = np.add.reduceat(room, starts) // devices
    if devices == 1:
        return tasks
    sizes = np.diff(np.append(starts, len(room)))
    while True:
        fewer: Ints = np.add.reduceat(np.minimum(room, np.repeat(tasks, sizes)), starts) // devices
        if np.array_equal(fewer, tasks):
            return tasks
        tasks = fewer
