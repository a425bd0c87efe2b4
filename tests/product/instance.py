"""A whole product on a port of its own, started as a user would: by ``vast up``. Shared by tests and benchmarks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from vast.client import Client
from vast.runtime.ports import free_port

SERVER_VARIABLES = (
    "DATABASE_URL",
    "REDIS_URL",
    "VAST_SECRET_KEY",
    "DJANGO_SETTINGS_MODULE",
    "VAST_HOME",
    "VAST_URL",
    "VAST_TOKEN",
)


@dataclass
class Instance:
    """A running product. Its processes by the names of ``vast up``'s log: web, worker, scheduler, postgres, ..."""

    home: Path
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        token: str = json.loads((self.home / "connection.json").read_text())["token"]
        return token

    def client(self) -> Client:
        return Client(url=self.url, token=self.token)

    def environment(self) -> dict[str, str]:
        """For the command line, which then finds this instance."""
        return {**_clean_environment(), "VAST_HOME": str(self.home)}

    def vast(self, *arguments: str, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
        """Run ``vast ...`` as a user in another shell would."""
        return subprocess.run(
            [sys.executable, "-m", "vast", *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def processes(self) -> dict[str, list[psutil.Process]]:
        """What runs now, by name; an agent's tasks are not among them."""
        found: dict[str, list[psutil.Process]] = {}
        for child in psutil.Process(self.process.pid).children(recursive=True):
            try:
                line = " ".join(child.cmdline())
            except psutil.Error:
                continue
            for name, mark in MARKS.items():
                if mark in line:
                    found.setdefault(name, []).append(child)
                    break
        return found

    def kill(self, name: str) -> None:
        """kill -9 of a process of this name."""
        self.processes()[name][0].kill()

    def wait_ready(self, timeout_s: float = 90) -> None:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(
                    f"vast up ended with {self.process.returncode}:\n{self.log.read_text()[-4000:]}"
                )
            # The box with the URL is printed when everything is up, agents included.
            if "Ctrl-C here" in self.log.read_text() and _ready(self.url):
                return
            time.sleep(0.1)
        raise TimeoutError(f"not ready after {timeout_s} s:\n{self.log.read_text()[-4000:]}")

    def stop(self) -> int:
        """Ctrl-C. Returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


MARKS = {
    "web": "uvicorn vast.config.asgi",
    "worker": "vast.config.celery worker",
    "beat": "vast.config.celery beat",
    "scheduler": "-m vast scheduler",
    "agent": "vast.agent",
    "redis": "redis-server",
    "postgres": "bin/postgres -D",
}


def _ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def _clean_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in SERVER_VARIABLES}


def start(home: Path, *options: str, port: int | None = None) -> Instance:
    """``vast up`` in the background; call ``wait_ready`` before use."""
    chosen = port or free_port()
    home.mkdir(parents=True, exist_ok=True)
    log = home.parent / f"{home.name}.log"
    with log.open("ab") as stream:
        log.write_bytes(b"")
        process = subprocess.Popen(
            [sys.executable, "-m", "vast", "up", "--port", str(chosen), *options],
            env={**_clean_environment(), "VAST_HOME": str(home)},
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    return Instance(home=home, port=chosen, process=process, log=log)


@contextmanager
def running(home: Path, *options: str) -> Iterator[Instance]:
    """A product for the length of the block, stopped as by Ctrl-C afterwards."""
    instance = start(home, *options)
    try:
        instance.wait_ready()
        yield instance
    finally:
        instance.stop()
