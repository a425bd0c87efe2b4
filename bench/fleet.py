"""A thousand nodes of eight devices that report every two seconds, watched by fifty dashboards."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil
from websockets.asyncio.client import connect

from bench.report import Row, percentile
from tests.product.instance import Instance, running

NODES, DEVICES, VIEWERS, SECONDS = 1000, 8, 50, 40
TIMED_DEVICES = 40


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", "--no-agents") as instance:
        load = _start_agents(instance, Path(folder))
        devices = _wait_for_devices(instance)
        time.sleep(5)
        server = _Servers(instance)
        delays, received = asyncio.run(_watch(instance, devices))
        cpu = server.cpu()
        memory = server.memory_mib()
        agents = json.loads(load.communicate(timeout=120)[0])
    title = f"{NODES} agents x {DEVICES} devices every 2 s, {VIEWERS} dashboards"
    return [
        {"name": f"{title}: agents connected", "value": agents["connected"], "unit": "agents"},
        {"name": "readings sent", "value": agents["readings_per_s"], "unit": "messages/s"},
        {"name": "CPU of web", "value": cpu["web"], "unit": "% of a core"},
        {"name": "CPU of all server processes", "value": round(sum(cpu.values()), 1), "unit": "% of a core"},
        {"name": "memory of web", "value": memory["web"], "unit": "MiB"},
        {"name": "memory of all server processes", "value": round(sum(memory.values())), "unit": "MiB"},
        {
            "name": "reading on the agent to frame at a dashboard: p50",
            "value": round(percentile(delays, 50), 3),
            "unit": "s",
        },
        {
            "name": "reading on the agent to frame at a dashboard: p99",
            "value": round(percentile(delays, 99), 3),
            "unit": "s",
        },
        {
            "name": "received by each dashboard",
            "value": round(received / VIEWERS / SECONDS / 1024, 1),
            "unit": "KiB/s",
        },
    ]


def _start_agents(instance: Instance, folder: Path) -> subprocess.Popen[bytes]:
    headers = {"Authorization": f"Bearer {instance.token}"}
    made = httpx.post(f"{instance.url}/api/v1/enrolment-tokens/", json={"name": "bench"}, headers=headers)
    made.raise_for_status()
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(made.json()["token"])
    command = [
        sys.executable, "-m", "bench.agents", "--server", instance.url, "--token-file", str(token),
        "--nodes", str(NODES), "--devices", str(DEVICES), "--seconds", str(SECONDS + 25),
    ]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def _wait_for_devices(instance: Instance) -> list[str]:
    deadline = time.monotonic() + 180
    with httpx.Client(
        base_url=instance.url, headers={"Authorization": f"Bearer {instance.token}"}, timeout=60
    ) as http:
        while time.monotonic() < deadline:
            totals = http.get("/api/v1/overview/").json()["totals"]
            if totals["devices_reporting"] >= NODES * DEVICES:
                page = http.get("/api/v1/devices/", params={"page_size": TIMED_DEVICES}).json()
                return [device["id"] for device in page["results"]]
            time.sleep(1)
    raise TimeoutError(f"{totals['devices_reporting']} of {NODES * DEVICES} devices report")


class _Servers:
    """CPU and memory of the server's processes; the supervisor counts as one of them."""

    def __init__(self, instance: Instance) -> None:
        self._processes = {name: found for name, found in instance.processes().items() if name != "agent"}
        self._processes["supervisor"] = [psutil.Process(instance.process.pid)]
        self._began, self._before = time.monotonic(), self._seconds()

    def _seconds(self) -> dict[str, float]:
        return {
            name: sum(sum(p.cpu_times()[:2]) for p in found if p.is_running())
            for name, found in self._processes.items()
        }

    def cpu(self) -> dict[str, float]:
        """Percent of one core since this object was made."""
        took, now = time.monotonic() - self._began, self._seconds()
        return {name: round(100 * (now[name] - before) / took, 1) for name, before in self._before.items()}

    def memory_mib(self) -> dict[str, float]:
        """Unique memory: PostgreSQL's processes share most of theirs."""
        return {
            name: round(sum(p.memory_full_info().uss for p in found if p.is_running()) / 2**20)
            for name, found in self._processes.items()
        }


async def _watch(instance: Instance, devices: list[str]) -> tuple[list[float], int]:
    """Seconds from reading to frame for some devices, and bytes received by all ordinary dashboards."""
    url = f"ws://127.0.0.1:{instance.port}/ws/live/"
    headers = {"Authorization": f"Bearer {instance.token}"}
    delays: list[float] = []
    received = 0

    async def dashboard() -> None:
        nonlocal received
        async with connect(url, additional_headers=headers, compression=None, proxy=None) as socket:
            await socket.send(json.dumps({"subscribe": ["overview", "nodes"]}))
            async for frame in socket:
                received += len(frame)

    async def timed() -> None:
        async with connect(url, additional_headers=headers, compression=None, proxy=None) as socket:
            await socket.send(json.dumps({"subscribe": [f"device:{device}" for device in devices]}))
            async for frame in socket:
                message = json.loads(frame)
                if message["type"] == "devices":
                    delays.extend(time.time() - row[5] for row in message["devices"])

    tasks = [asyncio.create_task(dashboard()) for _ in range(VIEWERS)] + [asyncio.create_task(timed())]
    await asyncio.sleep(SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return delays, received
