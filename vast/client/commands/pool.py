"""What there is: nodes, devices, queues, pools, and all of it at a glance."""

from __future__ import annotations

from typing import Annotated

import typer

from vast.client.commands.output import (
    Column,
    Format,
    Output,
    age,
    cards,
    print_list,
    print_one,
    print_table,
    text,
)
from vast.client.commands.server import connect
from vast.client.models import Device, Node, Overview, Pool, Queue, Usage

node_app = typer.Typer(help="Nodes.", no_args_is_help=True)
device_app = typer.Typer(help="Devices.", no_args_is_help=True)
queue_app = typer.Typer(help="Queues.", no_args_is_help=True)
pool_app = typer.Typer(help="Pools.", no_args_is_help=True)

NODE_COLUMNS: list[Column[Node]] = [
    Column("NAME", lambda node: node.name),
    Column("STATE", lambda node: node.state),
    Column("CORDONED", lambda node: node.cordoned),
    Column("POOL", lambda node: node.pool.name if node.pool else None),
    Column("DEVICES", lambda node: node.devices_count),
    Column("CORES GIVEN %", lambda node: node.allocated.get("cores_pct")),
    Column("LOAD %", lambda node: node.live.util_pct if node.live else None),
    Column("MEMORY MIB", lambda node: node.live.memory_used_mib if node.live else None),
    Column("CLUSTER", lambda node: node.cluster.name if node.cluster else None, wide=True),
    Column("ADDRESS", lambda node: node.address, wide=True),
    Column("SIMULATED", lambda node: node.simulated, wide=True),
    Column("AGENT", lambda node: node.agent_version, wide=True),
    Column("SEEN", lambda node: age(node.last_seen_at), wide=True),
    Column("ID", lambda node: node.id, wide=True),
]
DEVICE_COLUMNS: list[Column[Device]] = [
    Column("NODE", lambda device: device.node.name if device.node else None),
    Column("INDEX", lambda device: device.index),
    Column("VENDOR", lambda device: device.vendor),
    Column("MODEL", lambda device: device.model),
    Column("MODE", lambda device: device.mode),
    Column("SLICES", lambda device: f"{device.slices_used}/{device.max_slices}"),
    Column("CORES GIVEN %", lambda device: device.cores_allocated),
    Column("MEMORY GIVEN", lambda device: f"{device.memory_allocated_mib}/{device.memory_mib}"),
    Column("LOAD %", lambda device: device.live.util_pct if device.live else None),
    Column("HEALTH", lambda device: "cordoned" if device.cordoned else device.health),
    Column("CLASS", lambda device: device.device_class, wide=True),
    Column("TEMP C", lambda device: device.live.temperature_c if device.live else None, wide=True),
    Column("POWER W", lambda device: device.live.power_w if device.live else None, wide=True),
    Column("ID", lambda device: device.id, wide=True),
]
QUEUE_COLUMNS: list[Column[Queue]] = [
    Column("PATH", lambda queue: queue.path),
    Column("STATE", lambda queue: queue.state),
    Column("POOL", lambda queue: queue.pool.name if queue.pool else None),
    Column("PRIORITY", lambda queue: queue.priority),
    Column("RUNNING", lambda queue: queue.running_jobs),
    Column("PENDING", lambda queue: queue.pending_jobs),
    Column("HELD CARDS", lambda queue: cards(queue.held)),
    Column("GUARANTEED", lambda queue: cards({item.device_class: item.guaranteed for item in queue.quotas})),
    Column(
        "LIMIT", lambda queue: cards({item.device_class: item.limit or 0 for item in queue.quotas}), wide=True
    ),
    Column("PENDING CARDS", lambda queue: cards(queue.pending_milli), wide=True),
    Column("ID", lambda queue: queue.id, wide=True),
]
USAGE_COLUMNS: list[Column[Usage]] = [
    Column("NAME", lambda usage: usage.name or usage.vendor or "all"),
    Column("DEVICES", lambda usage: usage.devices),
    Column("REPORTING", lambda usage: usage.devices_reporting),
    Column("LOAD %", lambda usage: usage.util_pct),
    Column("CORES GIVEN %", lambda usage: usage.cores_allocated_pct),
    Column("MEMORY USED", lambda usage: usage.memory_used_mib),
    Column("MEMORY GIVEN", lambda usage: usage.memory_allocated_mib),
    Column("MEMORY MIB", lambda usage: usage.memory_mib),
    Column("POWER W", lambda usage: usage.power_w),
]

NodeName = Annotated[str, typer.Argument(metavar="NODE", help="Name or id.")]


@node_app.command("list")
def node_list(
    ctx: typer.Context,
    pool: Annotated[str | None, typer.Option(help="Only of this pool.")] = None,
    state: Annotated[str | None, typer.Option(help="ready or unreachable.")] = None,
    vendor: Annotated[str | None, typer.Option(help="Only with devices of this vendor.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """The nodes, with what is given away and what is really used."""
    with connect(ctx) as client:
        nodes = client.nodes.list(pool=pool, state=state, vendor=vendor)
        print_list(nodes, NODE_COLUMNS, output, lambda node: node.name)


@node_app.command("get")
def node_get(ctx: typer.Context, node: NodeName, output: Output = Format.TABLE) -> None:
    """One node."""
    with connect(ctx) as client:
        print_one(client.nodes.find(node), NODE_COLUMNS, output, lambda item: item.name)


@node_app.command("cordon")
def node_cordon(ctx: typer.Context, node: NodeName) -> None:
    """Let no new task onto a node. What runs there goes on."""
    with connect(ctx) as client:
        typer.echo(f"node {client.nodes.cordon(client.nodes.find(node).id).name} is cordoned")


@node_app.command("uncordon")
def node_uncordon(ctx: typer.Context, node: NodeName) -> None:
    """Let tasks onto a node again."""
    with connect(ctx) as client:
        typer.echo(f"node {client.nodes.uncordon(client.nodes.find(node).id).name} takes tasks again")


@device_app.command("list")
def device_list(
    ctx: typer.Context,
    vendor: Annotated[str | None, typer.Option(help="Only of this vendor.")] = None,
    model: Annotated[str | None, typer.Option(help="Only of this model.")] = None,
    node: Annotated[str | None, typer.Option(help="Only on this node (name or id).")] = None,
    pool: Annotated[str | None, typer.Option(help="Only of this pool.")] = None,
    mode: Annotated[str | None, typer.Option(help="empty, shared or exclusive.")] = None,
    health: Annotated[str | None, typer.Option(help="healthy, unhealthy or unknown.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """The devices, with their slices and their load."""
    with connect(ctx) as client:
        on_node = client.nodes.find(node).id if node else None
        devices = client.devices.list(
            vendor=vendor, model=model, node=on_node, pool=pool, mode=mode, health=health
        )
        print_list(devices, DEVICE_COLUMNS, output, lambda device: device.id)


@queue_app.command("list")
def queue_list(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """The queues, with what they hold and what waits in them. Cards are counted per device class."""
    with connect(ctx) as client:
        print_list(client.queues.list(), QUEUE_COLUMNS, output, lambda queue: queue.path)


@queue_app.command("tree")
def queue_tree(ctx: typer.Context) -> None:
    """The queues as the tree that they are."""
    with connect(ctx) as client:
        queues = list(client.queues.tree())
    rows = [
        [
            "  " * queue.depth + queue.name,
            queue.state,
            text(queue.running_jobs),
            text(queue.pending_jobs),
            text(cards(queue.held)),
            text(cards({item.device_class: item.guaranteed for item in queue.quotas})),
        ]
        for queue in queues
    ]
    print_table(["QUEUE", "STATE", "RUNNING", "PENDING", "HELD CARDS", "GUARANTEED"], rows)


@pool_app.command("list")
def pool_list(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """The pools."""
    columns: list[Column[Pool]] = [Column("NAME", lambda pool: pool.name), Column("ID", lambda pool: pool.id)]
    with connect(ctx) as client:
        print_list(client.pools.list(), columns, output, lambda pool: pool.name)


def overview(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """All of it at a glance: use by pool and vendor, jobs, what waits, what is sick."""
    with connect(ctx) as client:
        found = client.overview()
    if output in (Format.JSON, Format.YAML):
        nothing: list[Column[Overview]] = []
        print_one(found, nothing, output, lambda item: "overview")
        return
    totals = [found.totals] if found.totals else []
    print_list([*found.pools, *found.vendors, *totals], USAGE_COLUMNS, output, lambda usage: usage.name)
    typer.echo("")
    jobs = found.totals.jobs if found.totals else {}
    typer.echo(
        f"jobs       {', '.join(f'{count} {state}' for state, count in jobs.items() if count) or 'none'}"
    )
    waiting = found.waiting.get("jobs", 0)
    if waiting:
        typer.echo(f"waiting    {waiting}, the oldest for {found.waiting.get('oldest_s') or 0:.0f} s")
    sick = ", ".join(f"{count} {kind}" for kind, count in found.unhealthy.items() if count)
    typer.echo(f"unhealthy  {sick or 'none'}")
