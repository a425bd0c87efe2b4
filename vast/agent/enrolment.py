"""Node keys: kept in each node's state folder, and asked of the server with the enrolment token when there is
none.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

from vast.agent.nodes import NodeSpec

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)
GATHER_S = 0.05
BATCH = 100
TIMEOUT_S = 60.0
RETRY_S = (0.5, 1.5)
REFUSED_RETRY_S = (2.0, 5.0)


class EnrolmentRefused(Exception):
    """The server, or a missing token file, says no: trying again at once is pointless."""


class Enroller:
    """Hands out keys; enrols many nodes in one request."""

    def __init__(self, server: str, token_file: Path | None, state: Path) -> None:
        self._url = f"{server.rstrip('/')}/api/v1/agents/enrol/"
        self._token_file, self._state = token_file, state
        self._waiting: dict[str, tuple[NodeSpec, asyncio.Future[str]]] = {}
        self._worker: asyncio.Task[None] | None = None

    async def key_for(self, node: NodeSpec) -> str:
        """The node's key, from disk or by enrolling it. Waits for the server for ever."""
        try:
            return str(json.loads(self._file(node.name).read_bytes())["key"])
        except (FileNotFoundError, ValueError, KeyError):
            return await self.enrol(node)

    async def enrol(self, node: NodeSpec) -> str:
        """A new key; an older one of the node is void from then on."""
        if node.name not in self._waiting:
            self._waiting[node.name] = (node, asyncio.get_running_loop().create_future())
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work(), name="enrolment")
        return await asyncio.shield(self._waiting[node.name][1])

    async def close(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def _work(self) -> None:
        # Only here: loading it takes as long as all the rest, and an agent that has its keys does without.
        import httpx

        async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:
            while self._waiting:
                await asyncio.sleep(GATHER_S)
                batch = [node for node, _ in list(self._waiting.values())[:BATCH]]
                try:
                    keys = await self._ask(client, batch)
                except EnrolmentRefused as error:
                    log.error("cannot enrol %s: %s", _names(batch), error)
                    await asyncio.sleep(random.uniform(*REFUSED_RETRY_S))  # noqa: S311 - jitter
                    continue
                except (httpx.HTTPError, ValueError, KeyError) as error:
                    log.warning("cannot enrol %s yet: %r", _names(batch), error)
                    await asyncio.sleep(random.uniform(*RETRY_S))  # noqa: S311 - jitter
                    continue
                for node in batch:
                    self._save(node.name, keys[node.name])
                    self._waiting.pop(node.name)[1].set_result(keys[node.name]["key"])
                log.info("enrolled %s", _names(batch))

    async def _ask(self, client: httpx.AsyncClient, nodes: list[NodeSpec]) -> dict[str, dict[str, str]]:
        body = {
            "token": self._token(),
            "nodes": [{"name": node.name, "cluster": node.cluster, "pool": node.pool} for node in nodes],
        }
        answer = await client.post(self._url, json=body)
        if 400 <= answer.status_code < 500:
            raise EnrolmentRefused(f"the server answered {answer.status_code}: {answer.text[:500]}")
        answer.raise_for_status()
        keys = {item["name"]: item for item in answer.json()["nodes"]}
        missing = [node.name for node in nodes if "key" not in keys.get(node.name, {})]
        if missing:
            raise ValueError(f"the server's answer has no key for {', '.join(missing[:5])}")
        return keys

    def _token(self) -> str:
        if self._token_file is None:
            raise EnrolmentRefused("there is no node key and no --token-file to get one with")
        try:
            return self._token_file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise EnrolmentRefused(f"the token file cannot be read: {error}") from error

    def _file(self, node: str) -> Path:
        return self._state / node / "key.json"

    def _save(self, node: str, key: dict[str, str]) -> None:
        file = self._file(node)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = file.with_suffix(".new")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump({"id": key["id"], "key": key["key"]}, out)
            out.flush()
            os.fsync(handle)
        temporary.rename(file)


def _names(nodes: list[NodeSpec]) -> str:
    first = ", ".join(node.name for node in nodes[:3])
    return first if len(nodes) <= 3 else f"{first} and {len(nodes) - 3} more nodes"
