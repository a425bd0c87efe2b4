"""The commands that run VAST itself. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vast.runtime import scheduler_commands, vendor_commands
from vast.runtime.local import use_local_instance


def register(app: typer.Typer) -> None:
    """Add ``up``, ``scheduler`` and ``manage`` to the command line."""
    app.command("up")(up)
    app.add_typer(scheduler_commands.app, name="scheduler")
    app.add_typer(vendor_commands.app, name="vendors")
    app.command(
        "manage",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )(manage)


def up(
    demo: Annotated[
        bool, typer.Option("--demo", help="Simulate a site of eight vendors, with tenants, queues and jobs.")
    ] = False,
    host: Annotated[str, typer.Option(envvar="VAST_HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            envvar="VAST_PORT",
            min=1,
            max=65535,
            help="Port to listen on. [default: 8400 or the next free]",
        ),
    ] = None,
    fleet: Annotated[
        Path | None, typer.Option(help="Simulate the nodes of this file instead of using this machine.")
    ] = None,
    no_agents: Annotated[
        bool, typer.Option("--no-agents", help="Start no node agent: the nodes are elsewhere.")
    ] = False,
) -> None:
    """Run all of VAST on this machine until Ctrl-C."""
    from vast.runtime import up as runtime

    options = runtime.UpOptions(demo=demo, host=host, port=port, fleet=fleet, agents=not no_agents)
    raise typer.Exit(runtime.up(options))


def manage(context: typer.Context) -> None:
    """Run a management command on the database (`vast manage help` lists them)."""
    use_local_instance()
    from django.core.management import execute_from_command_line

    execute_from_command_line(["vast manage", *context.args])
