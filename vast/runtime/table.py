"""The table of VAST's processes on one machine: what runs, in which environment, and when it stops."""

from __future__ import annotations

import os
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from vast.runtime.child import ProcessSpec
from vast.runtime.home import Home
from vast.runtime.launch import dying_with_parent
from vast.runtime.server import EmbeddedServer

# Agents first, since they report the end of their tasks through all the rest; the databases last.
STAGE_AGENTS, STAGE_SCHEDULER, STAGE_BEAT, STAGE_WORKER, STAGE_WEB, STAGE_REDIS, STAGE_POSTGRES = range(7)

# Listening on every address includes these, by which this machine reaches itself.
_LOOPBACK_OF_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared, not bound
# Agents run the users' programs, which must not find the keys to everything in their environment.
_SERVER_SECRETS = ("DATABASE_URL", "REDIS_URL", "VAST_SECRET_KEY")


_QUIET = (
    # Celery as root: no danger when messages are JSON only, which the settings demand.
    "ignore:You're running the worker with superuser privileges",
    # uvicorn: the implementation named here is the one whose sends wait for a slow reader.
    "ignore:The `websockets` implementation is deprecated",
)


@dataclass(frozen=True)
class Instance:
    """What one run of ``vast up`` was asked for and has found out."""

    home: Home
    host: str
    port: int
    database_url: str
    redis_url: str

    @property
    def url(self) -> str:
        """Where a browser or agent on this machine reaches it."""
        host = _LOOPBACK_OF_ANY.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def environment(self) -> dict[str, str]:
        """For the server processes. Secrets travel here, since anybody can read a command line."""
        return {
            **os.environ,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "VAST_SECRET_KEY": os.environ.get("VAST_SECRET_KEY") or self.home.secret_key(),
            "VAST_HOME": str(self.home.path),
            "VAST_URL": self.url,
            "VAST_ALLOWED_HOSTS": os.environ.get("VAST_ALLOWED_HOSTS") or ",".join(allowed_hosts(self.host)),
            "PYTHONWARNINGS": ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), *_QUIET])),
            "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE") or "vast.config.settings",
            "PYTHONUNBUFFERED": "1",
        }

    def agent_environment(self) -> dict[str, str]:
        environment = self.environment()
        return {key: value for key, value in environment.items() if key not in _SERVER_SECRETS}


def allowed_hosts(host: str) -> list[str]:
    """The host names that the web process answers to when it listens on ``host``."""
    names = ["127.0.0.1", "localhost", "[::1]"]
    if host in _LOOPBACK_OF_ANY:
        names.append(socket.gethostname())
        names += [
            f"[{address.address}]" if address.family == socket.AF_INET6 else address.address
            for addresses in psutil.net_if_addrs().values()
            for address in addresses
            if address.family in {socket.AF_INET, socket.AF_INET6} and "%" not in address.address
        ]
    else:
        names.append(f"[{host}]" if ":" in host else host)
    return list(dict.fromkeys(names))


def server_process(server: EmbeddedServer) -> ProcessSpec:
    """An embedded database. It needs none of our environment, and its port stays the same over restarts."""
    return ProcessSpec(
        name=server.name,
        argv=server.command(),
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
        stage=STAGE_POSTGRES if server.name == "postgres" else STAGE_REDIS,
        stop_signal=signal.Signals[f"SIG{server.stop_signal_name}"],
        stop_timeout_s=30.0 if server.name == "postgres" else 5.0,
        hurry_timeout_s=5.0 if server.name == "postgres" else 1.0,
    )


def prepare_process(instance: Instance, *, demo: bool) -> ProcessSpec:
    """The command that makes the tables and first rows, and ends."""
    options = ["--demo"] if demo else []
    return _python(instance, "prepare", STAGE_WORKER, "-m", "vast.runtime.prepare", *options)


def server_processes(instance: Instance) -> list[ProcessSpec]:
    """Web first, then worker, beat and scheduler."""
    celery = ("-m", "celery", "--quiet", "-A", "vast.config.celery")
    beat_file = instance.home.folder("beat") / "schedule"
    return [
        _python(
            instance, "web", STAGE_WEB,
            "-m", "uvicorn", "vast.config.asgi:application",
            "--host", instance.host, "--port", str(instance.port),
            "--ws", "websockets", "--ws-per-message-deflate", "false",
            "--lifespan", "on", "--no-access-log", "--log-level", "warning",
            "--timeout-graceful-shutdown", "3",
        ),
        _python(
            instance, "worker", STAGE_WORKER, *celery, "worker",
            "-P", "threads", "-c", "8", "-Q", "celery,drivers", "-l", "WARNING",
            "--without-heartbeat", "--without-gossip", "--without-mingle",
        ),
        # No pid file: a stale one whose number was given out again would keep beat from starting.
        _python(
            instance, "beat", STAGE_BEAT, *celery, "beat", "-l", "WARNING", "--pidfile=", "-s", str(beat_file)
        ),
        _python(instance, "scheduler", STAGE_SCHEDULER, "-m", "vast", "scheduler"),
    ]  # fmt: skip


def agent_process(instance: Instance, name: str, token_file: Path, *options: str) -> ProcessSpec:
    """A node agent. It is killed with the supervisor, and then leaves its tasks alive for the next one."""
    state = instance.home.folder("agents", name)
    return ProcessSpec(
        name="agent",
        argv=(
            *dying_with_parent("KILL"),
            *(sys.executable, "-m", "vast.agent"),
            *("--server", instance.url, "--token-file", str(token_file), "--state", str(state)),
            *options,
        ),
        env=instance.agent_environment(),
        stage=STAGE_AGENTS,
        stop_timeout_s=12.0,
        hurry_timeout_s=7.0,
        # Tasks write users' files: with the mode that the user's own programs would give them.
        umask=-1,
    )


def _python(instance: Instance, name: str, stage: int, *arguments: str) -> ProcessSpec:
    return ProcessSpec(
        name=name,
        argv=(*dying_with_parent("TERM"), sys.executable, *arguments),
        env=instance.environment(),
        stage=stage,
    )
