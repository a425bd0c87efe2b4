"""What can go wrong before VAST runs. The text says what to do; ``vast up`` prints it and ends."""

from __future__ import annotations


class StartError(Exception):
    """VAST cannot start here. ``exit_code`` is what the command ends with."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class StopRequested(Exception):
    """Ctrl-C or SIGTERM arrived while something was being waited for."""
