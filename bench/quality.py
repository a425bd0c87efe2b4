"""``make bench-quality``: the product's placement on the public openb traces, next to published policies.

Method as of the artifact of "Beware of Fragmentation" (USENIX ATC'23): tasks shuffled, then re-sampled up to 1.3 times the
pool; each is placed once, online; at each whole percent of arrived cards the allocated cards are averaged.

``python -m bench.quality [VARIANT...] [--seeds N]``; the traces are in ``VAST_BENCH_DATA`` (default ../shared/data).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from vast.simulator.place import Placer, Task, read_nodes

POINTS = (80, 90, 95, 100, 110, 130)
TUNE = 1.3
FIRST_SEED = 42
POLICIES = ("FGD", "BestFit", "GpuPacking", "Random")


def data_folder() -> Path:
    folder = Path(os.environ.get("VAST_BENCH_DATA", "../shared/data")) / "openb"
    if not folder.is_dir():
        raise SystemExit(f"no traces in {folder}: set VAST_BENCH_DATA to the folder that has openb/ in it")
    return folder


def tasks_of(folder: Path, variant: str) -> list[Task]:
    """The tasks of a variant, by name."""
    plain = folder / f"openb_pod_list_{variant}.csv"
    packed = folder / f"{plain.name}.gz"
    if not plain.exists() and not packed.exists():
        known = sorted(
            p.name.split(".")[0].removeprefix("openb_pod_list_") for p in folder.glob("openb_pod*")
        )
        raise SystemExit(f"no variant {variant}; there are {', '.join(known)}")
    text = plain.read_text() if plain.exists() else gzip.decompress(packed.read_bytes()).decode()
    rows = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: row["name"])
    return [
        Task(
            row["name"],
            int(row["cpu_milli"]),
            int(row["memory_mib"]),
            int(row["num_gpu"]),
            int(row["gpu_milli"]) if int(row["num_gpu"]) else 0,
            tuple(sorted(filter(None, (row.get("gpu_spec") or "").split("|")))),
        )
        for row in rows
    ]


def arrivals(tasks: list[Task], cards: int, seed: int) -> list[Task]:
    """Shuffled, then drawn again until the cards asked for would pass 1.3 times the pool (or cut down to it)."""
    chance = np.random.default_rng(seed)
    line = [tasks[i] for i in chance.permutation(len(tasks))]
    most, asked = int(cards * TUNE), sum(task.devices * task.milli for task in line)
    while asked > most:
        gone = line.pop(int(chance.integers(len(line))))
        asked -= gone.devices * gone.milli
    while True:
        task = tasks[int(chance.integers(len(tasks)))]
        if asked + task.milli > most:
            return line
        line.append(task)
        asked += task.devices * task.milli


def allocated(folder: Path, variant: str, seed: int) -> dict[int, float]:
    """Percent of the cards in use at each of the points of percent arrived."""
    nodes = read_nodes(folder / "openb_node_list_gpu_node.csv")
    cards = sum(len(node.devices) for node in nodes) * 1000
    placer = Placer(nodes)
    arrived = used = 0
    found: dict[int, list[float]] = {}
    for task in arrivals(tasks_of(folder, variant), cards, seed):
        arrived += task.devices * task.milli
        if placer.place(task) is not None:
            used += task.devices * task.milli
        found.setdefault(round(100 * arrived / cards), []).append(100 * used / cards)
    return {point: sum(found[point]) / len(found[point]) for point in POINTS if point in found}


def published(folder: Path) -> dict[tuple[str, str], dict[int, float]]:
    """Percent allocated at percent arrived, by workload and policy."""
    with (folder / "fgd_alloc_pct.csv").open() as file:
        return {
            (row["workload"], row["policy"]): {p: float(row[f"{p}_mean"]) for p in POINTS}
            for row in csv.DictReader(file)
        }


def lines(variants: list[str], seeds: int) -> Iterator[str]:
    folder = data_folder()
    known = published(folder)
    yield f"allocated % of the cards at % arrived; ours: mean of the seeds from {FIRST_SEED}, {seeds} in all"
    yield f"{'workload':13}{'policy':12}" + "".join(f"{point:>8}" for point in POINTS) + "   left at 100"
    for variant in variants:
        runs = [allocated(folder, variant, FIRST_SEED + i) for i in range(seeds)]
        ours = {p: sum(run[p] for run in runs if p in run) / len(runs) for p in POINTS}
        yield _line(variant, "VAST", ours)
        for policy in POLICIES:
            if (variant, policy) in known:
                yield _line("", f"{policy} *", known[variant, policy])
    yield "* published (HKUST artifact, mean of ten seeds)"


def _line(variant: str, policy: str, figures: dict[int, float]) -> str:
    amounts = "".join(f"{figures[point]:8.2f}" for point in POINTS)
    return f"{variant:13}{policy:12}{amounts}   {100 - figures[100]:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__.splitlines()[0])
    parser.add_argument("variants", nargs="*", default=["default"])
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    for line in lines(chosen.variants, chosen.seeds):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
