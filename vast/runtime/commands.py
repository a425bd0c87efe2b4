"""The commands that run VAST itself. Everything heavy is imported by the command that needs it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add ``up``, ``scheduler`` and ``manage`` to the command line."""
    app.command("up")(up)
    app.command("scheduler")(scheduler)
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


def scheduler() -> None:
    """Run the scheduler: the process that decides where pending jobs go. `vast up` starts one."""
    _use_local_instance()
    import django

    django.setup()
    from vast.allocation.loop import run

    run()


def manage(context: typer.Context) -> None:
    """Run a management command on the database (`vast manage help` lists them)."""
    _use_local_instance()
    from django.core.management import execute_from_command_line

    execute_from_command_line(["vast manage", *context.args])


def _use_local_instance() -> None:
    """Point Django at the instance that runs in VAST_HOME, unless the environment names the servers."""
    from vast.runtime.home import Home

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vast.config.settings")
    home = Home.from_environment()
    connection = home.read_connection()
    for variable, field in (("DATABASE_URL", "database_url"), ("REDIS_URL", "redis_url")):
        if connection.get(field):
            os.environ.setdefault(variable, str(connection[field]))
    if "VAST_SECRET_KEY" not in os.environ and (home.path / "secret-key").is_file():
        os.environ["VAST_SECRET_KEY"] = home.secret_key()
