"""The connection a command works with."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from vast.client.client import Client


def connect(ctx: typer.Context) -> Client:
    """A client for the server that the user means."""
    from vast.client.client import Client

    url: str | None = ctx.find_root().obj
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client = Client(url)
    for warning in caught:
        note(f"warning: {warning.message}")
    return client


def note(text: str) -> None:
    """A line for the person, not for the pipe."""
    typer.echo(text, err=True)
    sys.stderr.flush()
