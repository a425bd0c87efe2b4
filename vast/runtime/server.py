"""What the embedded servers have in common, and running one alone, as tests do (``vast up`` supervises)."""

from __future__ import annotations

import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

from vast.runtime.errors import StartError


class EmbeddedServer(ABC):
    """A server program on a folder: ``command`` and ``is_ready`` for a supervisor, or use it as a context."""

    name: str
    stop_signal_name: str
    folder: Path

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def prepare(self) -> None:
        """Make or check what is on disk, before each first start. Raises StartError."""

    @abstractmethod
    def command(self) -> tuple[str, ...]:
        """The command line of the foreground server, which ends with the thread that started it."""

    @abstractmethod
    def is_ready(self) -> bool: ...

    def start(self, timeout_s: float = 60.0) -> None:
        """Prepare, start and wait for the first answer. Call it from the main thread. Raises StartError."""
        self.prepare()
        deadline = time.monotonic() + timeout_s
        self._launch()
        while not self.is_ready():
            if time.monotonic() >= deadline:
                self.stop()
                raise StartError(f"{self.name} did not answer within {timeout_s:.0f} s:\n{self._log()}")
            # For a moment after a kill -9 the sessions of the one before keep the data folder: try again.
            if self._process is None or self._process.poll() is not None:
                self._launch()
            time.sleep(0.05)

    def _launch(self) -> None:
        with self._log_file.open("wb") as log:
            self._process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077,
            )

    @property
    def _log_file(self) -> Path:
        return self.folder / "server.log"

    def _log(self) -> str:
        return self._log_file.read_text("utf-8", errors="replace")[-4000:]

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """Shut down cleanly; kill when that takes more than 10 s. Does nothing when it does not run."""
        if self._process is None:
            return
        self._process.send_signal(signal.Signals[f"SIG{self.stop_signal_name}"])
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def kill(self) -> None:
        """kill -9, as a test of recovery needs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
