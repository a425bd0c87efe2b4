"""The log stream."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from vast.runtime.stream import LogStream, RotatingFile


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class ClosedTerminal(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


def test_the_file_has_day_time_name_and_line_and_is_private(tmp_path: Path) -> None:
    stream = LogStream(io.StringIO())
    stream.open_file(tmp_path / "vast.log")
    stream.line("web", "hello")
    text = (tmp_path / "vast.log").read_text()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} web        \| hello\n", text)
    assert (tmp_path / "vast.log").stat().st_mode & 0o777 == 0o600


def test_names_are_coloured_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, pipe = Terminal(), io.StringIO()
    LogStream(terminal).line("web", "hello")
    LogStream(pipe).line("web", "hello")
    assert "\x1b[36mweb" in terminal.getvalue()
    assert "\x1b" not in pipe.getvalue()


def test_quiet_keeps_all_but_the_important_off_the_terminal() -> None:
    terminal = io.StringIO()
    stream = LogStream(terminal)
    stream.quiet = True
    stream.line("web", "chatter")
    stream.line("vast", "web ended", important=True)
    assert "chatter" not in terminal.getvalue()
    assert "web ended" in terminal.getvalue()


def test_a_terminal_that_is_gone_does_not_stop_the_file(tmp_path: Path) -> None:
    stream = LogStream(ClosedTerminal())
    stream.open_file(tmp_path / "vast.log")
    for text in ("one", "two"):
        stream.line("web", text)
    assert [line[-3:] for line in (tmp_path / "vast.log").read_text().splitlines()] == ["one", "two"]


def test_a_full_disk_is_told_once_and_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: RotatingFile, line: str) -> None:
        raise OSError(28, "No space left on device")

    terminal = io.StringIO()
    stream = LogStream(terminal)
    stream.open_file(tmp_path / "vast.log")
    monkeypatch.setattr(RotatingFile, "write", full)
    for text in ("one", "two"):
        stream.line("web", text)
    assert terminal.getvalue().count("cannot be written: No space left on device") == 1
    assert "web        | two" in terminal.getvalue()


def test_a_full_file_is_moved_aside_and_only_some_are_kept(tmp_path: Path) -> None:
    file = RotatingFile(tmp_path / "vast.log", max_bytes=10, kept=2)
    for number in range(8):
        file.write(f"line number {number}\n")
    file.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["vast.log", "vast.log.1", "vast.log.2"]
    assert (tmp_path / "vast.log").read_text() == "line number 7\n"
    assert (tmp_path / "vast.log.2").read_text() == "line number 5\n"
