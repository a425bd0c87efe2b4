"""Placing a sequence of tasks from a file, one at a time as they come: how well the engine packs, judged from outside.

Formats as those of the openb trace: nodes ``sn,cpu_milli,memory_mib,gpu,model``; tasks
``seq,name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec``; written are ``seq,node,gpus`` (device indices by ``-``).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vast.scheduling.asks import Ask
from vast.scheduling.budget import Budget
from vast.scheduling.columns import Column
from vast.scheduling.fragmentation import CARD, FragmentationColumn, Kind, Mix
from vast.scheduling.placement import Search, Seated
from vast.scheduling.shapes import Attempt, GroupShape, JobShape
from vast.scheduling.snapshot import Alternative, Device, Node, Request
from vast.scheduling.state import PoolState
from vast.vendors.base import SliceRule

NODE_FIELDS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
TASK_FIELDS = ("seq", "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")
MOST_SLICES = 1000


class PlaceError(Exception):
    """A file is not as it should be; the message names the line and the column."""


@dataclass(frozen=True, slots=True)
class Task:
    """CPU in thousandths of a core, memory in MiB, ``milli`` of each of the devices, accepted models (none = any)."""

    seq: str
    cpu_millis: int
    memory_mib: int
    devices: int
    milli: int
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a task went; ``devices`` are indices on the node."""

    seq: str
    node: str
    devices: tuple[int, ...]


def read_nodes(path: Path) -> list[Node]:
    """Raises PlaceError."""
    nodes = []
    for line, row in _rows(path, NODE_FIELDS):
        name, count = row["sn"], _number(path, line, row, "gpu")
        devices = tuple(
            Device(
                f"{name}/{i}", "", row["model"], row["model"], CARD, MOST_SLICES, SliceRule(), link_group=""
            )
            for i in range(count)
        )
        cpu, memory = _number(path, line, row, "cpu_milli"), _number(path, line, row, "memory_mib")
        nodes.append(Node(name, name, "", cpu, memory, 1 << 20, devices))
    if not nodes:
        raise PlaceError(f"{path}: no nodes")
    return nodes


def read_tasks(path: Path) -> Iterator[Task]:
    """Raises PlaceError."""
    for line, row in _rows(path, TASK_FIELDS):
        devices, milli = _number(path, line, row, "num_gpu"), _number(path, line, row, "gpu_milli")
        if devices and not 1 <= milli <= CARD:
            raise PlaceError(f"{path}:{line}: gpu_milli is 1 to {CARD}, not {milli}")
        if devices > 1 and milli != CARD:
            raise PlaceError(
                f"{path}:{line}: a task of several devices takes whole ones: gpu_milli {CARD}, not {milli}"
            )
        yield Task(
            seq=row["seq"],
            cpu_millis=_number(path, line, row, "cpu_milli"),
            memory_mib=_number(path, line, row, "memory_mib"),
            devices=devices,
            milli=milli if devices else 0,
            models=tuple(sorted(filter(None, (row.get("gpu_spec") or "").split("|")))),
        )


def _rows(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in wanted if name not in (reader.fieldnames or ())]
            if missing:
                raise PlaceError(f"{path}:1: no column {missing[0]}; there must be {', '.join(wanted)}")
            for row in reader:
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError) as error:
        raise PlaceError(f"{path}: {error}") from error


def _number(path: Path, line: int, row: dict[str, str], name: str) -> int:
    text = (row.get(name) or "").strip()
    if not text.isdigit():
        raise PlaceError(f"{path}:{line}: {name} is a whole number of 0 or more, not {text!r}")
    return int(text)


class Placer:
    """Places one task after the other on a pool that only fills."""

    def __init__(self, nodes: list[Node]) -> None:
        self._state = PoolState(nodes, ())
        self._columns: dict[Ask, Column] = {}
        self._search = Search(self._state, Budget(1 << 62), self._columns)
        self._shapes: dict[tuple[object, ...], JobShape] = {}
        counts = np.bincount(self._state.sku, minlength=len(self._state.skus))
        self._supply = [int(count) * CARD for count in counts]
        self._mix = Mix(len(self._state.skus))

    def place(self, task: Task) -> Placed | None:
        """The task's place, taken; None when it fits nowhere."""
        self._mix.note(self._kind(task), self._supply)
        outcome = self._search.seat(self._shape(task), {})
        if not isinstance(outcome, Seated):
            return None
        seat = outcome.groups[0][0]
        ids = [self._state.devices[device].id for device in seat.devices]
        name = self._state.nodes[seat.node].name
        return Placed(task.seq, name, tuple(int(device.rsplit("/", 1)[1]) for device in ids))

    def _accepted(self, task: Task) -> frozenset[int]:
        skus = self._state.skus
        return frozenset(i for i, sku in enumerate(skus) if not task.models or sku.model in task.models)

    def _kind(self, task: Task) -> Kind:
        return Kind(task.cpu_millis, task.milli, task.devices, self._accepted(task))

    def _shape(self, task: Task) -> JobShape:
        key = (task.cpu_millis, task.memory_mib, task.devices, task.milli, task.models)
        if key not in self._shapes:
            self._shapes[key] = self._resolve(task)
        return self._shapes[key]

    def _resolve(self, task: Task) -> JobShape:
        part = task.devices == 1 and task.milli < CARD
        request = Request(
            devices=task.devices,
            memory_mib=task.milli if part else None,
            exclusive=not part and task.devices > 0,
            cpu_millis=task.cpu_millis,
            host_memory_mib=task.memory_mib,
        )
        ask = Ask(self._state, request, Alternative())
        accepted = self._accepted(task)
        allowed = np.array([i in accepted for i in range(len(self._state.skus))], dtype=np.bool_)
        # All accepted models are equally welcome: one ask for them together, not alternatives in order of preference.
        ask.matches = ask.matches & allowed
        ask.fits = ask.fits & allowed
        if task.models:
            ask.node_allowed = ask.node_allowed & np.array(
                [any(d.model in task.models for d in node.devices) for node in self._state.nodes],
                dtype=np.bool_,
            )
        self._columns[ask] = FragmentationColumn(self._state, ask, self._mix)
        group = GroupShape("main", 1, (ask,), spread_nodes=False, spread_devices=False, matching=0)
        return JobShape((group,), None, (Attempt((0,)),))


def place_file(nodes: Path, tasks: Path, out: Path) -> tuple[int, int]:
    """Place all tasks and write where they went. Returns how many were placed, and of how many. Raises PlaceError."""
    placer = Placer(read_nodes(nodes))
    placed = total = 0
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("seq", "node", "gpus"))
        for task in read_tasks(tasks):
            total += 1
            found = placer.place(task)
            if found is not None:
                placed += 1
                writer.writerow((found.seq, found.node, "-".join(map(str, sorted(found.devices)))))
    return placed, total
