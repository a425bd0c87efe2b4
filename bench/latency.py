"""From submission to the agent's first report of a started process, on the demo site at a steady rate."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from bench.report import Row, percentile
from tests.product.instance import Instance, running

RATE_PER_S = 20
JOBS = 400
DOCUMENT = {
    "name": "latency", "queue": "demo/serving",
    "groups": [{"command": ["sleep", "1"], "request": {"cores": 5, "memory_mib": 512}}],
}  # fmt: skip


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", "--demo") as instance:
        time.sleep(3)
        sent, answers = _submit(instance)
        measured = list(_delays(instance, sent))
    title = f"submit to running, {RATE_PER_S} jobs/s, {JOBS} jobs"
    return [
        {"name": f"{title}: p50", "value": round(percentile(measured, 50), 3), "unit": "s"},
        {"name": f"{title}: p99", "value": round(percentile(measured, 99), 3), "unit": "s"},
        {
            "name": "answer to POST /jobs/: p50",
            "value": round(percentile(answers, 50) * 1000, 1),
            "unit": "ms",
        },
        {
            "name": "answer to POST /jobs/: p99",
            "value": round(percentile(answers, 99) * 1000, 1),
            "unit": "ms",
        },
    ]


def _submit(instance: Instance) -> tuple[dict[str, float], list[float]]:
    """Job ids with the Unix time at which each request was sent, and how long each answer took."""
    sent: dict[str, float] = {}
    answers: list[float] = []
    headers = {"Authorization": f"Bearer {instance.token}"}
    with httpx.Client(base_url=instance.url, headers=headers, timeout=30) as http:

        def one(number: int) -> None:
            at = time.time()
            answer = http.post("/api/v1/jobs/", json={**DOCUMENT, "name": f"latency-{number}"})
            answer.raise_for_status()
            answers.append(time.time() - at)
            sent[answer.json()["id"]] = at

        with ThreadPoolExecutor(16) as threads:
            began = time.monotonic()
            for number in range(JOBS):
                time.sleep(max(0.0, began + number / RATE_PER_S - time.monotonic()))
                threads.submit(one, number)
    return sent, answers


def _delays(instance: Instance, sent: dict[str, float]) -> Iterator[float]:
    """By the server's own note of when it took in the first report of the started process."""
    time.sleep(5)
    with instance.client() as client:
        for job in client.jobs.list(search="latency-", page_size=500):
            if job.id in sent:
                if job.started_at is None:
                    raise RuntimeError(f"{job.name} never started: {job.state} {job.reason}")
                yield job.started_at.timestamp() - sent[job.id]
