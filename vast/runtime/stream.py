"""One readable log of all processes: to the terminal, and to ``VAST_HOME/logs/vast.log`` with rotation."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TextIO

_MAX_FILE_BYTES = 10 * 1024 * 1024
_KEPT_FILES = 5
_NAME_WIDTH = 10
_COLOURS = (36, 33, 35, 32, 34, 96, 93, 95, 92, 94)


class RotatingFile:
    """A log file that is moved to ``name.1`` (and that to ``name.2``, ...) when it has grown too large."""

    def __init__(self, path: Path, max_bytes: int = _MAX_FILE_BYTES, kept: int = _KEPT_FILES) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._kept = kept
        self._open()

    def _open(self) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._file = os.fdopen(descriptor, "a", encoding="utf-8", buffering=1)
        self._size = os.fstat(descriptor).st_size

    def write(self, line: str) -> None:
        if self._size > self._max_bytes:
            self._rotate()
        self._file.write(line)
        self._size += len(line.encode())

    def _rotate(self) -> None:
        self._file.close()
        for number in range(self._kept - 1, 0, -1):
            older = self.path.with_name(f"{self.path.name}.{number}")
            if older.exists():
                older.replace(self.path.with_name(f"{self.path.name}.{number + 1}"))
        self.path.replace(self.path.with_name(f"{self.path.name}.1"))
        self._open()

    def close(self) -> None:
        self._file.close()


class LogStream:
    """Takes the lines of named processes. ``quiet`` keeps them off the terminal, as while steps are shown."""

    def __init__(self, terminal: TextIO | None = None) -> None:
        self._terminal: TextIO | None = terminal or sys.stdout
        self._file: RotatingFile | None = None
        self._coloured = self._terminal.isatty() and not os.environ.get("NO_COLOR")
        self._colours: dict[str, int] = {}
        self._file_failed = False
        self.quiet = False

    def open_file(self, path: Path) -> None:
        """Write to this file too, from now on."""
        self._file = RotatingFile(path)

    def line(self, name: str, text: str, *, important: bool = False) -> None:
        """Write one line of the process ``name``; ``important`` ones are shown even when quiet."""
        now = time.time()
        clock = time.strftime("%H:%M:%S", time.localtime(now)) + f".{int(now % 1 * 1000):03d}"
        if self._file:
            day = time.strftime("%Y-%m-%d", time.localtime(now))
            self._keep(f"{day} {clock} {name:<{_NAME_WIDTH}} | {text}\n")
        if not self.quiet or important:
            self.show(f"{clock} {self._paint(name)} | {text}")

    def _keep(self, line: str) -> None:
        """Write to the file. A full disk is told once; it must not end the processes watched here."""
        try:
            if self._file:
                self._file.write(line)
            self._file_failed = False
        except OSError as error:
            if not self._file_failed:
                self.show(f"the log file cannot be written: {error.strerror}")
            self._file_failed = True

    def show(self, text: str, end: str = "\n") -> None:
        """Write to the terminal alone. Whoever has closed the terminal still has the file."""
        if self._terminal is None:
            return
        try:
            self._terminal.write(text + end)
            self._terminal.flush()
        except OSError:
            self._terminal = None

    def leave_terminal(self) -> None:
        """The terminal is gone: write to the file alone from now on."""
        self._terminal = None

    def _paint(self, name: str) -> str:
        padded = f"{name:<{_NAME_WIDTH}}"
        if not self._coloured:
            return padded
        colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
        return f"\x1b[{colour}m{padded}\x1b[0m"

    def close(self) -> None:
        if self._file:
            self._file.close()
