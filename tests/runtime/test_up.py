"""``vast up`` up to the point where it needs the whole product (tests/product starts that)."""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path

import pytest

from vast.runtime.home import Home
from vast.runtime.stream import LogStream
from vast.runtime.up import UpOptions, up


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("VAST_HOME", str(tmp_path / "home"))
    return Home.from_environment()


def _up(**options: object) -> tuple[int, str]:
    terminal = io.StringIO()
    code = up(UpOptions(**options), LogStream(terminal))  # type: ignore[arg-type]
    return code, terminal.getvalue()


def test_a_second_instance_on_the_same_home_says_which_runs(home: Home) -> None:
    home.prepare()
    with home.locked():
        home.write_connection(url="http://127.0.0.1:8432", token="t", pid=os.getpid())
        code, text = _up()
    assert code == 1
    assert f"VAST already runs at http://127.0.0.1:8432 (process {os.getpid()}" in text


def test_an_explicit_port_that_is_taken_ends_with_2_before_anything_starts(home: Home) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        port = listener.getsockname()[1]
        code, text = _up(port=port)
    assert code == 2
    assert f"port {port} of 127.0.0.1 is taken" in text
    assert not (home.path / "postgres").exists()


def test_a_fleet_file_that_is_not_there_ends_with_2(home: Home, tmp_path: Path) -> None:
    code, text = _up(fleet=tmp_path / "none.yaml")
    assert code == 2
    assert f"there is no fleet file {tmp_path / 'none.yaml'}" in text
    assert not home.path.exists()
