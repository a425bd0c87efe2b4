"""The client: one object per server, with one part for each kind of thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

from vast.client.connection import find
from vast.client.decode import decode
from vast.client.errors import VastError
from vast.client.jobs import UUID_FORM, Jobs
from vast.client.models import Device, Node, Overview, Pool, Queue, User
from vast.client.transport import Transport


class Client:
    """Talks to one VAST server.

    Without arguments the server is found as ``vast.client.connection.find`` says: VAST_URL and VAST_TOKEN,
    then ``vast login``, then the instance that runs on this machine. ``timeout_s`` bounds one request,
    ``retry_for_s`` the repeating of one that may be repeated; ``on_retry`` is told of each repetition.

    Raises NotConfigured when no server is known. Every call raises VastError, or its child Unreachable.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout_s: float = 30.0,
        retry_for_s: float = 20.0,
        on_retry: Callable[[VastError], None] | None = None,
    ) -> None:
        self.connection = find(url, token)
        self._transport = Transport(
            self.connection, timeout_s=timeout_s, retry_for_s=retry_for_s, on_retry=on_retry
        )
        self.jobs = Jobs(self._transport)
        self.nodes = Nodes(self._transport)
        self.devices = Devices(self._transport)
        self.queues = Queues(self._transport)
        self.pools = Pools(self._transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def me(self) -> User:
        """Who the token belongs to."""
        return decode(User, self._transport.get("me/"))

    def overview(self) -> Overview:
        return decode(Overview, self._transport.get("overview/"))


class _Part:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport


class Nodes(_Part):
    def list(self, **filters: Any) -> Iterator[Node]:
        """Filters: pool, state, vendor, search, ordering."""
        return (decode(Node, item) for item in self._transport.pages("nodes/", _page(filters)))

    def get(self, node_id: str) -> Node:
        return decode(Node, self._transport.get(f"nodes/{node_id}/"))

    def find(self, reference: str) -> Node:
        """The node with this id or name. Raises VastError: 404 none, 409 one in each of several clusters."""
        found = [node for node in self.list(search=reference) if reference in (node.name, node.id)]
        if len(found) == 1:
            return found[0]
        if UUID_FORM.fullmatch(reference):
            return self.get(reference)
        if found:
            ids = ", ".join(f"{node.id} in {node.cluster.name if node.cluster else '?'}" for node in found)
            raise VastError(
                f"{reference} is several nodes; say which by id: {ids}", status=409, code="ambiguous"
            )
        raise VastError(f"no such node: {reference}", status=404, code="not_found")

    def cordon(self, node_id: str, cordoned: bool = True) -> Node:
        """Keep new tasks off the node (or let them on again); what runs goes on."""
        return decode(
            Node,
            self._transport.call("PATCH", f"nodes/{node_id}/", json={"cordoned": cordoned}, repeatable=True),
        )

    def uncordon(self, node_id: str) -> Node:
        return self.cordon(node_id, cordoned=False)


class Devices(_Part):
    def list(self, **filters: Any) -> Iterator[Device]:
        """Filters: vendor, model, node, pool, mode, health, search, ordering."""
        return (decode(Device, item) for item in self._transport.pages("devices/", _page(filters)))

    def get(self, device_id: str) -> Device:
        return decode(Device, self._transport.get(f"devices/{device_id}/"))


class Queues(_Part):
    def list(self, **filters: Any) -> Iterator[Queue]:
        return (decode(Queue, item) for item in self._transport.pages("queues/", _page(filters)))

    def tree(self) -> Iterator[Queue]:
        """Parents before their children, depth first; ``depth`` says how deep."""
        return self.list(tree=1)

    def get(self, queue_id: str) -> Queue:
        return decode(Queue, self._transport.get(f"queues/{queue_id}/"))


class Pools(_Part):
    def list(self, **filters: Any) -> Iterator[Pool]:
        return (decode(Pool, item) for item in self._transport.pages("pools/", _page(filters)))


def _page(filters: Mapping[str, Any]) -> dict[str, Any]:
    return {"page_size": 200, **filters}
