"""What a new user does first, on the demo product, through the command line as in the README."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from tests.product.instance import Instance

pytestmark = pytest.mark.product
T = TypeVar("T")


def eventually(check: Callable[[], T], *, within_s: float = 20) -> T:
    """The first true value of ``check``; fails when there is none in time."""
    deadline = time.monotonic() + within_s
    while True:
        value = check()
        if value:
            return value
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def test_an_all_reduce_over_three_nodes_of_two_vendors_prints_the_right_sum(
    demo: Instance, examples: Path
) -> None:
    done = demo.vast("job", "submit", "-f", str(examples / "allreduce.yaml"), "--wait", "--logs")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"sum", done.stdout)) >= 8
    with demo.client() as client:
        job = next(iter(client.jobs.list(search="allreduce")))
        tasks = client.jobs.tasks(job.id)
        assert len(tasks) == 8
        assert len({task.node.name for task in tasks if task.node}) >= 3
        assert len({piece.vendor for task in tasks for piece in task.slices}) == 2
        assert not client.jobs.get(job.id).held


def test_a_failing_task_gives_a_failing_exit_code_and_its_log_says_why(
    demo: Instance, examples: Path
) -> None:
    done = demo.vast("job", "submit", "-f", str(examples / "failing.yaml"), "--wait", "--logs")
    assert done.returncode == 1
    assert "exit code" in done.stdout + done.stderr


def test_four_inference_servers_share_one_card_and_answer_until_cancelled(
    demo: Instance, examples: Path
) -> None:
    with demo.client() as client:
        jobs = [client.jobs.submit(examples / "inference.yaml") for _ in range(4)]
        urls = []
        for job in jobs:
            eventually(lambda job=job: client.jobs.get(job.id).state == "running")
            task = client.jobs.tasks(job.id)[0]
            log = eventually(lambda task=task: re.search(r"http://\S+", client.jobs.tail(task.id)))
            urls.append(log.group(0))
        assert [httpx.post(url, json={"text": "this is good"}, timeout=5).status_code for url in urls] == [
            200
        ] * 4
        devices = {
            piece.device for job in jobs for task in client.jobs.tasks(job.id) for piece in task.slices
        }
        assert len(devices) == 1
        for job in jobs:
            client.jobs.cancel(job.id)
        for job in jobs:
            eventually(lambda job=job: client.jobs.get(job.id).state == "cancelled")
        left = {
            piece["job"]["id"] for piece in client.devices.get(devices.pop()).raw["slices"] if piece["job"]
        }
        assert left.isdisjoint(job.id for job in jobs)
    with pytest.raises(httpx.HTTPError):
        httpx.get(urls[0], timeout=2)


def test_a_whole_card_job_and_a_job_with_alternatives_run_to_their_end(
    demo: Instance, examples: Path
) -> None:
    for name in ("whole-card.yaml", "alternatives.yaml", "gang-of-vgpus.yaml"):
        done = demo.vast("job", "submit", "-f", str(examples / name), "--wait")
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


def test_a_task_sees_its_devices_and_limits_and_none_of_the_products_secrets(demo: Instance) -> None:
    document = {
        "name": "environment",
        "queue": "demo/research",
        "groups": [
            {
                "command": ["env"],
                "request": {"cores": 20, "memory_mib": 8192, "selector": [{"vendor": "nvidia"}]},
            }
        ],
    }
    with demo.client() as client:
        job = client.jobs.wait(client.jobs.submit(document).id, timeout=30)
        assert job.state == "succeeded"
        task = client.jobs.tasks(job.id)[0]
        seen = dict(
            line.split("=", 1) for line in client.jobs.tail(task.id, 65_536).splitlines() if "=" in line
        )
    assert seen["CUDA_VISIBLE_DEVICES"] == task.slices[0].device_uuid
    assert seen["CUDA_DEVICE_MEMORY_LIMIT_0"] == "8192m"
    assert seen["CUDA_DEVICE_SM_LIMIT"] == "20"
    assert not {"DATABASE_URL", "REDIS_URL", "VAST_SECRET_KEY", "VAST_TOKEN"} & seen.keys()


def test_a_device_shows_load_only_while_a_task_runs_on_it(demo: Instance) -> None:
    document = {
        "name": "burner",
        "queue": "acme/training",
        "groups": [
            {"command": ["sleep", "60"], "request": {"devices": 1, "selector": [{"vendor": "cambricon"}]}}
        ],
    }
    with demo.client() as client:
        job = client.jobs.submit(document)
        eventually(lambda: client.jobs.get(job.id).state == "running")
        device = client.jobs.tasks(job.id)[0].slices[0].device

        def load() -> float:
            live = client.devices.get(device).live
            return (live.util_pct or 0) if live else 0

        eventually(lambda: load() > 50)
        client.jobs.cancel(job.id)
        eventually(lambda: client.jobs.get(job.id).state == "cancelled")
        eventually(lambda: load() < 5)


def test_a_hundred_small_slices_fit_on_one_card_and_the_next_one_waits_saying_why(demo: Instance) -> None:
    with demo.client() as client:
        empty = [d for d in client.devices.list(vendor="nvidia", mode="empty") if d.memory_mib == 81_920]
        card = empty[0]
        # Only one card of the site may be used: the others of its model are cordoned for the test.
        others = [d for d in client.devices.list(model=card.model) if d.id != card.id]
        headers = {"Authorization": f"Bearer {demo.token}"}
        with httpx.Client(base_url=demo.url, headers=headers) as http:
            for device in others:
                http.patch(f"/api/v1/devices/{device.id}/", json={"cordoned": True}).raise_for_status()
            try:
                group = {
                    "simulate": {"seconds": 300},
                    "request": {"cores": 1, "memory_mib": 512, "selector": [{"model": card.model}]},
                }
                document = {"name": "tiny", "queue": "demo/serving", "array": 100, "groups": [group]}
                first = client.jobs.submit(document)
                jobs = list(client.jobs.array(first))
                eventually(
                    lambda: all(j.state == "running" for j in client.jobs.list(array=first.array.id)),
                    within_s=60,
                )
                assert client.devices.get(card.id).slices_used == 100
                extra = client.jobs.submit({**document, "name": "one-more", "array": 1})
                reason = eventually(
                    lambda: (
                        (r := client.jobs.get(extra.id).reason) and r.code == "INSUFFICIENT_RESOURCES" and r
                    )
                )
                codes = {item["code"] for item in reason.evidence}
                assert {"DEVICE_CORES_SHORT", "SLICE_SLOTS_FULL"} <= codes
                client.jobs.cancel(extra.id)
                for job in jobs:
                    client.jobs.cancel(job.id)
                eventually(lambda: client.devices.get(card.id).slices_used == 0, within_s=60)
            finally:
                for device in others:
                    http.patch(f"/api/v1/devices/{device.id}/", json={"cordoned": False})


def test_two_gangs_that_need_more_than_half_never_deadlock(demo: Instance) -> None:
    with demo.client() as client:
        cards = [d for d in client.devices.list(vendor="mthreads") if d.mode == "empty"]
        size = len(cards) // 2 + 1
        group = {
            "replicas": size,
            "simulate": {"seconds": 3},
            "request": {"devices": 1, "selector": [{"vendor": "mthreads"}]},
        }
        jobs = [
            client.jobs.submit({"name": f"half-{n}", "queue": "acme/training", "groups": [group]})
            for n in (1, 2)
        ]
        seen = set()

        def both_done() -> bool:
            states = [client.jobs.get(job.id) for job in jobs]
            seen.update(tuple(sorted(job.tasks)) for job in states if job.state == "pending")
            return all(job.state == "succeeded" for job in states)

        eventually(both_done, within_s=60)
        # The one that waited held nothing: all of its tasks were pending.
        assert seen <= {("pending",)}
