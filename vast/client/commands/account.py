"""Signing in and out, and who one is."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from vast.client.commands.output import Column, Format, Output, print_one
from vast.client.commands.server import connect, note
from vast.client.models import User


def login(
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="The server's address.", prompt="Server URL")
    ],
) -> None:
    """Keep a server's address and your API token for later commands.

    The token is asked for, or read from standard input when that is not a terminal, or taken from VAST_TOKEN.
    It is never an argument: other users of the machine could read it there. Make one in the console under
    your name > API tokens.
    """
    from vast.client.client import Client
    from vast.client.connection import store_login

    token = os.environ.get("VAST_TOKEN") or _read_token()
    if not token:
        raise typer.BadParameter("no token given")
    with Client(url, token, retry_for_s=3.0) as client:
        user = client.me()
    path = store_login(url, token)
    typer.echo(f"signed in to {url.rstrip('/')} as {user.username} (kept in {path})")


def logout() -> None:
    """Forget what `vast login` kept. The token itself stays valid until it is revoked in the console."""
    from vast.client.connection import forget_login

    typer.echo("signed out" if forget_login() else "was not signed in")


def whoami(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """Which user of which server these commands act as."""
    with connect(ctx) as client:
        user = client.me()
        connection = client.connection
    tenants = ", ".join(f"{item['name']} ({item['role']})" for item in user.raw.get("tenants") or ())
    columns: list[Column[User]] = [
        Column("USER", lambda item: item.username),
        Column("NAME", lambda item: item.display_name),
        Column("ADMIN", lambda item: item.is_admin),
        Column("TENANTS", lambda item: tenants),
        Column("SERVER", lambda item: connection.url),
        Column("FOUND IN", lambda item: connection.source),
    ]
    print_one(user, columns, output, lambda item: item.username)


def version() -> None:
    """The version of this client."""
    from importlib.metadata import version as installed

    typer.echo(f"vast {installed('vast')}")


def _read_token() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("API token", hide_input=True)).strip()
    note("reading the token from standard input")
    return sys.stdin.readline().strip()
