"""One supervised process: its fixed description, and what is known of it while it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from vast.runtime.identity import signal_group

FIRST_DELAY_S = 0.1
MAX_DELAY_S = 5.0
STABLE_AFTER_S = 30.0
_TAIL_LINES = 20
_MAX_LINE_BYTES = 8192
_READ_BYTES = 65536
_MAX_DRAIN_READS = 64


@dataclass(frozen=True)
class ProcessSpec:
    """How a process is started and stopped. ``argv`` names its death signal itself (see ``launch``).

    Stages stop in rising order, the processes of one stage together. A process gets ``stop_timeout_s`` to
    end, or ``hurry_timeout_s`` once the user has become impatient; then it is killed.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    stage: int
    stop_signal: signal.Signals = signal.SIGTERM
    stop_timeout_s: float = 5.0
    hurry_timeout_s: float = 1.0
    umask: int = 0o077


class Child:
    """A process of a spec, over all its restarts. ``on_line`` gets each line that it prints."""

    def __init__(self, spec: ProcessSpec, on_line: Callable[[str, str], None]) -> None:
        self.spec = spec
        self.process: subprocess.Popen[bytes] | None = None
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self.quick_deaths = 0
        self.restart_at: float | None = None
        self._on_line = on_line
        self._partial = b""
        self._started_at = 0.0

    @property
    def output(self) -> int | None:
        """The descriptor to read its output from, while there is one."""
        pipe = self.process.stdout if self.process else None
        return pipe.fileno() if pipe and not pipe.closed else None

    def start(self) -> None:
        """Start the process in a session of its own, so that the terminal's Ctrl-C does not reach it.

        Raises OSError when the program cannot be started.
        """
        self.restart_at = None
        self._partial = b""
        self._started_at = time.monotonic()
        self.process = subprocess.Popen(
            self.spec.argv,
            env=dict(self.spec.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=self.spec.umask,
        )
        if self.process.stdout:
            os.set_blocking(self.process.stdout.fileno(), False)

    def read(self) -> bool:
        """Pass on the lines that are there; False when there are no more for now. Closes an ended output."""
        descriptor = self.output
        if descriptor is None:
            return False
        try:
            data = os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            return False
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            self._print(line)
        if not data or len(self._partial) > _MAX_LINE_BYTES:
            self._print_partial()
        if not data:
            self._close_output()
        return bool(data)

    def drain(self) -> None:
        """Read what an ended process left in its pipe, and close it. Never waits for heirs of the pipe."""
        for _ in range(_MAX_DRAIN_READS):
            if not self.read():
                break
        self._print_partial()
        self._close_output()

    def _print_partial(self) -> None:
        self._print(self._partial)
        self._partial = b""

    def _print(self, line: bytes) -> None:
        text = line.decode("utf-8", errors="replace").rstrip()
        if text:
            self.tail.append(text)
            self._on_line(self.spec.name, text)

    def _close_output(self) -> None:
        if self.process and self.process.stdout:
            self.process.stdout.close()

    def exit_code(self) -> int | None:
        """None while it runs (or was never started), else its exit code; negative for a signal."""
        return self.process.poll() if self.process else None

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def schedule_restart(self) -> float:
        """Note a death and give the seconds until the next start: short at first, longer in a crash loop."""
        if time.monotonic() - self._started_at >= STABLE_AFTER_S:
            self.quick_deaths = 0
        delay: float = min(FIRST_DELAY_S * 2**self.quick_deaths, MAX_DELAY_S)
        self.quick_deaths += 1
        self.restart_at = time.monotonic() + delay
        return delay

    def signal(self, number: signal.Signals) -> None:
        if self.alive and self.process:
            self.process.send_signal(number)

    def kill_group(self) -> None:
        """kill -9 everything left of its process group, itself included, and take its exit code."""
        if self.process:
            signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()
