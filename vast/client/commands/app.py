"""The command tree, and the one place where errors become messages and exit codes."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperGroup

from vast.client.commands import account, exits, extras, fleet, job, pool
from vast.client.errors import VastError


class Root(TyperGroup):
    """``absent`` says why the server's commands are not there, when they are not."""

    absent: ClassVar[str] = ""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except VastError as error:
            for line in exits.lines_of(error):
                typer.echo(line, err=True)
            raise typer.Exit(exits.code_of(error)) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(exits.INTERRUPTED) from error
        except ModuleNotFoundError as error:
            typer.echo(f"error: {extras.advice(error)}", err=True)
            raise typer.Exit(exits.FAILED) from error

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is None and self.absent:
            ctx.fail(f"no command {cmd_name!r} here. If it is one of the server's: {self.absent}")
        return found


def build_app(absent: str = "") -> typer.Typer:
    """The client's commands. ``absent``: why others cannot be added, shown in the help and on their use."""
    app = typer.Typer(
        name="vast",
        cls=type("Root", (Root,), {"absent": absent}),
        help="VAST: pools AI accelerators, cuts them into vGPUs, gives them to tenants by queues and quotas.",
        epilog=f"Not here: the server's commands; {absent}" if absent else None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    app.add_typer(job.app, name="job")
    app.add_typer(pool.node_app, name="node")
    app.add_typer(pool.device_app, name="device")
    app.add_typer(pool.queue_app, name="queue")
    app.add_typer(pool.pool_app, name="pool")
    app.add_typer(fleet.app, name="fleet")
    app.command("overview")(pool.overview)
    app.command("whoami")(account.whoami)
    app.command("login")(account.login)
    app.command("logout")(account.logout)
    app.command("version")(account.version)
    return app


def _root(
    ctx: typer.Context,
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="The server (else VAST_URL, `vast login`, local)."),
    ] = None,
) -> None:
    ctx.obj = url
