from __future__ import annotations

import asyncio

from bench.agents import simulate_agents
from tests.agent.fake_server import TOKEN, Vast


async def test_the_load_generator_connects_every_node_and_sends_readings(vast: Vast) -> None:
    load = await asyncio.to_thread(simulate_agents, vast.url, TOKEN, nodes=5, devices=3, seconds=2.5)
    assert load.connected == 5
    assert load.readings >= 5
    assert sorted(vast.nodes) == [f"bench-0000{number}" for number in range(5)]
    hello = vast.nodes["bench-00000"].of("hello")[0]
    assert len(hello["inventory"]["devices"]) == 3
