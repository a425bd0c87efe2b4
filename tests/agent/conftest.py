from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agent.agents import AgentProcess, agent_process
from tests.agent.fake_server import FakeNode, Vast, fake_vast


@pytest.fixture
async def vast() -> AsyncIterator[Vast]:
    async with fake_vast() as server:
        yield server


@pytest.fixture
async def agent(vast: Vast, tmp_path: Path) -> AsyncIterator[AgentProcess]:
    async with agent_process(vast.url, tmp_path) as process:
        yield process


@pytest.fixture
async def node(vast: Vast, agent: AgentProcess) -> FakeNode:
    """The node lab-0 of a running agent, which has its key from earlier: enrolling takes its time."""
    agent.keep_key("lab-0", vast.enrolled("lab-0")["key"])
    await agent.start()
    return await vast.node("lab-0")
