"""``vast vendors``: what VAST understands of a vendor's tools, to try on an own machine's output."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="What VAST reads of the vendors' tools and annotations.", no_args_is_help=True)


@app.callback()
def vendors() -> None:
    """Try VAST's readers on what a machine prints."""


@app.command()
def parse(
    file: Annotated[Path, typer.Argument(help="What the tool printed; - reads standard input.")],
    vendor: Annotated[str, typer.Option("--vendor", help="nvidia, amd, ascend, ...")],
    command: Annotated[str, typer.Option("--command", help='What was run, such as "npu-smi info".')] = "",
) -> None:
    """Print what a tool's output tells as JSON: devices, processes, topology and more."""
    from vast.vendors.readers.base import UnreadableText
    from vast.vendors.readers.registry import read

    try:
        found = read(vendor, command, _text(file))
    except (OSError, UnreadableText) as error:
        typer.echo(f"{file}: {error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))


def _text(file: Path) -> str:
    """Tools write whatever bytes a process is named by: what is not UTF-8 is replaced."""
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    return raw.decode("utf-8-sig", errors="replace")
