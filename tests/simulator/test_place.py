"""Placing a sequence from files: nothing is overcommitted, nothing that fits is left out, and errors say where."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest

from vast.simulator.place import PlaceError, place_file

NODES = "sn,cpu_milli,memory_mib,gpu,model\na,8000,8000,2,A10\nb,16000,16000,4,T4\nc,4000,4000,1,T4\n"
HEAD = "seq,name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"


def place(folder: Path, tasks: str, nodes: str = NODES) -> list[dict[str, str]]:
    (folder / "nodes.csv").write_text(nodes)
    (folder / "tasks.csv").write_text(HEAD + tasks)
    place_file(folder / "nodes.csv", folder / "tasks.csv", folder / "out.csv")
    with (folder / "out.csv").open() as file:
        return list(csv.DictReader(file))


def random_tasks(seed: int) -> str:
    chance = Random(seed)
    lines = []
    for seq in range(60):
        devices = chance.choice((0, 1, 1, 1, 2, 4))
        milli = 0 if not devices else 1000 if devices > 1 else chance.choice((250, 470, 1000))
        spec = chance.choice(("", "", "A10", "A10|T4", "T4"))
        lines.append(
            f"{seq},t{seq},{chance.choice((500, 1000))},{chance.choice((100, 900))},{devices},{milli},{spec}"
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(5))
def test_every_placement_holds_and_what_is_left_out_did_not_fit(tmp_path: Path, seed: int) -> None:
    tasks = random_tasks(seed)
    where = {row["seq"]: row for row in place(tmp_path, tasks)}
    free = {
        "a": [8000, 8000, [1000] * 2, "A10"],
        "b": [16000, 16000, [1000] * 4, "T4"],
        "c": [4000, 4000, [1000], "T4"],
    }
    for line in tasks.splitlines():
        seq, _, cpu, memory, count, milli, spec = line.split(",")
        need = (int(cpu), int(memory), int(count), int(milli))
        fitting = [
            name
            for name, (cores, ram, cards, model) in free.items()
            if cores >= need[0]
            and ram >= need[1]
            and sum(card >= need[3] for card in cards) >= need[2]
            and (not spec or model in spec.split("|"))
        ]
        if seq not in where:
            assert not fitting
            continue
        node, used = where[seq]["node"], [int(g) for g in where[seq]["gpus"].split("-") if g]
        assert node in fitting
        assert len(set(used)) == need[2]
        free[node][0] -= need[0]
        free[node][1] -= need[1]
        for card in used:
            assert free[node][2][card] >= need[3]
            free[node][2][card] -= need[3]


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        ("0,t,x,1,0,0,\n", "tasks.csv:2: cpu_milli"),
        ("0,t,1,1,2,500,\n", "tasks.csv:2: a task of several devices"),
        ("0,t,1,1,1,1001,\n", "tasks.csv:2: gpu_milli"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, tasks: str, told: str) -> None:
    with pytest.raises(PlaceError, match=told):
        place(tmp_path, tasks)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="no column gpu"):
        place(tmp_path, "", nodes="sn,cpu_milli,memory_mib,model\n")
