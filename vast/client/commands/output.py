"""Results as a table, JSON, YAML or names."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar

import typer

from vast.client.models import Record

R = TypeVar("R", bound=Record)

STATE_COLOURS = {
    "succeeded": "green",
    "ready": "green",
    "healthy": "green",
    "open": "green",
    "running": "cyan",
    "starting": "cyan",
    "pending": "yellow",
    "held": "yellow",
    "blocked": "yellow",
    "stopping": "yellow",
    "failed": "red",
    "unreachable": "red",
    "unhealthy": "red",
    "cancelled": "magenta",
}


class Format(StrEnum):
    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    NAME = "name"


Output = Annotated[Format, typer.Option("--output", "-o", help="How to print the result.")]


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    title: str
    value: Callable[[R], object]
    wide: bool = False


def print_list(
    records: Iterable[R], columns: Sequence[Column[R]], output: Format, name: Callable[[R], str]
) -> None:
    """Many records. ``name`` is what ``-o name`` prints for each."""
    rows = list(records)
    if output in (Format.JSON, Format.YAML):
        _print_data([dict(row.raw) for row in rows], output)
    elif output is Format.NAME:
        for row in rows:
            typer.echo(name(row))
    else:
        shown = [column for column in columns if output is Format.WIDE or not column.wide]
        cells = [[text(column.value(row)) for column in shown] for row in rows]
        print_table([column.title for column in shown], cells)


def print_one(record: R, columns: Sequence[Column[R]], output: Format, name: Callable[[R], str]) -> None:
    """One record; as a table: a line for each of its columns."""
    if output in (Format.JSON, Format.YAML):
        _print_data(dict(record.raw), output)
    elif output is Format.NAME:
        typer.echo(name(record))
    else:
        width = max(len(column.title) for column in columns)
        for column in columns:
            typer.echo(f"{column.title.lower():{width}}  {text(column.value(record))}")


def print_table(titles: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    """A rich table for a person; plain aligned columns, never cut, for a pipe."""
    if not sys.stdout.isatty():
        widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
        for line in (titles, *cells):
            padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            typer.echo("  ".join(padded).rstrip())
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, *column in zip(titles, *cells, strict=True):
        # A cut or folded id cannot be copied, so the other columns give way.
        whole = max(map(len, column), default=0) if title == "ID" else None
        table.add_column(title, overflow="fold", no_wrap=title in ("ID", "NAME", "STATE"), min_width=whole)
    for line in cells:
        table.add_row(*(Text(cell, style=STATE_COLOURS.get(cell, "")) for cell in line))
    Console().print(table)


def text(value: object) -> str:
    """A cell. None, which means "not known", is a dash and never looks like 0."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(value)


def age(since: datetime | None, until: datetime | None = None) -> str | None:
    """A time span in its two largest units: ``42s``, ``3m10s``, ``5h2m``, ``3d4h``."""
    if since is None:
        return None
    seconds = max(0, int(((until or datetime.now(UTC)) - since).total_seconds()))
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60}s"
    if seconds < 86400:
        return f"{seconds // 3600}h{seconds % 3600 // 60}m"
    return f"{seconds // 86400}d{seconds % 86400 // 3600}h"


def cards(milli_by_class: Any) -> str:
    """Milli-cards by device class in cards: ``nvidia-80g 2.5``."""
    return ", ".join(f"{name} {milli / 1000:g}" for name, milli in sorted(milli_by_class.items()) if milli)


def _print_data(data: object, output: Format) -> None:
    if output is Format.JSON:
        typer.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return
    import yaml

    typer.echo(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), nl=False)
