"""kill -9 of any one process while jobs flow: every job still ends exactly once, and nothing stays held."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import redis

from tests.product.instance import Instance, start
from tests.product.test_main_road import eventually

pytestmark = pytest.mark.product
JOBS = 50


@pytest.fixture
def product(tmp_path: Path) -> Iterator[Instance]:
    lab = Path(__file__).resolve().parents[2] / "examples" / "fleets" / "lab.yaml"
    instance = start(tmp_path / "home", "--fleet", str(lab))
    try:
        instance.wait_ready()
        yield instance
    finally:
        instance.stop()


def flow(instance: Instance, folder: Path) -> list[str]:
    """Submit jobs over about five seconds; each notes every one of its starts in a file of its own."""
    ids = []
    with instance.client() as client:
        for number in range(JOBS):
            mark = folder / f"job-{number}"
            group = {
                "command": f'echo "$VAST_ATTEMPT" >> {mark}; sleep 1; exit {number % 5 == 4:d}',
                "request": {"cores": 5, "memory_mib": 512},
            }
            ids.append(
                client.jobs.submit({"name": f"flow-{number}", "queue": "default", "groups": [group]}).id
            )
            time.sleep(0.05)
    return ids


def assert_all_ended_once(instance: Instance, ids: list[str], folder: Path) -> None:
    with instance.client() as client:

        def ended() -> bool:
            return all(client.jobs.get(pk).state in {"succeeded", "failed", "cancelled"} for pk in ids)

        eventually(ended, within_s=120)
        for number, pk in enumerate(ids):
            job = client.jobs.get(pk)
            assert job.state == ("failed" if number % 5 == 4 else "succeeded"), (
                f"{job.name}: {job.state} {job.reason}"
            )
            ends = [
                e
                for e in client.jobs.events(pk)
                if e.kind == "state" and e.to_state in {"succeeded", "failed"}
            ]
            assert len(ends) == 1
            starts = (folder / f"job-{number}").read_text().split()
            # Each attempt ran once and no more than once.
            assert len(starts) == len(set(starts))
        assert all(device.slices_used == 0 for device in client.devices.list())


@pytest.mark.parametrize("name", ["web", "worker", "beat", "scheduler", "redis", "agent", "postgres"])
def test_after_kill_9_of_a_process_every_job_ends_once(product: Instance, tmp_path: Path, name: str) -> None:
    ids = []
    pid = product.processes()[name][0].pid

    def strike(*_: object) -> None:
        os.kill(pid, signal.SIGKILL)

    before = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    try:
        ids = flow(product, tmp_path)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert_all_ended_once(product, ids, tmp_path)


def test_after_flushall_every_job_ends_once(product: Instance, tmp_path: Path) -> None:
    import json

    url = json.loads((product.home / "connection.json").read_text())["redis_url"]
    before = signal.signal(signal.SIGALRM, lambda *_: redis.Redis.from_url(url).flushall())
    signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
    try:
        ids = flow(product, tmp_path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert_all_ended_once(product, ids, tmp_path)


def test_tasks_outlive_the_supervisor_and_are_adopted_by_the_next(tmp_path: Path) -> None:
    lab = Path(__file__).resolve().parents[2] / "examples" / "fleets" / "lab.yaml"
    first = start(tmp_path / "home", "--fleet", str(lab))
    first.wait_ready()
    group = {
        "command": f"echo start >> {tmp_path}/starts; sleep 12; echo end",
        "request": {"cores": 5, "memory_mib": 512},
    }
    with first.client() as client:
        job = client.jobs.submit({"name": "survivor", "queue": "default", "groups": [group]})
        eventually(lambda: client.jobs.get(job.id).state == "running")
        pid = client.jobs.tasks(job.id)[0].pid
    assert pid
    servers = [process for found in first.processes().values() for process in found]
    first.process.kill()
    first.process.wait(10)
    psutil.wait_procs(servers, timeout=20)
    assert [p for p in servers if p.is_running() and p.status() != psutil.STATUS_ZOMBIE] == []
    assert psutil.pid_exists(pid)
    second = start(tmp_path / "home", "--fleet", str(lab), port=first.port)
    try:
        second.wait_ready()
        with second.client() as client:
            ended = client.jobs.wait(job.id, timeout=60)
            assert ended.state == "succeeded"
            assert ended.attempt == 1
    finally:
        second.stop()
    assert (tmp_path / "starts").read_text() == "start\n"


def test_ctrl_c_leaves_no_process_and_the_interrupted_job_runs_again_at_the_next_start(
    tmp_path: Path,
) -> None:
    lab = Path(__file__).resolve().parents[2] / "examples" / "fleets" / "lab.yaml"
    first = start(tmp_path / "home", "--fleet", str(lab))
    first.wait_ready()
    mark = f"{tmp_path}/starts"
    group = {"command": f"echo start >> {mark}; sleep 300", "request": {"cores": 5, "memory_mib": 512}}
    with first.client() as client:
        job = client.jobs.submit({"name": "again", "queue": "default", "groups": [group]})
        eventually(lambda: client.jobs.get(job.id).state == "running")
        task = client.jobs.tasks(job.id)[0].pid
    assert task
    family = psutil.Process(first.process.pid).children(recursive=True)
    assert first.stop() == 0
    assert [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE] == []
    assert not psutil.pid_exists(task)
    second = start(tmp_path / "home", "--fleet", str(lab))
    try:
        second.wait_ready()
        with second.client() as client:
            eventually(lambda: client.jobs.get(job.id).state == "running", within_s=30)
            assert client.jobs.get(job.id).attempt == 2
    finally:
        second.stop()
    assert Path(mark).read_text() == "start\nstart\n"
