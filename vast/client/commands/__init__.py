"""The ``vast`` commands that talk to a server.

Modules here import at start-up, so at their top they load nothing heavy: no HTTP library, no rich.
"""

from vast.client.commands.app import build_app

__all__ = ["build_app"]
