"""The example jobs, run by hand: as an agent would start their tasks, on this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

JOBS = Path(__file__).parents[2] / "examples" / "jobs"
WORLD = 8
PATIENCE_S = 60


def document(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((JOBS / f"{name}.yaml").read_text())
    return loaded


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


class Tasks:
    """Starts tasks of a document, and leaves none behind."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.started: list[subprocess.Popen[str]] = []

    def start(self, group: dict[str, Any], **variables: object) -> subprocess.Popen[str]:
        command = group["command"]
        env = {**os.environ, **group.get("env", {}), **variables}
        process = subprocess.Popen(
            command if isinstance(command, list) else ["/bin/sh", "-c", command],
            cwd=self._folder,
            env={name: str(value) for name, value in env.items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(process)
        return process

    def ring(self, ranks: Iterator[int] | range, **variables: object) -> dict[int, subprocess.Popen[str]]:
        groups = document("allreduce")["groups"]
        port = free_port()
        return {
            rank: self.start(
                groups[rank * len(groups) // WORLD],
                RANK=rank,
                WORLD_SIZE=WORLD,
                MASTER_ADDR="127.0.0.1",
                MASTER_PORT=port,
                VAST_NODE_NAME=f"node-{rank % 3}",
                VAST_DEVICE_UUIDS=f"GPU-{rank}",
                **variables,
            )
            for rank in ranks
        }


@pytest.fixture
def tasks(tmp_path: Path) -> Iterator[Tasks]:
    made = Tasks(tmp_path)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
    assert ready, "the task wrote nothing"
    return process.stdout.readline()


def test_every_example_is_a_document_with_a_name_a_queue_and_groups() -> None:
    names = {path.stem: document(path.stem) for path in sorted(JOBS.glob("*.yaml"))}
    assert len(names) >= 8
    for name, found in names.items():
        assert {"name", "queue", "groups"} <= found.keys(), name
        assert all(("command" in group) != ("simulate" in group) for group in found["groups"]), name


def test_the_all_reduce_needs_two_vendors_and_spreads_over_nodes() -> None:
    groups = document("allreduce")["groups"]
    assert [group["request"]["selector"] for group in groups] == [
        [{"vendor": "nvidia"}],
        [{"vendor": "ascend"}],
    ]
    assert sum(group["replicas"] for group in groups) == WORLD
    assert {group["strategy"]["node"] for group in groups} == {"spread"}


def test_eight_ranks_find_each_other_in_any_order_of_starting_and_agree_on_the_sum(tasks: Tasks) -> None:
    processes = tasks.ring(reversed(range(WORLD)), ROUNDS=2, ROUND_PAUSE_S=0)
    outputs = {rank: process.communicate(timeout=PATIENCE_S)[0] for rank, process in processes.items()}
    assert {rank: process.returncode for rank, process in processes.items()} == dict.fromkeys(range(WORLD), 0)
    # Rank r gives 2 * (r + 1) * i at place i of 8 * 1024: the sum over places and ranks, worked out by hand.
    places = WORLD * 1024
    expected = 2 * 36 * (places * (places - 1) // 2)
    for rank, output in outputs.items():
        assert f"rank {rank}: round 2/2: all-reduced sum {expected} is right" in output
        assert f"rank {rank}/8 on node node-{rank % 3}, devices GPU-{rank}" in output
    assert "8 ranks found each other on 3 nodes: node-0, node-1, node-2" in outputs[0]


def test_when_one_rank_dies_every_other_fails_and_names_whom_it_lost(tasks: Tasks) -> None:
    processes = tasks.ring(range(WORLD), ROUNDS=1000, ROUND_PAUSE_S=0.05, TIMEOUT_S=20)
    while "round 2/" not in read_line(processes[0]):
        pass
    processes[3].kill()
    outputs = {rank: process.communicate(timeout=PATIENCE_S)[0] for rank, process in processes.items()}
    assert processes[3].returncode == -signal.SIGKILL
    assert {processes[rank].returncode for rank in range(WORLD) if rank != 3} == {1}
    assert "rank 4: round" in outputs[4]
    assert "rank 3 " in outputs[4]


def test_ranks_that_never_come_are_named(tasks: Tasks) -> None:
    processes = tasks.ring(range(2), TIMEOUT_S=5)
    output = processes[0].communicate(timeout=PATIENCE_S)[0]
    assert processes[0].returncode == 1
    assert "rank 0: ranks [2, 3, 4, 5, 6, 7] did not come within 5 s" in output
    assert "rank 0 went away" in processes[1].communicate(timeout=PATIENCE_S)[0]
    assert processes[1].returncode == 1


def test_a_rendezvous_port_in_use_is_told(tasks: Tasks) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        process = tasks.start(
            document("allreduce")["groups"][0],
            RANK=0,
            WORLD_SIZE=2,
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=taken.getsockname()[1],
        )
        output = process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == 1
    assert "cannot listen on 127.0.0.1" in output


def test_the_inference_server_answers_until_it_is_stopped(tasks: Tasks) -> None:
    process = tasks.start(document("inference")["groups"][0])
    url = read_line(process).removeprefix("serving ").strip()

    def predict(text: str) -> float:
        request = urllib.request.Request(url, json.dumps({"text": text}).encode())
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return float(json.load(answer)["positive"])

    assert predict("this is really good") > 0.8
    assert predict("slow and broken") < 0.1
    process.terminate()
    assert "cancelled: bye" in process.communicate(timeout=PATIENCE_S)[0]


def test_the_failing_job_fails_with_its_code_and_says_why(tasks: Tasks) -> None:
    process = tasks.start(document("failing")["groups"][0])
    assert "error: checkpoint/latest.bin does not exist" in process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == 3


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed here")
def test_the_ddp_job_says_that_torch_is_missing(tasks: Tasks) -> None:
    process = tasks.start(document("ddp")["groups"][0], PYTHONPATH="/nonexistent")
    assert "torch is not installed" in process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode == 2
