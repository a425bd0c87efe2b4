"""The ``vast`` command: the client's commands, and the server's where that part is installed."""

from __future__ import annotations

from importlib import import_module

from vast.client.commands import build_app, extras


def main() -> None:
    """Run the command line; the exit code is the process's."""
    try:
        commands = import_module("vast.runtime.commands")
    except ModuleNotFoundError as error:
        build_app(absent=extras.advice(error))()
        return
    app = build_app()
    commands.register(app)
    app()


if __name__ == "__main__":
    main()
