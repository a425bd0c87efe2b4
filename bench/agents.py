"""A thousand agents in one process, as a load on a server. ``python -m bench.agents --help``.

Real agents: they enrol, connect, report their inventory and send readings as ``vast-agent`` does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from vast.agent.host import Host, Settings
from vast.agent.nodes import NodeSpec
from vast.inventory.fleet import parse

LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Load:
    """What the agents did and cost. ``cpu_pct`` in percent of one core, over the time after all were connected."""

    nodes: int
    devices: int
    connected: int
    connect_s: float
    seconds: float
    readings: int
    readings_per_s: float
    device_samples_per_s: float
    cpu_pct: float
    connect_cpu_s: float
    rss_mib: float


def simulate_agents(
    url: str,
    token: str,
    nodes: int = 1000,
    devices: int = 8,
    seconds: float = 30.0,
    *,
    cluster: str = "bench",
    pool: str = "bench",
    connect_within_s: float = 120.0,
) -> Load:
    """Enrol and connect so many nodes, let them report for ``seconds``, and end them. Blocks.

    Call it in a process of its own when the figures of CPU and memory are to be only the agents'.
    """
    with tempfile.TemporaryDirectory(prefix="vast-bench-agents-") as folder:
        token_file = Path(folder) / "token"
        token_file.touch(mode=0o600)
        token_file.write_text(token)
        settings = Settings(server=url.rstrip("/"), state=Path(folder) / "state", token_file=token_file)
        host = Host(settings, _specs(nodes, devices, cluster, pool))
        return asyncio.run(_measure(host, nodes, devices, seconds, connect_within_s))


async def _measure(host: Host, nodes: int, devices: int, seconds: float, connect_within_s: float) -> Load:
    began, cpu_before = time.monotonic(), _cpu_s()
    running = asyncio.create_task(host.run())
    while _connected(host) < nodes and time.monotonic() < began + connect_within_s and not running.done():
        await asyncio.sleep(LOOK_S)
    if running.done():
        await running
    connect_s, connected = time.monotonic() - began, _connected(host)
    connect_cpu_s = _cpu_s() - cpu_before
    sent, cpu, at = _sent(host), _cpu_s(), time.monotonic()
    await asyncio.sleep(seconds)
    sent, cpu, took = _sent(host) - sent, _cpu_s() - cpu, time.monotonic() - at
    rss = psutil.Process().memory_info().rss / 2**20
    host.stop()
    await running
    return Load(
        nodes=nodes,
        devices=devices,
        connected=connected,
        connect_s=round(connect_s, 2),
        seconds=round(took, 2),
        readings=sent,
        readings_per_s=round(sent / took, 1),
        device_samples_per_s=round(sent * devices / took, 1),
        cpu_pct=round(100 * cpu / took, 1),
        connect_cpu_s=round(connect_cpu_s, 2),
        rss_mib=round(rss, 1),
    )


def _specs(nodes: int, devices: int, cluster: str, pool: str) -> list[NodeSpec]:
    fleet = parse(
        json.dumps(
            {
                "name": cluster,
                "pool": pool,
                "nodes": [
                    {
                        "name": "bench-{i:05d}",
                        "count": nodes,
                        "devices": [{"vendor": "nvidia", "model": "A100-SXM4-80GB", "count": devices}],
                    }
                ],
            }
        )
    )
    return [NodeSpec(node.name, cluster, pool, node.inventory()) for node in fleet.nodes]


def _connected(host: Host) -> int:
    return sum(node.welcomed for node in host.nodes)


def _sent(host: Host) -> int:
    return sum(node.readings_sent for node in host.nodes)


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Put the load of many agents on a server.")
    parser.add_argument("--server", required=True, metavar="URL")
    parser.add_argument("--token-file", required=True, type=Path, metavar="FILE")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args(arguments)
    token = options.token_file.read_text().strip()
    load = simulate_agents(options.server, token, options.nodes, options.devices, options.seconds)
    print(json.dumps(asdict(load), indent=2))


if __name__ == "__main__":
    main()
