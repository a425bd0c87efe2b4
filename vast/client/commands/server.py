"""The connection a command works with."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING

import typer

from vast.client.errors import VastError

if TYPE_CHECKING:
    from vast.client.client import Client


# Long enough for a restart of the web process, short enough for a person who mistyped the address.
RETRY_S = 8.0
REMIND_S = 15.0


def connect(ctx: typer.Context) -> Client:
    """A client for the server that the user means."""
    from vast.client.client import Client

    url: str | None = ctx.find_root().obj
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client = Client(url, retry_for_s=RETRY_S, on_retry=_Away())
    for warning in caught:
        note(f"warning: {warning.message}")
    return client


class _Away:
    """Says that the server is away: once, and again when that lasts."""

    def __init__(self) -> None:
        self._said_at = float("-inf")

    def __call__(self, error: VastError) -> None:
        if time.monotonic() - self._said_at > REMIND_S:
            self._said_at = time.monotonic()
            note(f"note: {error.detail}; trying again")


def note(text: str) -> None:
    """A line for the person, not for the pipe."""
    typer.echo(text, err=True)
    sys.stderr.flush()
