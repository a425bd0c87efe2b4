"""``VAST_HOME``: the folder that holds everything of one local instance.

connection.json     where the instance runs; read by the command line
lock                held by the supervisor for its life
secret-key          signs sessions
postgres/ redis/    data and password of the embedded servers
agents/ beat/ logs/ run/
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vast.runtime.errors import StartError
from vast.runtime.files import private_folder, secret, write_private

# A folder with one of these in it is ours, so its mode may be tightened.
_OWN_MARKS = ("secret-key", "connection.json", "cli.json")


class Home:
    """One instance's folder. Making the object touches nothing; ``prepare`` does."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def from_environment(cls) -> Home:
        """``VAST_HOME``, or ``~/.vast``."""
        return cls(Path(os.environ.get("VAST_HOME") or "~/.vast").expanduser().absolute())

    def prepare(self) -> None:
        """Create the folder, or check that it is safe to use. Raises StartError."""
        try:
            self._make_private()
        except OSError as error:
            raise StartError(f"VAST_HOME {self.path} cannot be used: {error.strerror}") from error

    def _make_private(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise StartError(f"VAST_HOME {self.path} is not a folder")
        # Tightening the mode of a folder that others use (VAST_HOME=/tmp) would break it for them.
        if self.path.is_dir() and self.path.stat().st_mode & 0o077:
            names = {entry.name for entry in self.path.iterdir()}
            if names and not names.intersection(_OWN_MARKS):
                raise StartError(
                    f"VAST_HOME {self.path} holds other files and is open to other users; "
                    "name a folder that does not exist yet"
                )
        private_folder(self.path)

    def folder(self, *names: str) -> Path:
        """A folder below the home, made with mode 700 all the way down from the home."""
        path = self.path
        for name in names:
            path = private_folder(path / name)
        return path

    def secret_key(self) -> str:
        return secret(self.path / "secret-key", 48)

    def read_connection(self) -> dict[str, Any]:
        """What the running (or last) instance wrote; empty when there was none or the file is damaged."""
        try:
            found = json.loads((self.path / "connection.json").read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write_connection(self, **fields: Any) -> None:
        """Replace the connection file: url, token, pid, and the servers' URLs while they run."""
        write_private(self.path / "connection.json", json.dumps(fields, indent=2) + "\n")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the home for as long as the context lasts. Raises StartError when another process does.

        The kernel gives the lock back when this process ends in any way, so a kill -9 leaves nothing stale.
        """
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StartError(self._who_runs(descriptor)) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(descriptor)

    def _who_runs(self, descriptor: int) -> str:
        pid = os.pread(descriptor, 32, 0).decode().strip()
        connection = self.read_connection()
        # While the other instance still starts, the file is the one of the run before it.
        is_current = str(connection.get("pid")) == pid and "url" in connection
        where = f" at {connection['url']}" if is_current else ""
        return (
            f"VAST already runs{where} (process {pid or 'unknown'}, VAST_HOME {self.path}). "
            "Stop it with Ctrl-C in its window, or set VAST_HOME to run a second instance."
        )
