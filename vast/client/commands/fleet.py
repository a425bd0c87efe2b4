"""Fleet files: descriptions of simulated nodes. These commands need no server."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from vast.client.commands.exits import BAD_INPUT
from vast.client.commands.server import note

app = typer.Typer(help="Fleet files, which describe simulated nodes.", no_args_is_help=True)


@app.command()
def generate(
    cards: Annotated[int, typer.Option(min=1, help="Devices in all.")] = 1000,
    cards_per_node: Annotated[int, typer.Option(min=1, help="Devices of a node.")] = 8,
    vendors: Annotated[
        str, typer.Option(help="Comma-separated; the nodes are shared out among them.")
    ] = "nvidia",
    target: Annotated[Path, typer.Option("-o", "--output", help="Where to write it; - for stdout.")] = Path(
        "-"
    ),
) -> None:
    """Write a fleet file of any size."""
    generator = import_module("vast.inventory.fleet_generate")
    try:
        text = generator.generate(
            cards=cards,
            cards_per_node=cards_per_node,
            vendors=[name.strip() for name in vendors.split(",") if name.strip()],
        )
    except (ValueError, LookupError) as error:
        raise typer.BadParameter(str(error)) from error
    if str(target) == "-":
        typer.echo(text, nl=False)
        return
    target.write_text(text, encoding="utf-8")
    note(f"wrote {target}: {cards} devices, {cards_per_node} a node")


@app.command()
def check(path: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False)]) -> None:
    """Check a fleet file; exit code 2 and the name of the field when something is wrong with it."""
    fleet = import_module("vast.inventory.fleet")

    try:
        found = fleet.load(path)
    except ValueError as error:
        note(f"error: {error}")
        raise typer.Exit(BAD_INPUT) from error
    devices = sum(len(node.inventory()["devices"]) for node in found.nodes)
    typer.echo(f"{path}: {len(found.nodes)} nodes with {devices} devices, no errors")
