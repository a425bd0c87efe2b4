"""Recorded cycles: the same decisions and reasons, on another machine and under another hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scheduling.world import BUDGET, NOW, World
from vast.scheduling.engine import decide
from vast.simulator.recording import Recording, RecordingError, Ring, differences


def recorded(folder: Path) -> Path:
    world = World().node("n", cards=2).running("low", "n-0", priority=-1).running("keep", "n-1", priority=5)
    world.job("high", priority=1, exclusive=True).job("wide", devices=9, exclusive=True)
    snapshot = world.snapshot()
    path = folder / "cycle.json.gz"
    Recording.of(snapshot, NOW, BUDGET, list(decide(snapshot, NOW, BUDGET))).write(path)
    return path


def test_a_recording_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = recorded(tmp_path)
    again = tmp_path / "again.json.gz"
    Recording.read(path).write(again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_replay_in_another_process_is_identical(tmp_path: Path, seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vast", "scheduler", "replay", str(recorded(tmp_path))],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip().endswith(": identical"), done.stdout + done.stderr
    assert done.returncode == 0


def test_another_answer_is_told(tmp_path: Path) -> None:
    recording = Recording.read(recorded(tmp_path))
    other = Recording(recording.snapshot, recording.now, recording.budget, recording.decisions[:-1])
    assert list(differences(other)) == [
        f"recorded {len(other.decisions)} decisions, now {len(recording.decisions)}"
    ]


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("nonsense")
    with pytest.raises(RecordingError, match="not a recording"):
        Recording.read(tmp_path / "x")


def test_a_ring_keeps_the_last_cycles(tmp_path: Path) -> None:
    ring = Ring(tmp_path / "cycles", keep=3)
    snapshot = World().node("n").snapshot()
    for _ in range(5):
        ring.add(snapshot, NOW, BUDGET, [])
    names = [path.name for path in sorted((tmp_path / "cycles").iterdir())]
    assert names == [f"cycle-{n:010d}.json.gz" for n in (2, 3, 4)]
